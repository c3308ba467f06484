#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "case/toml/option_spellings.hpp"
#include "decomposition/ranks/mpi.hpp"

namespace isotherm::app {

/// The options of `isotherm sweep`.
struct SweepOptions {
  std::filesystem::path case_file;
  std::vector<std::string> overrides{};  ///< "key=value", for all runs
  OptionSpellings spellings{};           ///< of the overrides that are no --set
  std::vector<std::string> over{};       ///< what varies, in the forms of parse_over()
  std::filesystem::path output{};        ///< directory of the study; empty: CASE-sweep
  std::filesystem::path table{};         ///< empty: printed
  std::vector<std::string> columns{};    ///< of the table; empty: default_columns()
  int jobs = 1;                          ///< runs at the same time
  bool dry_run = false;                  ///< list the runs only
  bool quiet = false;                    ///< print errors only
};

/// Runs a case with all combinations of the values of some keys, and makes a table of the results.
///
/// Each combination is a run with its own directory in `output`, in a process of its own. Runs that
/// a former sweep has finished with the same case are skipped, and others are resumed. If a run
/// fails, the others continue. A request to stop is passed to the runs, which write checkpoints.
///
///   SweepOptions options;
///   options.case_file = "case.toml";
///   options.over = {"equation.diffusivity=0.1,0.2"};
///   int const code = sweep(mpi::Communicator::world(), options);
/// @return  0 if all runs are done, 1 if one has failed, 3 if one has not reached its tolerance, 75
///          if the sweep was stopped
/// @throws InputError  if the options are not valid, no combination is a valid case, or there are
///                     several ranks
int sweep(mpi::Communicator const& ranks, SweepOptions const& options);

}  // namespace isotherm::app
