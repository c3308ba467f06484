#pragma once

#include <optional>
#include <string>

#include "app/post/fields/result_file.hpp"
#include "case/case.hpp"

/// Projection: the values on each line along an axis are reduced to one value, for example ∫ u dz,
/// the mean, or the maximum. Integrals use the trapezoidal rule.
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
/// dimension less.
struct ProjectOptions {
  FieldFiles files;
  int axis = 2;  ///< 0, 1 or 2 for x, y or z
  Projection projection = Projection::integral;
  /// An expression of u, x, y, z and t to project instead of u; t is the time of the field.
  std::optional<std::string> of{};
  DeviceChoice device = DeviceChoice::automatic;
};

/// Writes the projection and a picture of it; returns exit_code::done. Collective.
///
/// The projection of a 3D field along z is a 2D field. Along another axis, the result has a single
/// point on that axis, at the first point of the field.
/// @throws InputError  if a file cannot be read or must not be written, if the field has no such
///                     axis, or if values of the expression are not finite
int project(mpi::Communicator const& ranks, ProjectOptions const& options);

}  // namespace isotherm::app
