#pragma once

#include <filesystem>

#include "decomposition/ranks/mpi.hpp"

/// Comparison of two result files, for tests of a solver against a reference: absolute and relative
/// norms of b − a (io/snapshot/compare/compare_fields.hpp). Scripts use the exit code.
///
///   CompareOptions options{"a.vtkhdf", "b.vtkhdf"};
///   options.tolerance = 1e-9;
///   return compare(ranks, options);  // exit_code::done or exit_code::failed

namespace isotherm::app {

/// The options of `isotherm compare`, which computes norms of the difference of two fields.
///
/// A is the reference: relative norms are divided by its norms. If the grids have different numbers
/// of points, B is interpolated to the points of A.
struct CompareOptions {
  std::filesystem::path a;          ///< a file, or a directory for its newest field
  std::filesystem::path b;          ///< likewise
  double tolerance = 0.0;           ///< maximum |b − a| that is accepted
  double relative_tolerance = 0.0;  ///< the same, relative to the largest |a|
  bool json = false;                ///< print one JSON object
};

/// Compares the fields and prints the result on the root's standard output. Collective; all ranks
/// share the reading, so the fields may be larger than the memory of a host.
/// @returns  exit_code::done, or exit_code::failed if the maximum difference exceeds both
/// tolerances
/// @throws InputError  on every rank, if the files cannot be compared
int compare(mpi::Communicator const& ranks, CompareOptions const& options);

}  // namespace isotherm::app
