#pragma once

#include <filesystem>
#include <string>

#include "app/post/fields/result_file.hpp"

/// Combination: a field whose values are those of an expression of two fields on the same grid, for
/// example their difference.
///
///   CombineOptions options{{"a.vtkhdf", "difference.vtkhdf"}, "b.vtkhdf"};
///   return combine(ranks, options);

namespace isotherm::app {

/// The options of `isotherm combine`.
struct CombineOptions {
  FieldFiles files;               ///< `input` is the field a
  std::filesystem::path other{};  ///< the field b: a file, or a directory for its newest field
  std::string of = "a - b";       ///< an expression of a, b, x, y, z and t, the time of a
};

/// Writes the combined field and a picture of it; returns exit_code::done. The result has the
/// precision, iteration and time of a. Collective.
/// @throws InputError  if a file cannot be read or must not be written, if the grids differ, or if
///                     values of the expression are not finite
int combine(mpi::Communicator const& ranks, CombineOptions const& options);

}  // namespace isotherm::app
