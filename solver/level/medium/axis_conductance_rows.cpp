#include "solver/level/medium/axis_conductance_rows.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/core/error.hpp"
#include "solver/problem/conditions.hpp"

namespace isotherm {

namespace {

/// True for a positive finite constant.
bool is_positive_number(ScalarFunction const& function) {
  return function.is_constant() && function.constant > 0.0 && std::isfinite(function.constant);
}

/// Returns the conductance per area of a Robin face, its coefficient, in units.
double by_area(Problem const& problem, BodyUnits const& units, Face face) {
  return condition(problem, face).coefficient.constant / (units.conductivity / units.length);
}

/// Returns true if a face conducts alike everywhere or not at all. Coefficients too large for the
/// field's precision are left to the code that reports them.
bool conducts_alike(Problem const& problem, BodyUnits const& units, Face face) {
  constexpr double most = 1e30;
  if (is_patched(problem, face)) return false;
  if (!is(problem, face, BoundaryKind::robin)) return true;
  ScalarFunction const& coefficient = condition(problem, face).coefficient;
  return coefficient.is_constant() && coefficient.constant >= 0.0 &&
         by_area(problem, units, face) < most;
}

/// Returns the conductance per area between a point and the next one along an axis, or through the
/// Robin face beyond its ends; 0 further out.
template <class Real>
Real conductance_by_area(Problem const& problem, BodyUnits const& units, int axis,
                         std::int64_t index) {
  Grid const& grid = problem.grid;
  if (grid.points[axis] == 1) return 0;                // nothing varies along it
  std::int64_t const last = grid.intervals(axis) - 1;  // the first point of the last gap
  if (index >= 0 && index <= last) {
    double const conductivity = problem.diffusivity * problem.body.conductivity[axis].constant;
    return static_cast<Real>(conductivity / units.conductivity) *
           static_cast<Real>(units.length / grid.gap(axis, index));
  }
  bool const through_face = index == -1 || index == last + 1;
  Face const face{axis, index > last};
  if (!through_face || !is(problem, face, BoundaryKind::robin)) return 0;
  return static_cast<Real>(by_area(problem, units, face));
}

}  // namespace

bool conducts_alike(Problem const& problem) {
  Body const& body = problem.body;
  // Everything that varies from point to point, or fixes points inside, excludes separability.
  if (!has_body(problem) || body.is_correction || !body.fixed.empty() || !body.insulated.empty() ||
      !problem.patches.empty() || !std::ranges::all_of(body.conductivity, is_positive_number) ||
      !is_positive_number(body.capacity)) {
    return false;
  }
  BodyUnits const units = body_units(problem);
  return std::ranges::all_of(faces(problem.grid),
                             [&](Face face) { return conducts_alike(problem, units, face); });
}

template <class Real, int dimension>
AxisConductanceRows<Real, dimension>::AxisConductanceRows(Problem const& problem,
                                                          FieldSpace<Real>& space)
    : AxisConductanceRows(problem, body_units(problem), space) {
  require(conducts_alike(problem), "the coefficients of the medium are not separable");
}

template <class Real, int dimension>
AxisConductanceRows<Real, dimension>::AxisConductanceRows(Problem const& problem,
                                                          BodyUnits const& units,
                                                          FieldSpace<Real>& space)
    : per_gap_(space,
               [&](int axis, std::int64_t index) {
                 return conductance_by_area<Real>(problem, units, axis, index);
               }),
      width_(space,
             [&](int axis, std::int64_t index) {
               return volume_width(problem.grid, units, axis, index);
             }),
      per_width_(space, [&](int axis, std::int64_t index) {
        return 1.0 / volume_width(problem.grid, units, axis, index);
      }) {}

template class AxisConductanceRows<float, 2>;
template class AxisConductanceRows<float, 3>;
template class AxisConductanceRows<double, 2>;
template class AxisConductanceRows<double, 3>;

}  // namespace isotherm
