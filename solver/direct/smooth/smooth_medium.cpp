#include "solver/direct/smooth/smooth_medium.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "solver/direct/axis_operator.hpp"
#include "solver/discretise/medium_units.hpp"
#include "solver/problem/conditions.hpp"

namespace isotherm {

namespace {

/// Limits of the ratio of the conductivities of two neighbouring points, and of all points.
constexpr double largest_step = 1.5;
constexpr double largest_ratio = 1000.0;

/// The conductivity of the homogeneous medium. It cancels, but a conductivity of 1 would select the
/// operator for constant coefficients, which is divided by volumes.
constexpr double reference_conductivity = 2.0;

/// The variation of the conductivity along lines of the grid.
struct Variation {
  double smallest = std::numeric_limits<double>::infinity();
  double largest = 0.0;
  double step = 1.0;  ///< largest ratio between neighbours

  [[nodiscard]] double ratio() const { return largest / smallest; }
};

/// Adds the conductivities of pairs of neighbours on the line along `axis` through a point: of all
/// of them, or of 65536 to 131072 on longer lines. Those that are not positive numbers make the
/// ratio infinite.
void add_line(Problem const& problem, int axis, Index3 point, Variation& variation) {
  constexpr std::int64_t pair_limit = 65536;
  std::int64_t const last = problem.grid.points[axis] - 1;
  std::int64_t const stride = std::max<std::int64_t>(1, last / pair_limit);
  auto const at = [&](std::int64_t i) {
    point[axis] = i;
    return conductivity_at(problem, 0, point);
  };
  double here = at(0);
  for (std::int64_t i = 0; i < last; i += stride) {
    if (stride > 1) here = at(i);
    double const next = at(i + 1);
    for (double const value : {here, next}) {
      if (!(value > 0.0) || !std::isfinite(value)) {
        variation.step = std::numeric_limits<double>::infinity();
        return;
      }
      variation.smallest = std::min(variation.smallest, value);
      variation.largest = std::max(variation.largest, value);
    }
    variation.step = std::max({variation.step, here / next, next / here});
    here = next;
  }
}

/// Returns the variation on up to 5 · 5 lines along each axis.
Variation sample(Problem const& problem) {
  constexpr int parts = 4;
  Extent3 const n = problem.grid.points;
  Variation variation;
  for (int axis = 0; axis < 3; ++axis) {
    if (n[axis] == 1) continue;
    int const first = (axis + 1) % 3;
    int const second = (axis + 2) % 3;
    for (int a = 0; a <= (n[first] > 1 ? parts : 0); ++a) {
      for (int b = 0; b <= (n[second] > 1 ? parts : 0); ++b) {
        Index3 point{};
        point[first] = (n[first] - 1) * a / parts;
        point[second] = (n[second] - 1) * b / parts;
        add_line(problem, axis, point, variation);
      }
    }
  }
  return variation;
}

/// Returns the mean of the coefficient of a Robin face over the conductivity, from up to 9 · 9
/// points of the face.
double relative_coefficient(Problem const& problem, Face face) {
  constexpr int parts = 8;
  Grid const& grid = problem.grid;
  Extent3 const n = grid.points;
  int const first = (face.axis + 1) % 3;
  int const second = (face.axis + 2) % 3;
  double sum = 0.0;
  int count = 0;
  for (int a = 0; a <= (n[first] > 1 ? parts : 0); ++a) {
    for (int b = 0; b <= (n[second] > 1 ? parts : 0); ++b, ++count) {
      Index3 point{};
      point[first] = (n[first] - 1) * a / parts;
      point[second] = (n[second] - 1) * b / parts;
      point[face.axis] = face.upper ? n[face.axis] - 1 : 0;
      sum += condition(problem, face)
                 .coefficient(grid.coordinate(0, point.x), grid.coordinate(1, point.y),
                              grid.coordinate(2, point.z), 0.0) /
             conductivity_at(problem, 0, point);
    }
  }
  return sum / count;
}

}  // namespace

std::string obstacle_to_preconditioner(Problem const& problem) {
  Medium const& medium = problem.medium;
  if (!medium.isotropic && problem.grid.dimension > 1 &&
      !std::ranges::all_of(medium.conductivity, &ScalarFunction::is_constant)) {
    return "the conductivity varies and depends on the direction";
  }
  if (is_nonlinear(problem)) return "a coefficient depends on u";
  if (!problem.reaction.is_zero()) return "there is a reaction coefficient";
  if (!medium.contacts.empty()) return "there is a [[contact]]";
  if (!has_given_values(problem)) return "no face gives values, and the coefficients are not 1";
  Variation const variation = sample(problem);
  if (!(variation.step <= largest_step)) return "the conductivity is not smooth";
  if (!(variation.ratio() <= largest_ratio)) return "the conductivity varies too much";
  return obstacle_to_direct(smooth_reference(problem));
}

Problem smooth_reference(Problem const& problem) {
  Problem reference = problem;
  reference.medium = Medium{};
  // Constant conductivities may depend on the direction.
  PerAxis<ScalarFunction> const& given = problem.medium.conductivity;
  bool const is_constant = std::ranges::all_of(given, &ScalarFunction::is_constant);
  for (int axis = 0; axis < 3; ++axis) {
    double const relative = is_constant ? given[axis].constant / given[0].constant : 1.0;
    reference.medium.conductivity[axis] = reference_conductivity * relative;
  }
  reference.medium.fixed = problem.medium.fixed;
  reference.medium.insulated = problem.medium.insulated;
  reference.diffusivity = 1.0;
  for (Face const face : faces(problem.grid)) {
    if (!is(problem, face, BoundaryKind::robin)) continue;
    reference.boundary[face].coefficient =
        reference_conductivity * relative_coefficient(problem, face);
  }
  return reference;
}

}  // namespace isotherm
