#pragma once

#include <optional>
#include <string>

#include "app/post/fields/result_file.hpp"
#include "case/case.hpp"
#include "decomposition/field/regrid/resampling.hpp"

/// Resampling: a field is interpolated to the points of another grid, optionally after a shift and
/// a rotation.
///
///   ResampleOptions options{{"u_000500.vtkhdf", "coarse.vtkhdf"}};
///   options.points = Extent3{65, 65, 65};
///   return resample(ranks, options);

namespace isotherm::app {

/// The options of `isotherm resample`, which interpolates a field to another grid.
///
/// At most one of `points` and `like` may be set. If neither is, the field keeps its grid and is
/// only moved.
struct ResampleOptions {
  FieldFiles files;
  std::optional<Extent3> points{};              ///< of a new grid on the same box
  std::optional<std::filesystem::path> like{};  ///< a file whose grid is used
  Motion motion{};                              ///< shift and rotation of the field
  Curve curve = Curve::linear;                  ///< the interpolating function
  /// Interpolates by the texture units of a GPU, linearly or by the nearest point. Weights have 9
  /// bits, so the result is not exact and depends on the number of ranks.
  bool hardware = false;
  std::optional<EdgeMode> edge_mode{};  ///< default: wrap on periodic axes, clamp on others
  DeviceChoice device = DeviceChoice::automatic;
};

/// Writes the field on the other grid and a picture of it; returns exit_code::done. Collective.
/// @throws InputError  if a file cannot be read or must not be written, if the grids have different
///                     dimensions, or if texture units are asked for where they cannot be used
int resample(mpi::Communicator const& ranks, ResampleOptions const& options);

}  // namespace isotherm::app
