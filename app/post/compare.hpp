#pragma once

#include <filesystem>

#include "decomposition/ranks/mpi.hpp"

/// Comparison of two result files, for tests of a solver against a reference: absolute and relative
/// norms of b − a (io/snapshot/compare/compare_fields.hpp). Scripts use the exit code.
///
///   CompareOptions options{"a.vtkhdf", "b.vtkhdf"};
///   options.tolerance = 1e-9;
///   return compare(ranks, options);  // exit_code::done or exit_code::failed

namespace isotherm {

/// The options of `isotherm compare`, which computes norms of the difference of two fields.
struct CompareOptions {
  std::filesystem::path a;  ///< a file, or a directory for its newest field
  std::filesystem::path b;
  double tolerance = 0.0;  ///< maximum |b − a| that is accepted
  bool json = false;       ///< print one JSON object
};

/// Compares the fields and prints the result on the root's standard output. Returns
/// exit_code::done, or exit_code::failed if the difference exceeds the tolerance. Collective.
/// @throws InputError  if the files cannot be compared
int compare(mpi::Communicator const& ranks, CompareOptions const& options);

}  // namespace isotherm
