#pragma once

#include <optional>
#include <string>

#include "decomposition/field/resampling.hpp"
#include "jobs/case/case.hpp"
#include "jobs/post/result_file.hpp"

namespace isotherm {

/// `isotherm resample`: a field on another grid.
struct ResampleOptions {
  FieldFiles files;
  std::optional<Extent3> points{};              ///< of a grid over the same box
  std::optional<std::filesystem::path> like{};  ///< the file whose grid is taken
  Motion motion{};
  Curve curve = Curve::linear;
  std::optional<Beyond> beyond{};  ///< none: wrap on periodic axes, clamp on others
  DeviceChoice device = DeviceChoice::automatic;
};

/// Writes the field on the other grid and a picture of it; returns 0. Collective.
/// @throws InputError  where a file cannot be read or may not be written, or the grids have
///                     different dimensions
int resample(mpi::Communicator const& ranks, ResampleOptions const& options);

}  // namespace isotherm
