#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "decomposition/ranks/mpi.hpp"

namespace isotherm {

/// `isotherm run`, as the command line says it.
struct RunOptions {
  std::filesystem::path case_file;
  std::vector<std::string> overrides{};  ///< "key=value", --device and --output among them
  bool resume = false;
  std::optional<std::filesystem::path> resume_from{};  ///< none: the newest of the directory
  bool overwrite = false;            ///< beside `resume` only where `resume_from` lies elsewhere
  bool resume_or_overwrite = false;  ///< the one where there is something to go on from, else the
                                     ///< other; beside neither of them
  bool dry_run = false;
  bool quiet = false;
  bool verbose = false;
};

/// Runs a case from its file to its results and returns the exit code. Collective.
/// @throws InputError  on every rank, before anything is written
/// @throws Error       where it fails while running; perhaps on this rank alone
int run_case(mpi::Communicator const& ranks, RunOptions const& options);

}  // namespace isotherm
