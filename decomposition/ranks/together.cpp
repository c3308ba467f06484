#include "decomposition/ranks/together.hpp"

#include <string>

#include "decomposition/ranks/failure_reason.hpp"

namespace isotherm {
namespace {

struct Failure {
  std::exception_ptr exception;
  std::string text;
  std::string place{};  // in the sources
  bool is_input = false;
};

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

/// On every rank: the first failing rank's text, with the rank's number where `name_rank`, and
/// its place in the sources behind a zero byte.
std::string first_text(mpi::Communicator const& ranks, Failure const& mine, bool name_rank) {
  if (!mine.exception) {
    return ranks.first_text("");
  }
  std::string const who = name_rank ? "rank " + std::to_string(ranks.rank()) + ": " : "";
  return ranks.first_text(who + mine.text + '\0' + mine.place);
}

}  // namespace

void together(mpi::Communicator const& ranks, std::function<void()> const& work) {
  Failure const mine = attempt(work);
  if (!ranks.any(mine.exception != nullptr)) {
    return;
  }
  bool const all_input = !ranks.any(mine.exception != nullptr && !mine.is_input);
  std::string const first = first_text(ranks, mine, !all_input);
  auto const end = first.find('\0');
  std::string const text = first.substr(0, end);
  if (mine.exception && mine.is_input == all_input) {
    std::rethrow_exception(mine.exception);
  }
  if (all_input) {
    throw InputError(text);
  }
  throw Error(text, first.substr(end + 1));
}

void on_root(mpi::Communicator const& ranks, std::function<void()> const& work) {
  together(ranks, [&] {
    if (ranks.is_root()) {
      work();
    }
  });
}

}  // namespace isotherm
