#pragma once

#include <filesystem>

#include "decomposition/ranks/mpi.hpp"

/// The descriptions of result files, as text for users or as JSON for programs.
///
///   InfoOptions options{"run"};
///   options.statistics = true;
///   return show_info(ranks, options);

namespace isotherm::app {

/// The options of `isotherm info`, which describes a snapshot file, or lists the snapshots in a
/// directory.
struct InfoOptions {
  std::filesystem::path path;  ///< a file or a directory
  bool json = false;           ///< print JSON
  bool print_case = false;     ///< print only the case with which the file was made
  bool verify = false;         ///< read all values and compare their checksums
  bool statistics = false;  ///< read all values, on all ranks, and print minimum, maximum and means
};

/// Prints the description on the root's standard output. Collective.
///
/// Without `verify` and `statistics`, only the descriptions of the files are read, so the cost does
/// not depend on the size of the fields.
/// @returns  exit_code::done; exit_code::bad_input if `verify` or `statistics` finds damage, after
///           all known information is printed. Only the root's value is meaningful
/// @throws InputError  on every rank, if there is no such file or isotherm did not write it
int show_info(mpi::Communicator const& ranks, InfoOptions const& options);

}  // namespace isotherm::app
