#pragma once

#include <optional>
#include <string>

#include "app/post/fields/result_file.hpp"
#include "case/case.hpp"
#include "kernels/filters/interpolation.hpp"

/// Smoothing: each value becomes a weighted mean of its surroundings, u'(p) = Σ w(m) u(p + m). A
/// Gaussian and a box are separable, so they are applied along each axis in turn.
///
///   SmoothOptions options{{"run", "smooth.vtkhdf"}};
///   options.width = 0.02;
///   return smooth(ranks, options);

namespace isotherm::app {

/// The options of `isotherm smooth`, which replaces each value by a weighted mean of the values
/// around it: a convolution with a Gaussian, a box, or given weights.
struct SmoothOptions {
  FieldFiles files;
  std::optional<double>
      width{};       ///< in the grid's unit of length: σ of a Gaussian, or the width of a box
  bool box = false;  ///< equal weights instead of a Gaussian
  /// A text file of weights, see weights_in(), as an alternative to a width. Weights of one row are
  /// applied along each axis in turn. A table of weights is applied as a whole.
  std::optional<std::filesystem::path> weights{};
  std::optional<EdgeMode> edge_mode{};  ///< default: wrap on periodic axes, mirror on others
  DeviceChoice device = DeviceChoice::automatic;
};

/// Writes the smoothed field and a picture of it; returns exit_code::done. Collective.
/// @throws InputError  on every rank, if a file cannot be read or must not be written, if the
/// weights
///                     reach too far for an axis, or if an axis is graded
int smooth(mpi::Communicator const& ranks, SmoothOptions const& options);

}  // namespace isotherm::app
