#include "solver/direct/axis_operator.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "kernels/transforms/dense/mode_matrices.hpp"
#include "kernels/transforms/fft/fft_transform.hpp"
#include "solver/level/medium/separable_conductance_rows.hpp"
#include "solver/multigrid/levels/coarsening.hpp"
#include "solver/problem/conditions.hpp"

namespace isotherm {

namespace {

bool is_dirichlet(Problem const& problem, Face face) {
  return is(problem, face, BoundaryKind::dirichlet);
}
bool is_robin(Problem const& problem, Face face) { return is(problem, face, BoundaryKind::robin); }

/// Returns the ends of an axis without Robin faces.
AxisEnds ends_of(Problem const& problem, int axis) {
  if (problem.grid.periodic[axis]) return AxisEnds::periodic;
  bool const lower = is_dirichlet(problem, {axis, false});
  bool const upper = is_dirichlet(problem, {axis, true});
  if (lower) return upper ? AxisEnds::dirichlet : AxisEnds::dirichlet_neumann;
  return upper ? AxisEnds::neumann_dirichlet : AxisEnds::neumann;
}

/// True if the modes along the axis are sines or cosines.
bool has_closed_form(Problem const& problem, int axis) {
  return !problem.grid.is_graded(axis) && !is_robin(problem, {axis, false}) &&
         !is_robin(problem, {axis, true});
}

/// Returns the conductance per area of the gap after point `index`, in units.
double gap_conductance(Problem const& problem, MediumUnits const& units, int axis,
                       std::int64_t index) {
  double const conductivity = problem.diffusivity * problem.medium.conductivity[axis].constant;
  return conductivity / units.conductivity * units.length / problem.grid.gap(axis, index);
}

/// Fills in the pencil of an axis. A gap to a Dirichlet point, and a Robin face, add to the
/// diagonal alone.
void set_pencil(Problem const& problem, MediumUnits const& units, int axis, AxisOperator& along) {
  Grid const& grid = problem.grid;
  std::int64_t const last = grid.points[axis] - 1;
  auto const robin = [&](bool upper) {
    Face const face{axis, upper};
    if (!is_robin(problem, face)) return 0.0;
    return condition(problem, face).coefficient.constant / (units.conductivity / units.length);
  };
  for (std::int64_t n = 0; n < along.count; ++n) {
    std::int64_t const point = along.first + n;
    double const before =
        point > 0 ? gap_conductance(problem, units, axis, point - 1) : robin(false);
    double const after = point < last ? gap_conductance(problem, units, axis, point) : robin(true);
    along.diagonal.push_back(before + after);
    if (n + 1 < along.count) along.off_diagonal.push_back(-after);
    along.widths.push_back(volume_width(grid, units, axis, point));
  }
}

/// Returns the number of unknown points along an axis, and the first of them.
void set_points(Problem const& problem, int axis, AxisOperator& along) {
  std::int64_t const points = problem.grid.points[axis];
  bool const periodic = problem.grid.periodic[axis];
  bool const lower = !periodic && is_dirichlet(problem, {axis, false});
  bool const upper = !periodic && is_dirichlet(problem, {axis, true});
  along.first = lower ? 1 : 0;
  along.count = std::max<std::int64_t>(points - (lower ? 1 : 0) - (upper ? 1 : 0), 0);
}

}  // namespace

std::string obstacle_to_direct(Problem const& problem) {
  Medium const& medium = problem.medium;
  if (!medium.fixed.empty()) return "there is a [[fixed]] region";
  if (!medium.insulated.empty()) return "there is an [[insulated]] region";
  if (!problem.patches.empty()) return "there is a [[boundary.patch]]";
  if (is_heterogeneous(problem)) {
    if (!is_separable(problem)) return "the coefficients vary within the grid or along a face";
    if (!has_given_values(problem)) return "no face gives values, and the coefficients are not 1";
  }
  for (int axis = 0; axis < problem.grid.dimension; ++axis) {
    std::int64_t const points = problem.grid.points[axis];
    bool const by_fft = has_closed_form(problem, axis) && points > 1 &&
                        FftTransform<double>::supports(Backend::cuda, ends_of(problem, axis),
                                                       problem.grid.intervals(axis));
    if (!by_fft && points > max_dense_points) {
      return std::string("axis ") + "xyz"[axis] + " has " + std::to_string(points) +
             " points, too many for a transform without fast Fourier transforms";
    }
  }
  return {};
}

AxisOperator axis_operator(Problem const& problem, int axis) {
  Grid const& grid = problem.grid;
  AxisOperator along;
  if (grid.points[axis] == 1) return along;
  along.varies = true;
  set_points(problem, axis, along);
  bool const heterogeneous = is_heterogeneous(problem);
  if (heterogeneous) along.integration = Integration::integrated;
  MediumUnits const units = heterogeneous ? medium_units(problem) : MediumUnits{};
  if (!has_closed_form(problem, axis)) {
    set_pencil(problem, units, axis, along);
    return along;
  }
  along.ends = ends_of(problem, axis);
  along.intervals = grid.intervals(axis);
  if (heterogeneous) {
    along.width = grid.gap(axis, 0) / units.length;
    along.weight = gap_conductance(problem, units, axis, 0) / along.width;
  } else {
    along.weight = relaxation_weights(grid, problem.sigma)[axis];
  }
  return along;
}

bool is_by_fft(Backend backend, AxisOperator const& along) {
  return along.ends && FftTransform<double>::supports(backend, *along.ends, along.intervals);
}

double smallest_eigenvalue(Problem const& problem) {
  // The smallest eigenvalue along each axis belongs to no or half a wave. Without a Dirichlet face,
  // the smallest one other than 0 is the next along one of the axes.
  double sum = 0.0;
  double smallest_step = std::numeric_limits<double>::infinity();
  for (int axis = 0; axis < problem.grid.dimension; ++axis) {
    AxisOperator const along = axis_operator(problem, axis);
    if (!along.varies) continue;
    double const h = problem.grid.spacing[axis];
    auto const eigenvalue = [&](double half_waves) {
      double const sine =
          std::sin(0.5 * std::numbers::pi * half_waves / static_cast<double>(along.intervals));
      return 4.0 * sine * sine / (h * h);
    };
    if (*along.ends == AxisEnds::dirichlet) sum += eigenvalue(1.0);
    if (*along.ends == AxisEnds::dirichlet_neumann || *along.ends == AxisEnds::neumann_dirichlet) {
      sum += eigenvalue(0.5);
    }
    if (*along.ends == AxisEnds::neumann) smallest_step = std::min(smallest_step, eigenvalue(1.0));
    if (*along.ends == AxisEnds::periodic) smallest_step = std::min(smallest_step, eigenvalue(2.0));
  }
  return sum > 0.0 ? sum : smallest_step;
}

double direct_operations_per_point(Problem const& problem) {
  if (!obstacle_to_direct(problem).empty()) return std::numeric_limits<double>::infinity();
  double operations = 0.0;
  for (int axis = 0; axis < problem.grid.dimension; ++axis) {
    AxisOperator const along = axis_operator(problem, axis);
    if (!along.varies) continue;
    bool const by_fft = is_by_fft(Backend::cuda, along);
    auto const n = static_cast<double>(std::max<std::int64_t>(along.count, 2));
    // To modes and back. A symmetric axis needs half of the products.
    bool const mirrored =
        along.ends && (*along.ends == AxisEnds::dirichlet || *along.ends == AxisEnds::neumann ||
                       *along.ends == AxisEnds::periodic);
    operations += by_fft ? 2.0 * 5.0 * std::log2(n) : 2.0 * 2.0 * n * (mirrored ? 0.5 : 1.0);
    // The modes of a pencil take O(n³) operations, on one thread.
    if (!along.ends) {
      operations += 30.0 * n * n * n / static_cast<double>(problem.grid.point_count());
    }
  }
  return operations;
}

}  // namespace isotherm
