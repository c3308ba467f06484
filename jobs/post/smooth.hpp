#pragma once

#include <optional>

#include "jobs/case/case.hpp"
#include "jobs/post/result_file.hpp"

namespace isotherm {

/// What a field's values are beyond its outermost points.
enum class Edges {
  as_grid,  ///< those of the other end on periodic axes, a mirror image on others
  wrap,     ///< those of the other end: the point behind the last one is the first
  clamp,    ///< the outermost value
  mirror,   ///< the mirror image, the outermost point being the mirror
  zero
};

/// `isotherm smooth`: each value becomes a weighted mean of those around it.
struct SmoothOptions {
  FieldFiles files;
  std::optional<double>
      width{};       ///< in the grid's unit of length: σ of a Gaussian, or a box's width
  bool box = false;  ///< equal weights instead of a Gaussian's
  /// A text file of an odd number of weights, at most 63, for the points along each axis in turn;
  /// instead of a width.
  std::optional<std::filesystem::path> weights{};
  Edges edges = Edges::as_grid;
  DeviceChoice device = DeviceChoice::automatic;
};

/// Writes the smoothed field and a picture of it; returns 0. Collective.
/// @throws InputError  where a file cannot be read or may not be written, or the width does not fit
int smooth(mpi::Communicator const& ranks, SmoothOptions const& options);

}  // namespace isotherm
