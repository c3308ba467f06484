#include "solver/level/medium/separable_conductance_rows.hpp"

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
double by_area(Problem const& problem, MediumUnits const& units, Face face) {
  return condition(problem, face).coefficient.constant / (units.conductivity / units.length);
}

/// Returns true if the conductance per area of a face is the same everywhere, or 0. Returns false
/// if the coefficient may overflow float32; the general operator then reports it.
bool is_separable(Problem const& problem, MediumUnits const& units, Face face) {
  constexpr double maximum = 1e30;
  if (is_patched(problem, face)) return false;
  if (!is(problem, face, BoundaryKind::robin)) return true;
  ScalarFunction const& coefficient = condition(problem, face).coefficient;
  return coefficient.is_constant() && coefficient.constant >= 0.0 &&
         by_area(problem, units, face) < maximum;
}

/// Returns the conductance per area between a point and the next one along an axis, or through the
/// Robin face beyond its ends; 0 further out.
template <class Real>
Real conductance_by_area(Problem const& problem, MediumUnits const& units, int axis,
                         std::int64_t index) {
  Grid const& grid = problem.grid;
  if (grid.points[axis] == 1) return 0;                // nothing varies along it
  std::int64_t const last = grid.intervals(axis) - 1;  // the first point of the last gap
  if (index >= 0 && index <= last) {
    double const conductivity = problem.diffusivity * problem.medium.conductivity[axis].constant;
    return static_cast<Real>(conductivity / units.conductivity) *
           static_cast<Real>(units.length / grid.gap(axis, index));
  }
  bool const through_face = index == -1 || index == last + 1;
  Face const face{axis, index > last};
  if (!through_face || !is(problem, face, BoundaryKind::robin)) return 0;
  return static_cast<Real>(by_area(problem, units, face));
}

}  // namespace

bool is_separable(Problem const& problem) {
  Medium const& medium = problem.medium;
  // Everything that varies from point to point, or fixes points inside, excludes separability.
  if (!is_heterogeneous(problem) || medium.is_correction || !medium.fixed.empty() ||
      !medium.insulated.empty() || !problem.patches.empty() ||
      !std::ranges::all_of(medium.conductivity, is_positive_number) ||
      !is_positive_number(medium.capacity)) {
    return false;
  }
  MediumUnits const units = medium_units(problem);
  return std::ranges::all_of(faces(problem.grid),
                             [&](Face face) { return is_separable(problem, units, face); });
}

template <class Real, int dimension>
SeparableConductanceRows<Real, dimension>::SeparableConductanceRows(Problem const& problem,
                                                                    FieldSpace<Real>& space)
    : SeparableConductanceRows(problem, medium_units(problem), space) {
  require(is_separable(problem), "the coefficients of the medium are not separable");
}

template <class Real, int dimension>
SeparableConductanceRows<Real, dimension>::SeparableConductanceRows(Problem const& problem,
                                                                    MediumUnits const& units,
                                                                    FieldSpace<Real>& space)
    : inverse_gap_(space,
                   [&](int axis, std::int64_t index) {
                     return conductance_by_area<Real>(problem, units, axis, index);
                   }),
      width_(space,
             [&](int axis, std::int64_t index) {
               return volume_width(problem.grid, units, axis, index);
             }),
      inverse_width_(space, [&](int axis, std::int64_t index) {
        return 1.0 / volume_width(problem.grid, units, axis, index);
      }) {}

template class SeparableConductanceRows<float, 2>;
template class SeparableConductanceRows<float, 3>;
template class SeparableConductanceRows<double, 2>;
template class SeparableConductanceRows<double, 3>;

}  // namespace isotherm
