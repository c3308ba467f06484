#include "app/command_line/program.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fmt/format.h>
#include <iostream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "app/command_line/command_line.hpp"
#include "app/machine/cpu_threads.hpp"
#include "app/run/run.hpp"
#include "case/basics/build_info.hpp"
#include "case/basics/exit_code.hpp"
#include "case/basics/stop_request.hpp"
#include "case/basics/text/wording.hpp"
#include "decomposition/ranks/collective_errors.hpp"
#include "decomposition/ranks/failure_reason.hpp"
#include "io/files/library_messages.hpp"
#include "solver/problem/breakdown.hpp"

namespace isotherm::app {

namespace {

/// Prints an error message and ends all ranks. If many ranks fail in the same way, the root should
/// report it, so the others wait briefly for the root to end the job. visible() escapes control
/// characters, for example those of file names, so a message cannot corrupt the terminal.
/// @returns  the exit code if there is only one rank; otherwise the job is aborted
int fail(mpi::Communicator const& ranks, std::string const& message) {
  if (!ranks.is_root()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }
  std::cout.flush();
  std::string const who = ranks.size() > 1 ? "rank " + std::to_string(ranks.rank()) + ": " : "";
  std::cerr << "isotherm: " + who + visible(message) + "\n" << std::flush;
  if (ranks.size() > 1) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));  // before the launcher's message
    mpi::abort_job(exit_code::failed);
  }
  return exit_code::failed;
}

/// Returns whether messages should name source locations, which only help developers.
bool wants_places(int argc, char const* const* argv) {
  std::vector<std::string_view> const words(argv, argv + argc);
  return std::getenv("ISOTHERM_DEBUG") != nullptr ||
         std::ranges::any_of(words, [](auto word) { return word == "-v" || word == "--verbose"; });
}

/// Returns an argument in quotes, or "missing".
std::string argument_text(std::vector<std::string> const& command, std::size_t number) {
  return number < command.size() ? in_quotes(command[number]) : "missing";
}

/// Refuses a job whose ranks run different programs or have different arguments: they would solve
/// parts of different cases, or wait for messages that nobody sends. Collective.
/// @throws InputError  on every rank, naming the first difference of the first such rank
void check_same_command(mpi::Communicator const& ranks, int argc, char const* const* argv) {
  if (ranks.size() == 1) return;
  // The build stands in place of the program's name, which may be a path of one host.
  BuildInfo const build = build_info();
  std::vector<std::string> mine{fmt::format("isotherm {} ({})", build.version, build.revision)};
  if (argc > 1) mine.insert(mine.end(), argv + 1, argv + argc);
  std::vector<std::string> const of_root = ranks.broadcast(mine);
  rethrow_on_all_ranks(ranks, [&] {
    if (mine == of_root) return;
    if (mine[0] != of_root[0]) {
      throw InputError(fmt::format("rank {} runs {}, but rank 0 runs {} (start one program)",
                                   ranks.rank(), mine[0], of_root[0]));
    }
    auto const number =
        static_cast<std::size_t>(std::ranges::mismatch(mine, of_root).in1 - mine.begin());
    throw InputError(fmt::format(
        "rank {} has other arguments than rank 0: argument {} is {}, that of rank 0 is {}",
        ranks.rank(), number, argument_text(mine, number), argument_text(of_root, number)));
  });
}

}  // namespace

// Four kinds of exceptions reach this function:
// - NotConverged: a time step that all ranks could not solve (exit code 3);
// - InputError: invalid input, which all ranks detect together (exit code 2);
// - Error: a failure, perhaps of a single rank, with its place in the sources (exit code 1);
// - others, thrown by libraries, for example if memory is exhausted (exit code 1).
int run_program(mpi::Communicator const& ranks, int argc, char const* const* argv) {
  silence_hdf5();
  try {
    check_same_command(ranks, argc, argv);
    Action action;
    // All ranks agree on errors of parsing, so they exit with the same code and need not abort.
    rethrow_on_all_ranks(ranks, [&] {
      action = parse_command_line(argc, argv);
      check_cpu_threads();
    });
    return action(ranks);
  } catch (InputError const& error) {  // collective: all ranks have thrown it
    // A signal ends the wait for input that comes through a pipe.
    if (std::string const signal = StopRequest::agreed(ranks); !signal.empty()) {
      if (ranks.is_root()) std::cout << stopped_early_line(signal) << std::endl;
      return exit_code::stopped;
    }
    if (ranks.is_root()) {
      std::cout.flush();
      std::cerr << "isotherm: " << visible(error.what()) << std::endl;
    }
    return exit_code::bad_input;
  } catch (NotConverged const& error) {  // collective, like InputError
    if (ranks.is_root()) {
      std::cout.flush();
      std::cerr << "isotherm: " << visible(error.what()) << std::endl;
    }
    return exit_code::not_converged;
  } catch (Error const& error) {
    return fail(ranks, error.what() +
                           (wants_places(argc, argv) ? " [" + error.place() + "]" : std::string()));
  } catch (std::exception const& error) {
    return fail(ranks, failure_reason(error));
  }
}

}  // namespace isotherm::app
