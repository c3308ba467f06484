#pragma once

#include <filesystem>

#include "decomposition/ranks/mpi.hpp"

namespace isotherm {

/// `isotherm compare`: norms of the difference of two fields.
struct CompareOptions {
  std::filesystem::path a;  ///< a file, or a directory: its newest field
  std::filesystem::path b;
  double tolerance = 0.0;  ///< largest |b − a| that is accepted
  bool json = false;
};

/// The root prints to standard output; returns 0, or 1 where the difference is beyond the
/// tolerance. Collective.
/// @throws InputError  where the files cannot be compared
int compare(mpi::Communicator const& ranks, CompareOptions const& options);

}  // namespace isotherm
