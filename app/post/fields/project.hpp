#pragma once

#include <optional>
#include <string>

#include "app/post/fields/result_file.hpp"
#include "case/case.hpp"

/// Projection: the values on each line along an axis are reduced to one value, for example ∫ u dz,
/// the mean, or the maximum. Integrals use the trapezoidal rule. A running projection keeps all
/// points: each gets the value of its line up to it.
///
///   ProjectOptions options{{"u_000500.vtkhdf", "mean.vtkhdf"}};
///   options.projection = Projection::mean;
///   return project(ranks, options);

namespace isotherm::app {

/// The operation that reduces the values along a line to one value.
enum class Projection {
  integral,  ///< by the trapezoidal rule
  mean,      ///< integral divided by the length of the line
  sum,       ///< of the values, without weights
  maximum,
  minimum
};

/// The options of `isotherm project`, which reduces a field along one axis to a field with one
/// dimension less, or replaces it by its running integral along the axis.
struct ProjectOptions {
  FieldFiles files;
  int axis = 2;  ///< 0, 1 or 2 for x, y or z
  Projection projection = Projection::integral;
  /// Keeps all points: each gets the projection of the values from the first point of its line to
  /// it.
  bool running = false;
  /// An expression of u, x, y, z and t to project instead of u; t is the time of the field.
  std::optional<std::string> of{};
  DeviceChoice device = DeviceChoice::automatic;
};

/// Writes the projection and a picture of it; returns exit_code::done. Collective.
///
/// The projection of a 3D field along z is a 2D field. Along another axis, the result has a single
/// point on that axis, at the first point of the field. A running projection has the field's grid.
/// A running integral is 0 at the first point, and a running mean is the value there. The gap that
/// closes a periodic axis is not part of them.
/// @throws InputError  if a file cannot be read or must not be written, if the field has no such
///                     axis, or if values of the expression are not finite
int project(mpi::Communicator const& ranks, ProjectOptions const& options);

}  // namespace isotherm::app
