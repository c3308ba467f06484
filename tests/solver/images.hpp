#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "tests/support/bodies.hpp"

// Images of a problem: the same physics in other coordinates or units, or with a constant added to
// all values. The solution of an image is the image of the solution.

namespace isotherm::test {

/// The transformation from a problem to its image. Its order: mirror and shift axes, permute axes,
/// change units, add a constant.
struct Image {
  PerAxis<int> axis{0, 1, 2};       ///< the axis of the image that each axis becomes
  PerAxis<bool> mirrored{};         ///< by axis of the problem: the first point becomes the last
  PerAxis<std::int64_t> shifted{};  ///< by axis of the problem, periodic ones only: in points
  double length = 1.0;              ///< factor of coordinates
  double value = 1.0;               ///< factor of the field
  double offset = 0.0;              ///< is added to the field
  double conductivity = 1.0;        ///< factor of conductivities
  double time = 1.0;                ///< factor of times; diffusion only
};

/// The meaning of a function of a problem.
enum class Role { value, derivative, coefficient, conductivity, capacity, source };

/// Calls visit(role, function) for all functions of a problem, always in the same order.
template <class Visit>
void for_each_function(Problem& problem, Visit const& visit) {
  auto const visit_condition = [&](BoundaryCondition& condition) {
    if (condition.kind == BoundaryKind::periodic) return;
    visit(condition.kind == BoundaryKind::neumann ? Role::derivative : Role::value,
          condition.value);
    if (condition.kind == BoundaryKind::robin) visit(Role::coefficient, condition.coefficient);
  };
  for (Face const face : faces(problem.grid)) visit_condition(problem.boundary[face]);
  for (BoundaryPatch& patch : problem.patches) visit_condition(patch.condition);
  for (FixedRegion& fixed : problem.medium.fixed) visit(Role::value, fixed.value);
  for (int axis = 0; axis < 3; ++axis) {
    visit(Role::conductivity, problem.medium.conductivity[axis]);
  }
  visit(Role::capacity, problem.medium.capacity);
  visit(Role::source, problem.source);
  visit(Role::value, problem.initial.value);
}

/// A coordinate of an axis whose first and last point are exchanged.
inline double mirrored(Grid const& grid, int axis, double coordinate) {
  return grid.lower[axis] + grid.coordinate(axis, grid.points[axis] - 1) - coordinate;
}

/// The coordinates in the problem of a place in its image.
class PlaceInProblem {
 public:
  PlaceInProblem(Grid grid, Image const& image) : grid_(std::move(grid)), image_(image) {}

  std::array<double, 3> operator()(double x, double y, double z) const {
    std::array<double, 3> const in_image{x, y, z};
    std::array<double, 3> place{};
    for (int axis = 0; axis < 3; ++axis) {
      auto const to = static_cast<std::size_t>(image_.axis[axis]);
      place[static_cast<std::size_t>(axis)] = along(axis, in_image[to] / image_.length);
    }
    return place;
  }

 private:
  [[nodiscard]] double along(int axis, double coordinate) const {
    if (axis >= grid_.dimension) return coordinate;
    double const lower = grid_.lower[axis], upper = grid_.upper(axis);
    double place = image_.mirrored[axis] ? mirrored(grid_, axis, coordinate) : coordinate;
    if (!grid_.periodic[axis]) return place;
    place -= static_cast<double>(image_.shifted[axis]) * grid_.spacing[axis];
    double const margin = 1e-9 * grid_.spacing[axis];
    while (place < lower - margin) place += upper - lower;
    while (place >= upper - margin) place -= upper - lower;
    return place;
  }

  Grid grid_;
  Image image_;
};

/// The point of the image that a point becomes.
inline Index3 image_of(Index3 point, Grid const& grid, Image const& image) {
  Index3 result;
  for (int axis = 0; axis < 3; ++axis) {
    std::int64_t const n = grid.points[axis];
    std::int64_t index = point[axis];
    if (image.mirrored[axis]) index = n - 1 - index;
    if (grid.periodic[axis]) index = ((index + image.shifted[axis]) % n + n) % n;
    result[image.axis[axis]] = index;
  }
  return result;
}

inline Face image_of(Face face, Image const& image) {
  return {image.axis[face.axis], face.upper != image.mirrored[face.axis]};
}

inline Grid image_of(Grid const& grid, Image const& image) {
  Grid result = grid;
  for (int axis = 0; axis < grid.dimension; ++axis) {
    int const to = image.axis[axis];
    result.points[to] = grid.points[axis];
    result.lower[to] = grid.lower[axis] * image.length;
    result.spacing[to] = grid.spacing[axis] * image.length;
    result.periodic[to] = grid.periodic[axis];
    result.graded[to] = {};
  }
  for (int axis = 0; axis < grid.dimension; ++axis) {
    if (!grid.is_graded(axis)) continue;
    std::vector<double> coordinates = coordinates_of(grid, axis);
    if (image.mirrored[axis]) std::ranges::reverse(coordinates);
    for (double& at : coordinates) {
      if (image.mirrored[axis]) at = mirrored(grid, axis, at);
      at *= image.length;
    }
    result = with_coordinates(result, image.axis[axis], coordinates);
  }
  return result;
}

/// Factor of diffusivity times conductivity. In diffusion a unit of time changes the diffusivity.
inline double conduction_factor(Problem const& problem, Image const& image) {
  bool const in_time = problem.equation == Equation::diffusion;
  return image.conductivity * (in_time ? image.length * image.length / image.time : 1.0);
}

/// Factor of what flows through faces, into fixed regions and from the source.
inline double flow_factor(Problem const& problem, Image const& image) {
  return conduction_factor(problem, image) * image.value *
         std::pow(image.length, problem.grid.dimension - 2);
}

inline Problem image_of(Problem const& problem, Image const& image) {
  Problem result = problem;
  PlaceInProblem const place(problem.grid, image);
  double const conduction = conduction_factor(problem, image);
  double const length = image.length;

  for_each_function(result, [&](Role role, ScalarFunction& function) {
    double factor = 1.0;
    if (role == Role::value) factor = image.value;
    if (role == Role::derivative) factor = image.value / length;
    if (role == Role::coefficient) factor = conduction / length;
    if (role == Role::conductivity || role == Role::capacity) factor = image.conductivity;
    if (role == Role::source) factor = conduction * image.value / (length * length);
    double const offset = role == Role::value ? image.offset : 0.0;
    function.constant = function.constant * factor + offset;
    if (function.is_constant()) return;
    function.evaluate = [=, time = image.time, original = function.evaluate](double x, double y,
                                                                             double z, double t) {
      auto const at = place(x, y, z);
      return original(at[0], at[1], at[2], t / time) * factor + offset;
    };
  });
  result.mean = problem.mean * image.value + image.offset;
  if (problem.equation == Equation::diffusion) result.diffusivity *= length * length / image.time;

  auto const move = [&](Region& region) {
    region.contains = [place, original = region.contains](double x, double y, double z) {
      auto const at = place(x, y, z);
      return original(at[0], at[1], at[2]);
    };
  };
  for (BoundaryPatch& patch : result.patches) {
    patch.face = image_of(patch.face, image);
    move(patch.where);
  }
  for (FixedRegion& fixed : result.medium.fixed) move(fixed.where);
  for (Region& insulated : result.medium.insulated) move(insulated);

  Problem const moved = result;
  result.grid = image_of(problem.grid, image);
  for (int axis = 0; axis < problem.grid.dimension; ++axis) {
    result.medium.conductivity[image.axis[axis]] = moved.medium.conductivity[axis];
    for (bool const upper : {false, true}) {
      Face const face{axis, upper};
      result.boundary[image_of(face, image)] = moved.boundary[face];
    }
  }
  auto const along = [&](int axis, double at) {
    return (image.mirrored[axis] ? mirrored(problem.grid, axis, at) : at) * length;
  };
  for (InitialBox& box : result.initial.boxes) {
    InitialBox const original = box;
    for (int axis = 0; axis < problem.grid.dimension; ++axis) {
      double const a = along(axis, original.lower[axis]), b = along(axis, original.upper[axis]);
      box.lower[image.axis[axis]] = std::min(a, b);
      box.upper[image.axis[axis]] = std::max(a, b);
    }
    box.value = original.value * image.value + image.offset;
  }
  for (Gaussian& gaussian : result.initial.gaussians) {
    Gaussian const original = gaussian;
    for (int axis = 0; axis < problem.grid.dimension; ++axis) {
      gaussian.center[image.axis[axis]] = along(axis, original.center[axis]);
    }
    gaussian.width *= length;
    gaussian.height *= image.value;
  }
  return result;
}

inline MethodSettings image_of(MethodSettings method, Image const& image) {
  method.time_step_s *= image.time;
  return method;
}

}  // namespace isotherm::test
