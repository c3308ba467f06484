#pragma once

#include <filesystem>

#include "decomposition/ranks/mpi.hpp"

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
