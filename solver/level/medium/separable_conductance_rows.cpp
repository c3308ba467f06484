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
  Grid const& grid = problem.grid;
  double const place = face.upper ? grid.upper(face.axis) : grid.lower[face.axis];
  return condition(problem, face).coefficient.constant * grid.metric(face.axis, place) /
         (units.conductivity / units.length);
}

/// Returns the conductance per area between a point and the next one along an axis, or through the
/// Robin face beyond its ends; 0 further out.
template <class Real>
Real conductance_by_area(Problem const& problem, std::optional<LayeredMedium> const& layers,
                         MediumUnits const& units, int axis, std::int64_t index) {
  Grid const& grid = problem.grid;
  if (grid.points[axis] == 1) return 0;                // nothing varies along it
  std::int64_t const last = grid.intervals(axis) - 1;  // the first point of the last gap
  if (index >= 0 && index <= last) {
    if (layers) {
      return static_cast<Real>(gap_conductance(problem, layers, units, axis, index));
    }
    double const conductivity = problem.diffusivity * problem.medium.conductivity[axis].constant;
    return static_cast<Real>(conductivity / units.conductivity) *
           static_cast<Real>(units.length / grid.conducting_gap(axis, index));
  }
  bool const through_face = index == -1 || index == last + 1;
  Face const face{axis, index > last};
  if (!through_face || !is(problem, face, BoundaryKind::robin)) return 0;
  return static_cast<Real>(relative_robin_conductance(problem, layers, units, face));
}

/// Returns a number of a layer; 1 beyond the grid, and along the other axes.
double of_layer(std::vector<double> const& values, LayeredMedium const& layers, int axis,
                std::int64_t index) {
  bool const exists = axis == layers.axis && index >= 0 && index < std::ssize(values);
  return exists ? values[static_cast<std::size_t>(index)] : 1.0;
}

}  // namespace

bool is_separable(Problem const& problem) {
  Medium const& medium = problem.medium;
  // Everything that varies from point to point, or fixes points inside, excludes separability.
  if (!is_heterogeneous(problem) || medium.is_correction || !medium.fixed.empty() ||
      !medium.insulated.empty() || !problem.patches.empty() ||
      !std::ranges::all_of(medium.conductivity, is_positive_number) ||
      !is_positive_number(medium.capacity) || !problem.reaction.is_zero()) {
    return false;
  }
  MediumUnits const units = medium_units(problem);
  return std::ranges::all_of(faces(problem.grid),
                             [&](Face face) { return has_same_conductance(problem, units, face); });
}

bool has_same_conductance(Problem const& problem, MediumUnits const& units, Face face) {
  constexpr double maximum = 1e30;
  if (is_patched(problem, face)) return false;
  if (!is(problem, face, BoundaryKind::robin)) return true;
  ScalarFunction const& coefficient = condition(problem, face).coefficient;
  return coefficient.is_constant() && coefficient.constant >= 0.0 &&
         by_area(problem, units, face) < maximum;
}

double gap_conductance(Problem const& problem, std::optional<LayeredMedium> const& layers,
                       MediumUnits const& units, int axis, std::int64_t index) {
  if (layers && axis == layers->axis) return layers->conductance[static_cast<std::size_t>(index)];
  double const conductivity =
      layers
          ? layers->factor[axis]
          : problem.diffusivity * problem.medium.conductivity[axis].constant / units.conductivity;
  return conductivity * units.length / problem.grid.conducting_gap(axis, index);
}

double relative_robin_conductance(Problem const& problem,
                                  std::optional<LayeredMedium> const& layers,
                                  MediumUnits const& units, Face face) {
  double const conductance = by_area(problem, units, face);
  // Rows across the layers contain the conductivity, which is the same everywhere.
  bool const contains = layers && face.axis != layers->axis;
  return contains ? conductance / layers->across.front() : conductance;
}

template <class Real, int dimension>
SeparableConductanceRows<Real, dimension>::SeparableConductanceRows(Problem const& problem,
                                                                    FieldSpace<Real>& space)
    : SeparableConductanceRows(problem, find_layers(problem), medium_units(problem), space) {}

template <class Real, int dimension>
SeparableConductanceRows<Real, dimension>::SeparableConductanceRows(
    Problem const& problem, std::optional<LayeredMedium> const& layers, MediumUnits const& units,
    FieldSpace<Real>& space)
    : inverse_gap_(space,
                   [&](int axis, std::int64_t index) {
                     return conductance_by_area<Real>(problem, layers, units, axis, index);
                   }),
      width_(space,
             [&](int axis, std::int64_t index) {
               double const width = volume_width(problem.grid, units, axis, index);
               return layers ? width * of_layer(layers->across, *layers, axis, index) : width;
             }),
      inverse_width_(space, [&](int axis, std::int64_t index) {
        double const width = volume_width(problem.grid, units, axis, index);
        return 1.0 / (layers ? width * of_layer(layers->capacity, *layers, axis, index) : width);
      }) {
  require(layers || is_separable(problem), "the coefficients of the medium are not separable");
}

template class SeparableConductanceRows<float, 2>;
template class SeparableConductanceRows<float, 3>;
template class SeparableConductanceRows<double, 2>;
template class SeparableConductanceRows<double, 3>;

}  // namespace isotherm
