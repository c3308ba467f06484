#pragma once

#include <optional>
#include <string>

#include "jobs/case/case.hpp"
#include "jobs/post/result_file.hpp"
#include "kernels/filters/interpolation.hpp"

namespace isotherm {

/// `isotherm resample`: a field on another grid.
struct ResampleOptions {
  FieldFiles files;
  std::optional<Extent3> points{};              ///< of a grid over the same box
  std::optional<std::filesystem::path> like{};  ///< the file whose grid is taken
  PerAxis<double> shift{};    ///< by which the field is moved, in the grid's unit of length
  double rotation_deg = 0.0;  ///< about the middle of the field's box, from the x to the y axis
  bool cubic = false;         ///< polynomials of degree 3 along each axis, else of degree 1
  std::optional<Beyond> beyond{};  ///< none: wrap on periodic axes, clamp on others
  DeviceChoice device = DeviceChoice::automatic;
};

/// Writes the field on the other grid and a picture of it; returns 0. Collective.
/// @throws InputError  where a file cannot be read or may not be written, or the grids have
/// different
///                     dimensions
int resample(mpi::Communicator const& ranks, ResampleOptions const& options);

}  // namespace isotherm
