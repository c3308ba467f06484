#pragma once

#include <optional>
#include <string>

#include "jobs/case/case.hpp"
#include "jobs/post/result_file.hpp"

namespace isotherm {

/// What is made of the values on a line.
enum class Projection {
  integral,  ///< by the trapezoidal rule
  mean,      ///< the integral divided by the length
  sum,
  maximum,
  minimum
};

/// `isotherm project`: a field of one dimension less, of what lies along an axis.
struct ProjectOptions {
  FieldFiles files;
  int axis = 2;
  Projection projection = Projection::integral;
  /// An expression of u, x, y, z and t, to be projected instead of u.
  std::optional<std::string> of{};
  DeviceChoice device = DeviceChoice::automatic;
};

/// Writes the projection and a picture of it; returns 0. Of a 3D field along z it is a field in 2D;
/// along other axes it has one point on the axis, where the field's first one lies. Collective.
/// @throws InputError  where a file cannot be read or may not be written, the field has no such
///                     axis, or values of the expression are not finite
int project(mpi::Communicator const& ranks, ProjectOptions const& options);

}  // namespace isotherm
