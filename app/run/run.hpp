#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "decomposition/ranks/mpi.hpp"

namespace isotherm::app {

/// The options of `isotherm run`, as given on the command line. All ranks have the same options.
struct RunOptions {
  std::filesystem::path case_file;       ///< "-": standard input
  std::vector<std::string> overrides{};  ///< "key=value", including those of --device and --output
  bool resume = false;                   ///< continue from a stored field
  /// None: the newest file of the output directory.
  std::optional<std::filesystem::path> resume_from{};
  bool overwrite = false;  ///< together with `resume` only if `resume_from` lies elsewhere
  /// Resume if there is something to resume from, else overwrite. Excludes both other options.
  bool resume_or_overwrite = false;
  bool dry_run = false;  ///< prepare and estimate, but write nothing
  bool quiet = false;    ///< print errors only, and goals that were not reached
  bool verbose = false;  ///< print details on the execution
  /// A request to stop ends the process if it arrives before anything is written and the run does
  /// not react within a third of a second. For a program that does nothing but this run.
  bool ends_process = false;
};

/// Runs a case from its file to its results. Collective.
///
/// Handlers for the signals that request a stop are installed for the duration of the call; see
/// StopRequest. The results are files in the output directory; a dry run writes none.
///
///   RunOptions options;
///   options.case_file = "case.toml";
///   options.resume_or_overwrite = true;
///   int const code = run_case(mpi::Communicator::world(), options);
/// @return  the exit code of the program: 0 if done, others for a run that was stopped or did not
///          converge
/// @throws InputError  on every rank, before anything is written
/// @throws Error       if the run fails, perhaps on this rank alone
int run_case(mpi::Communicator const& ranks, RunOptions const& options);

/// Returns the line about a run that a signal has ended before anything was written.
std::string stopped_early_line(std::string const& signal);

}  // namespace isotherm::app
