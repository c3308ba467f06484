#pragma once

#include <optional>
#include <string>

#include "jobs/case/case.hpp"
#include "jobs/post/result_file.hpp"
#include "kernels/filters/interpolation.hpp"

namespace isotherm {

/// `isotherm smooth`: each value becomes a weighted mean of those around it.
struct SmoothOptions {
  FieldFiles files;
  std::optional<double>
      width{};       ///< in the grid's unit of length: σ of a Gaussian, or a box's width
  bool box = false;  ///< equal weights instead of a Gaussian's
  /// Instead of a width: a text file of weights, weights_in(), to be taken along each axis in
  /// turn, or all at once where they are a table.
  std::optional<std::filesystem::path> weights{};
  std::optional<Beyond> beyond{};  ///< none: wrap on periodic axes, mirror on others
  DeviceChoice device = DeviceChoice::automatic;
  std::string plan = "auto";  ///< or one of convolution_plans(); a table has no plans
};

/// Writes the smoothed field and a picture of it; returns 0. Collective.
/// @throws InputError  where a file cannot be read or may not be written, or the width does not fit
int smooth(mpi::Communicator const& ranks, SmoothOptions const& options);

}  // namespace isotherm
