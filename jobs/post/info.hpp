#pragma once

#include <filesystem>

#include "decomposition/ranks/mpi.hpp"

namespace isotherm {

/// `isotherm info`: what a snapshot file says about itself, or which ones a directory holds.
struct InfoOptions {
  std::filesystem::path path;
  bool json = false;
  bool print_case = false;  ///< print the case that the file was made with, and nothing else
  bool verify = false;      ///< read all values and say whether they are those that were written
  bool statistics = false;  ///< read all values, on all ranks, and say what they come to
};

/// The root prints to standard output; returns the exit code: that of bad input where `verify` or
/// `statistics` finds damage, after all that can be said. Collective.
/// @throws InputError  where there is no such file or it is not one of isotherm's
int show_info(mpi::Communicator const& ranks, InfoOptions const& options);

}  // namespace isotherm
