#include "solver/discretise/finite_volumes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "decomposition/grid/point_name.hpp"
#include "kernels/core/number_text.hpp"
#include "solver/discretise/evaluate.hpp"
#include "solver/discretise/point_constraints.hpp"
#include "solver/discretise/shapes/face_shares.hpp"
#include "solver/discretise/shapes/films/surface_film.hpp"
#include "solver/discretise/shapes/link_conductivity.hpp"
#include "solver/discretise/shapes/open_shares.hpp"
#include "solver/problem/conditions.hpp"

namespace isotherm {

namespace {

/// Returns the value, or NaN if it is not a positive finite number.
double positive_or_nan(double value) {
  return value > 0.0 && std::isfinite(value) ? value : std::numeric_limits<double>::quiet_NaN();
}

/// Returns the factor from a coefficient, or from a conductivity times a derivative, to a flow at a
/// face point. Areas are in units of length^(dimension − 1), one length more than conductances.
double area_in_conductances(Grid const& grid, MediumUnits const& units, Face face, Index3 global) {
  return boundary_area(grid, units, face, global) / (units.conductivity / units.length);
}

/// Returns the coefficient of a Robin condition at a point of its face.
double coefficient_at(BoundaryCondition const& condition, Grid const& grid, Index3 global,
                      double time_s, double u) {
  if (!condition.radiation_factor) return value_at(condition.coefficient, grid, global, time_s, u);
  double const zero = condition.absolute_zero.value_or(0.0);
  double const there = value_at(condition.value, grid, global, time_s) - zero;
  return radiation_coefficient(*condition.radiation_factor, u - zero, there);
}

/// A point of a face at one time, and its value.
struct FacePoint {
  Face face;
  Index3 global;
  double time_s;
  double u;
};

/// Calls visit(flow, patch) with the flow that each condition of a point's face causes.
template <class Visit>
void for_each_flow(Problem const& problem, MediumUnits const& units, FacePoint const& point,
                   Visit const& visit) {
  Face const face = point.face;
  Index3 const global = point.global;
  double const time_s = point.time_s, u = point.u;
  Grid const& grid = problem.grid;
  double const area = area_in_conductances(grid, units, face, global);
  for_each_condition(
      problem, face, global, [&](BoundaryCondition const& condition, double share, int patch) {
        FaceFlow flow;
        // A face that lets nothing through needs no value.
        if (share == 0.0) return;
        double factor = 0.0;
        if (condition.kind == BoundaryKind::neumann && !condition.value.is_zero()) {
          factor = condition.is_flux ? 1.0 : conductivity_at(problem, face.axis, global, u, time_s);
        }
        if (condition.kind == BoundaryKind::robin) {
          factor = coefficient_at(condition, grid, global, time_s, u);
        }
        if (factor != 0.0) {
          double const value = value_at(condition.value, grid, global, time_s, u);
          flow.at_zero = share * factor * value * area;
          if (condition.kind == BoundaryKind::neumann) {
            flow.flux = flow.at_zero;
          } else {
            flow.conductance = share * factor * area;
            flow.ambient = value;
          }
        }
        visit(flow, patch);
      });
}

/// Adds the flow through a face to the values of those points that lie on it, among consecutive
/// points along x.
void add_inflow_through(Problem const& problem, MediumUnits const& units, Face face, Index3 first,
                        double time_s, std::span<double> values) {
  if (face.axis == 0) {  // only the first or the last point can lie on it
    if (face.upper) first.x += static_cast<std::int64_t>(values.size()) - 1;
    values = face.upper ? values.last(1) : values.first(1);
  }
  if (!lies_on(problem.grid, face, first)) return;
  for (double& value : values) {
    value += face_flow(problem, units, face, first, time_s).at_zero;
    ++first.x;
  }
}

/// Adds the heat that the mean gradient of a periodic axis drives through the links across its end,
/// to those of the points (consecutive along x) that lie next to it. If the field gains J over the
/// period, the neighbour beyond the upper end has the value of the first point plus J, and the one
/// before the lower end that of the last point minus J.
void add_inflow_of_gradient(Problem const& problem, MediumUnits const& units,
                            std::optional<LinkConductivity> const& links, int axis, Index3 first,
                            std::span<double> values) {
  std::int64_t const n = problem.grid.points[axis];
  double const gain = gain_over_period(problem, axis);
  auto const add = [&](Index3 here, std::int64_t partner, std::span<double> to) {
    Index3 there = here;
    there[axis] = partner;
    bool const is_last = partner == 0;
    std::vector<double> conductances(to.size());
    find_conductances(problem, units, links, axis, is_last ? here : there, conductances);
    for (std::size_t i = 0; i < to.size(); ++i, ++here.x, ++there.x) {
      // Insulated points conduct nothing.
      if (is_insulated_point(problem, here) || is_insulated_point(problem, there)) continue;
      to[i] += is_last ? conductances[i] * gain : -(conductances[i] * gain);
    }
  };
  if (axis == 0) {  // only the first and the last point can lie next to the end
    Index3 last = first;
    last.x += static_cast<std::int64_t>(values.size()) - 1;
    if (first.x == 0) add(first, n - 1, values.first(1));
    if (last.x == n - 1) add(last, 0, values.last(1));
    return;
  }
  if (first[axis] == 0) add(first, n - 1, values);
  if (first[axis] == n - 1) add(first, 0, values);
}

/// Adds the heat that films on the surfaces of fluids let in, if u = 0.
void add_inflow_of_films(Problem const& problem, MediumUnits const& units, Index3 first,
                         double time_s, std::span<double> values) {
  for (double& value : values) {
    for (SurfaceFilm const& film : films_at(problem, units, first)) {
      FixedRegion const& fluid = problem.medium.fixed[static_cast<std::size_t>(film.region)];
      value += film.conductance * value_at(fluid.value, problem.grid, first, time_s);
    }
    ++first.x;
  }
}

}  // namespace

PointFunction signed_conductivity(Problem const& problem, MediumUnits const& units,
                                  Subdomain const& subdomain, int axis) {
  return [&problem, axis, unit = units.conductivity, first = subdomain.owned_global().lower](
             Index3 local, std::span<double> values) {
    Index3 const global = local + first;
    std::array<int, PointFunction::maximum> constraints;  // NOLINT(*-member-init): found next
    find_constraints(problem, global, {constraints.data(), values.size()});
    evaluate_row(problem.medium.conductivity[axis], problem.grid, global, 0.0, values);
    for (std::size_t i = 0; i < values.size(); ++i) {
      // −0 conducts nothing; its sign bit distinguishes it from 0.
      if (constraints[i] == constraint::insulation) {
        values[i] = -0.0;
        continue;
      }
      double const value = positive_or_nan(problem.diffusivity * values[i]) / unit;
      // The sign marks points with a given value. Conductances use the magnitude.
      values[i] = constraints[i] == constraint::none ? value : -value;
    }
  };
}

PointFunction inverse_capacity(Problem const& problem, MediumUnits const& units,
                               Subdomain const& subdomain) {
  return [&problem, unit = units.capacity, first = subdomain.owned_global().lower](
             Index3 local, std::span<double> values) {
    evaluate_row(problem.medium.capacity, problem.grid, local + first, 0.0, values);
    for (double& value : values) value = unit / positive_or_nan(value);
  };
}

bool may_be_robin(Problem const& problem, Face face) {
  return is(problem, face, BoundaryKind::robin) || is_patched(problem, face);
}

void FaceFlow::add(FaceFlow const& other) {
  at_zero += other.at_zero;
  flux += other.flux;
  conductance += other.conductance;
  // The weighted mean of all ambient values; that of a single condition is exact.
  if (other.conductance > 0.0) {
    ambient += (other.ambient - ambient) * (other.conductance / conductance);
  }
}

FaceFlow face_flow(Problem const& problem, MediumUnits const& units, Face face, Index3 global,
                   double time_s, double u) {
  FaceFlow sum;
  for_each_flow(problem, units, {face, global, time_s, u},
                [&](FaceFlow const& flow, int) { sum.add(flow); });
  return sum;
}

std::vector<PatchFlow> patch_flows(Problem const& problem, MediumUnits const& units, Face face,
                                   Index3 global, double time_s, double u) {
  std::vector<PatchFlow> all;
  for_each_flow(problem, units, {face, global, time_s, u}, [&](FaceFlow const& flow, int patch) {
    auto found = std::ranges::find(all, patch, &PatchFlow::patch);
    if (found == all.end()) found = all.insert(found, {patch, {}});
    found->flow.add(flow);
  });
  return all;
}

double limit_at_given(Problem const& problem, MediumUnits const& units, Face face, Index3 global,
                      double time_s, double u) {
  double const total = face_flow(problem, units, face, global, time_s, u).conductance;
  std::int64_t const gap = global[face.axis] - (face.upper ? 1 : 0);
  double const maximum = conductivity_at(problem, face.axis, global, u, time_s) *
                         face_area(problem.grid, units, face.axis, global) /
                         problem.grid.conducting_gap(face.axis, gap) /
                         (units.conductivity / units.length);
  return total > maximum ? maximum / total : 1.0;
}

double robin_conductance(Problem const& problem, MediumUnits const& units, Face face,
                         Index3 global) {
  // Nothing flows through a face at an insulated point.
  if (is_insulated_point(problem, global)) return 0.0;
  double sum = 0.0;
  for_each_condition(
      problem, face, global, [&](BoundaryCondition const& condition, double share, int) {
        if (condition.kind != BoundaryKind::robin) return;
        double const coefficient = value_at(condition.coefficient, problem.grid, global);
        // NaN is found when the field is checked, and is reported with its point.
        sum += coefficient >= 0.0 ? share * coefficient : std::numeric_limits<double>::quiet_NaN();
      });
  return sum * area_in_conductances(problem.grid, units, face, global);
}

double reaction_of_volume(Problem const& problem, MediumUnits const& units, Index3 global) {
  if (problem.reaction.is_zero()) return 0.0;
  double const coefficient = value_at(problem.reaction, problem.grid, global);
  // NaN is found when the field is checked, and is reported with its point.
  if (!(coefficient >= 0.0)) return std::numeric_limits<double>::quiet_NaN();
  return coefficient / units.rate() * volume(problem.grid, units, global);
}

double reaction_term(Problem const& problem, MediumUnits const& units, Index3 global) {
  double const films =
      has_films_on_surfaces(problem) ? film_conductance(problem, units, global) : 0.0;
  return films + reaction_of_volume(problem, units, global);
}

PointFunction finite_volume_source(Problem const& problem, MediumUnits const& units,
                                   Subdomain const& subdomain, double time_s,
                                   RowFunction const* source) {
  return [&problem, units, time_s, source, all_faces = faces(problem.grid),
          has_films = has_films_on_surfaces(problem), has_gradient = has_mean_gradient(problem),
          links = has_mean_gradient(problem) ? link_conductivity(problem) : std::nullopt,
          widths = volume_widths(problem.grid, units, subdomain.owned_global()),
          first = subdomain.owned_global().lower](Index3 local, std::span<double> values) {
    Grid const& grid = problem.grid;
    Index3 const global = local + first;
    source != nullptr ? (*source)(global, time_s, values)
                      : evaluate_row(problem.source, grid, global, time_s, values);
    // The widths across a row are the same at all of its points.
    double const width_y = widths[1][static_cast<std::size_t>(local.y)];
    double const width_z = widths[2][static_cast<std::size_t>(local.z)];
    double const rate = units.rate();
    double const* const width_x = widths[0].data() + local.x;
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = values[i] / rate * (width_x[i] * width_y * width_z);
    }
    for (Face const face : all_faces) {
      add_inflow_through(problem, units, face, global, time_s, values);
    }
    if (has_films) add_inflow_of_films(problem, units, global, time_s, values);
    for (int axis = 0; has_gradient && axis < grid.dimension; ++axis) {
      if (gain_over_period(problem, axis) == 0.0) continue;
      add_inflow_of_gradient(problem, units, links, axis, global, values);
    }
  };
}

ValueRefusal reaction_refusal(Problem const& problem, Index3 global) {
  double const found = value_at(problem.reaction, problem.grid, global);
  return ValueRefusal({"equation.reaction", "the reaction coefficient is " + six_digits(found) +
                                                " at " + point_name(problem.grid, global) +
                                                " (it must be 0 or more everywhere)"});
}

ValueRefusal conductivity_refusal(Problem const& problem, int axis, Index3 global) {
  double const found = value_at(problem.medium.conductivity[axis], problem.grid, global);
  return ValueRefusal({"equation.conductivity", "the conductivity is " + six_digits(found) +
                                                    " at " + point_name(problem.grid, global) +
                                                    " (it must be a positive number everywhere)"});
}

ValueRefusal capacity_refusal(Problem const& problem, Index3 global) {
  double const found = value_at(problem.medium.capacity, problem.grid, global);
  return ValueRefusal({"equation.capacity", "the capacity is " + six_digits(found) + " at " +
                                                point_name(problem.grid, global) +
                                                " (it must be a positive number everywhere)"});
}

}  // namespace isotherm
