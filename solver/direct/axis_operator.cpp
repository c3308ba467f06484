#include "solver/direct/axis_operator.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "kernels/transforms/axis_transform.hpp"
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

/// What the operator along an axis of a heterogeneous medium depends on.
struct AxisMedium {
  Problem const* problem;
  std::optional<LayeredMedium> const* layers;
  MediumUnits units;
  int axis;

  /// Returns true if the coefficients vary along the axis.
  [[nodiscard]] bool is_layered() const { return *layers && (*layers)->axis == axis; }
  /// Returns the conductance per area of the gap after point `index`, in units.
  [[nodiscard]] double gap(std::int64_t index) const {
    return gap_conductance(*problem, *layers, units, axis, index);
  }
  [[nodiscard]] double robin(bool upper) const {
    Face const face{axis, upper};
    if (!is_robin(*problem, face)) return 0.0;
    return relative_robin_conductance(*problem, *layers, units, face);
  }
};

/// Fills in the pencil of an axis. A gap to a Dirichlet point, and a Robin face, add to the
/// diagonal alone.
void set_pencil(AxisMedium const& medium, AxisOperator& along) {
  Grid const& grid = medium.problem->grid;
  std::int64_t const last = grid.points[medium.axis] - 1;
  for (std::int64_t n = 0; n < along.count; ++n) {
    std::int64_t const point = along.first + n;
    double const before = point > 0 ? medium.gap(point - 1) : medium.robin(false);
    double const after = point < last ? medium.gap(point) : medium.robin(true);
    bool const is_last = n + 1 == along.count;
    along.diagonal.push_back(before + after);
    along.ground.push_back((n == 0 ? before : 0.0) + (is_last ? after : 0.0));
    if (!is_last) along.off_diagonal.push_back(-after);
    double const width = volume_width(grid, medium.units, medium.axis, point);
    bool const is_layered = medium.is_layered();
    auto const p = static_cast<std::size_t>(point);
    along.widths.push_back(is_layered ? (*medium.layers)->across[p] * width : width);
    if (is_layered) along.volumes.push_back((*medium.layers)->capacity[p] * width);
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

/// Returns the operations per point of both transforms with dense matrices.
double dense_operations(Problem const& problem, AxisOperator const& along) {
  auto const n = static_cast<double>(std::max<std::int64_t>(along.count, 2));
  // A symmetric axis needs half of the products.
  bool const mirrored =
      along.ends && (*along.ends == AxisEnds::dirichlet || *along.ends == AxisEnds::neumann ||
                     *along.ends == AxisEnds::periodic);
  double const products = 2.0 * 2.0 * n * (mirrored ? 0.5 : 1.0);
  if (along.ends) return products;
  // The modes of a pencil take O(n³) operations, on one thread.
  return products + 30.0 * n * n * n / static_cast<double>(problem.grid.point_count());
}

/// Returns the tridiagonal systems of an axis of equal gaps. Volumes are half as large at Neumann
/// faces.
TridiagonalRows rows_of_equal_gaps(AxisOperator const& along) {
  auto const n = static_cast<std::size_t>(along.count);
  double const conductance = along.weight * along.width;
  TridiagonalRows rows{std::vector<double>(n - 1, conductance), std::vector<double>(n, 0.0),
                       std::vector<double>(n, along.width)};
  AxisEnds const ends = *along.ends;
  bool const per_volume = along.integration == Integration::per_volume;
  auto const close = [&](bool is_dirichlet, std::size_t point, double& factor) {
    if (is_dirichlet) {
      rows.ground[point] += conductance;
      return;
    }
    rows.weight[point] *= 0.5;
    if (per_volume) factor = 0.5;
  };
  close(ends == AxisEnds::dirichlet || ends == AxisEnds::dirichlet_neumann, 0, rows.first_factor);
  close(ends == AxisEnds::dirichlet || ends == AxisEnds::neumann_dirichlet, n - 1,
        rows.last_factor);
  return rows;
}

/// Returns true if a point of the axis conducts to a Dirichlet face or through a Robin face.
bool leads_to_ground(AxisOperator const& along) {
  if (!along.varies) return false;
  if (along.ends) return *along.ends != AxisEnds::neumann && *along.ends != AxisEnds::periodic;
  return std::ranges::any_of(along.ground, [](double ground) { return ground > 0.0; });
}

/// Returns true if slabs may cut the lines of an axis: see cuts_lines().
bool can_be_cut(Problem const& problem, SeparableOperator const& op, int axis, int ranks) {
  // A separator, at least two inner points, and one on a Dirichlet face.
  constexpr std::int64_t fewest_points = 4;
  Grid const& grid = problem.grid;
  return !grid.periodic[axis] && grid.points[axis] >= fewest_points * ranks &&
         std::ranges::any_of(op.along, leads_to_ground);
}

/// Returns the operators along all axes of a problem with these layers.
SeparableOperator operators_with(Problem const& problem, std::optional<LayeredMedium> const& layers,
                                 Backend backend) {
  SeparableOperator all;
  for (int axis = 0; axis < 3; ++axis) all.along[axis] = axis_operator(problem, layers, axis);
  if (layers) {
    all.tridiagonal = layers->axis;
    return all;
  }
  double most = 0.0;
  for (int axis = 0; axis < 3; ++axis) {
    AxisOperator const& along = all.along[axis];
    bool const has_systems = along.varies && along.count > 0 && !problem.grid.periodic[axis];
    if (!has_systems || is_by_fft(backend, along)) continue;
    double const operations = dense_operations(problem, along);
    if (operations < most) continue;
    most = operations;
    all.tridiagonal = axis;
  }
  return all;
}

/// Returns why a problem with these layers cannot be solved directly, or an empty text.
std::string obstacle_with(Problem const& problem, std::optional<LayeredMedium> const& layers) {
  Medium const& medium = problem.medium;
  auto const is_fluid = [](FixedRegion const& region) { return region.is_excluded; };
  if (!std::ranges::all_of(medium.fixed, is_fluid)) return "there is a [[fixed]] region";
  if (!medium.fixed.empty())
    return "there is an [[insulated]] region with [[convection]] or [[radiation]]";
  if (!medium.insulated.empty()) return "there is an [[insulated]] region";
  if (!problem.patches.empty()) return "there is a [[boundary.patch]]";
  if (!problem.reaction.is_zero()) return "there is a reaction coefficient";
  if (is_heterogeneous(problem)) {
    if (!layers && !is_separable(problem)) {
      return "the coefficients vary along several axes, a periodic axis or a face";
    }
  }
  auto const too_many = [&](int axis) {
    return std::string("axis ") + "xyz"[axis] + " has " +
           std::to_string(problem.grid.points[axis]) +
           " points, too many for a transform without fast Fourier transforms";
  };
  for (int axis = 0; axis < problem.grid.dimension; ++axis) {
    if (problem.grid.points[axis] > max_tridiagonal_points) return too_many(axis);
  }
  SeparableOperator const all = operators_with(problem, layers, Backend::cuda);
  for (int axis = 0; axis < problem.grid.dimension; ++axis) {
    AxisOperator const& along = all.along[axis];
    bool const is_dense =
        along.varies && axis != all.tridiagonal && !is_by_fft(Backend::cuda, along);
    if (is_dense && along.count > max_dense_points) return too_many(axis);
  }
  return {};
}

}  // namespace

AxisOperator axis_operator(Problem const& problem, std::optional<LayeredMedium> const& layers,
                           int axis) {
  Grid const& grid = problem.grid;
  AxisOperator along;
  bool const heterogeneous = is_heterogeneous(problem);
  if (heterogeneous) along.integration = Integration::integrated;
  AxisMedium const medium{&problem, &layers, heterogeneous ? medium_units(problem) : MediumUnits{},
                          axis};
  if (grid.points[axis] == 1) {
    // The width of a periodic axis of one point is a factor of all heat flows.
    if (heterogeneous) along.width = volume_width(grid, medium.units, axis, 0);
    return along;
  }
  along.varies = true;
  set_points(problem, axis, along);
  if (!has_closed_form(problem, axis) || medium.is_layered()) {
    set_pencil(medium, along);
    return along;
  }
  along.ends = ends_of(problem, axis);
  along.intervals = grid.intervals(axis);
  if (heterogeneous) {
    along.width = grid.gap(axis, 0) / medium.units.length;
    along.weight = medium.gap(0) / along.width;
  } else {
    along.weight = relaxation_weights(grid, problem.sigma)[axis];
  }
  return along;
}

int SeparableOperator::last_axis() const {
  if (tridiagonal >= 0) return tridiagonal;
  int last = 2;
  while (last >= 0 && !along[last].varies) --last;
  return last;
}

char const* SeparableOperator::kind(Backend backend, int axis) const {
  if (axis == tridiagonal) return TridiagonalSolve<double>::name();
  return is_by_fft(backend, along[axis]) ? FftTransform<double>::name()
                                         : DenseTransform<double>::name();
}

SeparableOperator separable_operator(Problem const& problem, Backend backend, int ranks) {
  SeparableOperator op = operators_with(problem, find_layers(problem), backend);
  int const last = op.last_axis();
  bool const is_free = op.tridiagonal < 0 && is_worth_distributing(problem, last, ranks);
  if (is_free && can_be_cut(problem, op, last, ranks)) op.tridiagonal = last;
  return op;
}

int axis_before(Grid const& grid, int last) {
  int axis = grid.dimension - 1;
  while (axis >= 0 && (axis == last || grid.points[axis] == 1)) --axis;
  return axis;
}

bool is_worth_distributing(Problem const& problem, int last, int ranks) {
  constexpr std::int64_t few_points = 1 << 15;
  Grid const& grid = problem.grid;
  int const other = axis_before(grid, last);
  return ranks > 1 && last >= 0 && other >= 0 && grid.points[last] >= ranks &&
         grid.points[other] >= ranks && grid.point_count() >= few_points;
}

bool cuts_lines(Problem const& problem, SeparableOperator const& op, int ranks) {
  int const axis = op.tridiagonal;
  return axis >= 0 && is_worth_distributing(problem, axis, ranks) &&
         can_be_cut(problem, op, axis, ranks);
}

std::string obstacle_to_direct(Problem const& problem) {
  if (coefficients_vary_in_time(problem)) return "a coefficient depends on t";
  if (is_nonlinear(problem)) return "a coefficient depends on u";
  return obstacle_with(problem, find_layers(problem));
}

TridiagonalRows tridiagonal_rows(AxisOperator const& along, double scale, double shift) {
  TridiagonalRows rows;
  if (along.ends) {
    rows = rows_of_equal_gaps(along);
  } else {
    for (double const off_diagonal : along.off_diagonal) rows.conductance.push_back(-off_diagonal);
    rows.ground = along.ground;
    rows.weight = along.widths;
  }
  for (double& conductance : rows.conductance) conductance *= scale;
  std::vector<double> const& volumes = along.volumes.empty() ? rows.weight : along.volumes;
  for (std::size_t p = 0; p < rows.ground.size(); ++p) {
    rows.ground[p] = scale * (rows.ground[p] + shift * volumes[p]);
  }
  return rows;
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
    AxisOperator const along = axis_operator(problem, std::nullopt, axis);
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
  if (sum > 0.0) return sum;
  // A steady reaction term determines the constants.
  bool const is_steady = problem.equation != Equation::diffusion;
  return is_steady && problem.sigma > 0.0 ? problem.sigma : smallest_step;
}

}  // namespace isotherm
