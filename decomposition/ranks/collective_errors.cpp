#include "decomposition/ranks/collective_errors.hpp"

#include <string>

#include "decomposition/ranks/failure_reason.hpp"

namespace isotherm {
namespace {

/// The failure of this rank; `exception` is null if its work succeeded.
struct Failure {
  std::exception_ptr exception;
  std::string text;
  std::string place{};    // of the throw, in the sources; empty unless it is an Error
  bool is_input = false;  // an InputError
};

/// Runs the work and captures what it throws.
Failure attempt(std::function<void()> const& work) {
  try {
    work();
    return {};
  } catch (InputError const& error) {
    return {std::current_exception(), error.what(), {}, true};
  } catch (Error const& error) {
    return {std::current_exception(), error.what(), error.place()};
  } catch (std::exception const& error) {
    return {std::current_exception(), failure_reason(error)};
  }
}

/// Returns, on every rank, the text of the first failing rank, a zero byte, and the place of the
/// failure in the sources. If `name_rank`, the text begins with the rank's number. Collective.
std::string first_text(mpi::Communicator const& ranks, Failure const& mine, bool name_rank) {
  if (!mine.exception) {
    return ranks.first_text("");
  }
  std::string const who = name_rank ? "rank " + std::to_string(ranks.rank()) + ": " : "";
  return ranks.first_text(who + mine.text + '\0' + mine.place);
}

}  // namespace

void rethrow_on_all_ranks(mpi::Communicator const& ranks, std::function<void()> const& work) {
  Failure const mine = attempt(work);
  // One small reduction if all ranks succeed, which is the usual case.
  if (!ranks.any(mine.exception != nullptr)) {
    return;
  }
  bool const all_input = !ranks.any(mine.exception != nullptr && !mine.is_input);
  std::string const first = first_text(ranks, mine, !all_input);
  auto const end = first.find('\0');
  std::string const text = first.substr(0, end);
  // A rank's own exception keeps its type. If failures differ in kind, its InputError becomes the
  // common Error.
  if (mine.exception && mine.is_input == all_input) {
    std::rethrow_exception(mine.exception);
  }
  if (all_input) {
    throw InputError(text);
  }
  // Keeps the place of the original throw for developers.
  throw Error(text, first.substr(end + 1));
}

void on_root(mpi::Communicator const& ranks, std::function<void()> const& work) {
  rethrow_on_all_ranks(ranks, [&] {
    if (ranks.is_root()) {
      work();
    }
  });
}

}  // namespace isotherm
