#include "solver/discretise/finite_volumes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <optional>
#include <vector>

#include "decomposition/grid/point_name.hpp"
#include "kernels/conduction/face_conductances.hpp"
#include "kernels/core/text.hpp"
#include "solver/discretise/evaluate.hpp"
#include "solver/problem/conditions.hpp"

namespace isotherm {

bool lies_on(Grid const& grid, Face face, Index3 global) {
  return global[face.axis] == (face.upper ? grid.points[face.axis] - 1 : 0);
}

BoundaryCondition const& condition_at_point(Problem const& problem, Face face, Index3 global) {
  if (problem.patches.empty()) return condition(problem, face);
  auto const [x, y, z] = coordinates(problem.grid, global);
  return condition_at(problem, face, x, y, z);
}

namespace {

/// The power of two next to a number.
double power_near(double size) {
  return size > 0.0 && std::isfinite(size) ? std::exp2(std::round(std::log2(size))) : 1.0;
}

double at(ScalarFunction const& function, Grid const& grid, Index3 global, double time_s = 0.0) {
  if (function.is_constant()) return function.constant;
  auto const [x, y, z] = coordinates(grid, global);
  return function(x, y, z, time_s);
}

/// Where an axis is periodic, indices beyond its ends are those of the other end.
Index3 on_grid(Grid const& grid, Index3 global) {
  for (int axis = 0; axis < 3; ++axis) {
    if (!grid.periodic[axis]) continue;
    std::int64_t const n = grid.points[axis];
    global[axis] = (global[axis] % n + n) % n;
  }
  return global;
}

/// Most points do not, and are asked often.
bool lies_on_any_end(Grid const& grid, Index3 global) {
  for (int axis = 0; axis < grid.dimension; ++axis) {
    if (global[axis] == 0 || global[axis] == grid.points[axis] - 1) return true;
  }
  return false;
}

/// The one that gives a point its value, of those that keep their values as a whole.
std::optional<Face> dirichlet_face_at(Problem const& problem, Index3 global) {
  if (!lies_on_any_end(problem.grid, global)) return std::nullopt;
  for (Face const face : faces(problem.grid)) {
    if (lies_on(problem.grid, face, global) && keeps_its_values(problem, face)) return face;
  }
  return std::nullopt;
}

bool lies_on_dirichlet_face(Problem const& problem, Index3 global) {
  return dirichlet_face_at(problem, global).has_value();
}

/// The first face whose condition at the point gives it its value, where not all of its points have
/// one.
std::optional<Face> patched_face_at(Problem const& problem, Index3 global) {
  if (problem.patches.empty() || !lies_on_any_end(problem.grid, global)) return std::nullopt;
  for (Face const face : faces(problem.grid)) {
    if (!lies_on(problem.grid, face, global) || keeps_its_values(problem, face)) continue;
    bool const gives = condition_at_point(problem, face, global).kind == BoundaryKind::dirichlet;
    if (gives) return face;
  }
  return std::nullopt;
}

/// The last one that contains a point.
std::optional<int> fixed_region_at(Problem const& problem, Index3 global) {
  std::optional<int> last;
  if (problem.body.fixed.empty()) return last;
  auto const [x, y, z] = coordinates(problem.grid, global);
  int number = 0;
  for (FixedRegion const& region : problem.body.fixed) {
    if (region.where.contains(x, y, z)) last = number;
    ++number;
  }
  return last;
}

double positive_or_nan(double value) {
  return value > 0.0 && std::isfinite(value) ? value : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

double BodyUnits::conductance() const {
  return dimension == 3 ? conductivity * length : conductivity;
}

namespace {

/// Of the conductivities along x at some points that take part.
struct Extremes {
  double smallest = std::numeric_limits<double>::infinity();
  double largest = 0.0;
};

Extremes extremes_of_some(Problem const& problem) {
  constexpr int parts = 8;
  Extent3 const n = problem.grid.points;
  auto const place = [&](int axis, int part) { return (n[axis] - 1) * part / parts; };
  Extremes of;
  for (int k = 0; k <= parts; ++k) {
    for (int j = 0; j <= parts; ++j) {
      for (int i = 0; i <= parts; ++i) {
        Index3 const point{place(0, i), place(1, j), place(2, k)};
        if (is_insulated(problem, point)) continue;
        double const found = conductivity_at(problem, 0, point);
        if (!(found > 0.0) || !std::isfinite(found)) continue;
        of.smallest = std::min(of.smallest, found);
        of.largest = std::max(of.largest, found);
      }
    }
  }
  return of;
}

}  // namespace

BodyUnits body_units(Problem const& problem) {
  Grid const& grid = problem.grid;
  BodyUnits units;
  units.dimension = grid.dimension;
  double sum = 0.0;
  int axes = 0;
  for (int axis = 0; axis < grid.dimension; ++axis) {
    if (grid.points[axis] == 1) continue;
    sum += std::log2(grid.spacing[axis]);
    ++axes;
  }
  if (axes > 0) units.length = std::exp2(std::round(sum / axes));
  units.conductivity = power_near(extremes_of_some(problem).largest);
  Index3 const middle{grid.points.x / 2, grid.points.y / 2, grid.points.z / 2};
  // A capacity that is the same everywhere is the unit itself, so that nothing is left of it.
  ScalarFunction const& capacity = problem.body.capacity;
  bool const same = capacity.is_constant() && capacity.constant > 0.0;
  units.capacity = same ? capacity.constant : power_near(at(capacity, grid, middle));
  return units;
}

double conductivity_ratio(Problem const& problem) {
  Extremes const of = extremes_of_some(problem);
  return of.largest > 0.0 ? of.largest / of.smallest : 1.0;
}

double volume_width(Grid const& grid, BodyUnits const& units, int axis, std::int64_t index) {
  std::int64_t const n = grid.points[axis];
  bool const wraps = grid.periodic[axis];
  if (axis >= grid.dimension || (n == 1 && !wraps)) return 1.0;
  double const before = wraps || index > 0 ? grid.gap(axis, (index - 1 + n) % n) : 0.0;
  double const after = wraps || index < n - 1 ? grid.gap(axis, (index + n) % n) : 0.0;
  return 0.5 * (before + after) / units.length;
}

double volume(Grid const& grid, BodyUnits const& units, Index3 global) {
  double product = 1.0;
  for (int axis = 0; axis < grid.dimension; ++axis) {
    product *= volume_width(grid, units, axis, global[axis]);
  }
  return product;
}

double face_area(Grid const& grid, BodyUnits const& units, int axis, Index3 global) {
  double product = 1.0;
  for (int other = 0; other < grid.dimension; ++other) {
    if (other != axis) product *= volume_width(grid, units, other, global[other]);
  }
  return product;
}

double conductivity_at(Problem const& problem, int axis, Index3 global) {
  return problem.diffusivity * at(problem.body.conductivity[axis], problem.grid, global);
}

ScalarFunction const* fixed_value(Problem const& problem, Index3 global) {
  if (auto const face = patched_face_at(problem, global)) {
    return &condition_at_point(problem, *face, global).value;
  }
  auto const region = fixed_region_at(problem, global);
  return region ? &problem.body.fixed[static_cast<std::size_t>(*region)].value : nullptr;
}

bool is_insulated(Problem const& problem, Index3 global) {
  if (problem.body.insulated.empty()) return false;
  auto const [x, y, z] = coordinates(problem.grid, global);
  return std::ranges::any_of(
      problem.body.insulated,
      [&, x = x, y = y, z = z](Region const& region) { return region.contains(x, y, z); });
}

bool keeps_value(Problem const& problem, Index3 global) {
  return lies_on_dirichlet_face(problem, global) || fixed_value(problem, global) != nullptr ||
         is_insulated(problem, global);
}

int keeper_of(Problem const& problem, Index3 global) {
  if (auto const face = dirichlet_face_at(problem, global)) return face->index();
  if (auto const face = patched_face_at(problem, global)) return face->index();
  if (auto const region = fixed_region_at(problem, global)) {
    return keeper::first_region + *region;
  }
  return is_insulated(problem, global) ? keeper::insulation : keeper::none;
}

PointFunction signed_conductivity(Problem const& problem, Subdomain const& subdomain, int axis) {
  return [problem, axis, unit = body_units(problem).conductivity,
          first = subdomain.owned_global().lower](Index3 local) {
    Index3 const global = local + first;
    bool const fixed =
        fixed_value(problem, global) != nullptr || lies_on_dirichlet_face(problem, global);
    if (!fixed && is_insulated(problem, global)) return -0.0;
    double const value = positive_or_nan(conductivity_at(problem, axis, global)) / unit;
    return fixed ? -value : value;
  };
}

PointFunction per_capacity(Problem const& problem, Subdomain const& subdomain) {
  return [capacity = problem.body.capacity, grid = problem.grid,
          unit = body_units(problem).capacity, first = subdomain.owned_global().lower](
             Index3 local) { return unit / positive_or_nan(at(capacity, grid, local + first)); };
}

PointFunction face_conductance(Problem const& problem, Subdomain const& subdomain, Face face) {
  return [problem, face, units = body_units(problem),
          first = subdomain.owned_global().lower](Index3 local) {
    Index3 const global = local + first;
    BoundaryCondition const& holds = condition_at_point(problem, face, global);
    if (holds.kind != BoundaryKind::robin || is_insulated(problem, global)) return 0.0;
    double const coefficient = at(holds.coefficient, problem.grid, global);
    if (!(coefficient >= 0.0)) return std::numeric_limits<double>::quiet_NaN();
    // Areas are in units of length^(dimension − 1), and so one length more than conductances.
    return coefficient * face_area(problem.grid, units, face.axis, global) /
           (units.conductivity / units.length);
  };
}

double inflow_through(Problem const& problem, BodyUnits const& units, Face face, Index3 global,
                      double time_s) {
  BoundaryCondition const& holds = condition_at_point(problem, face, global);
  if (holds.value.is_zero()) return 0.0;
  double factor = 0.0;
  if (holds.kind == BoundaryKind::neumann) factor = conductivity_at(problem, face.axis, global);
  if (holds.kind == BoundaryKind::robin) factor = at(holds.coefficient, problem.grid, global);
  if (factor == 0.0) return 0.0;
  return factor * at(holds.value, problem.grid, global, time_s) *
         face_area(problem.grid, units, face.axis, global) / (units.conductivity / units.length);
}

PointFunction body_inflow(Problem const& problem, Subdomain const& subdomain, double time_s) {
  return [problem, time_s, units = body_units(problem),
          first = subdomain.owned_global().lower](Index3 local) {
    Index3 const global = local + first;
    double sum = at(problem.source, problem.grid, global, time_s) / units.rate() *
                 volume(problem.grid, units, global);
    for (Face const face : faces(problem.grid)) {
      if (lies_on(problem.grid, face, global)) {
        sum += inflow_through(problem, units, face, global, time_s);
      }
    }
    return sum;
  };
}

namespace {

/// The largest value at the points of a box, on all threads.
template <class Value>
double largest_of(LocalBox box, Value const& value) {
  std::mutex others;
  double largest = 0.0;
  for_each_row(box, [&](std::int64_t j, std::int64_t k) {
    double of_row = 0.0;
    for (std::int64_t i = box.lower.x; i < box.upper.x; ++i) {
      of_row = std::max(of_row, value(Index3{i, j, k}));
    }
    std::scoped_lock const lock(others);
    largest = std::max(largest, of_row);
  });
  return largest;
}

/// Conductivities, as signed_conductivity() has them, of a slab of the grid's points and those next
/// to it along the axis that it is cut along.
class Slab {
 public:
  Slab(Problem const& problem, Subdomain const& whole, LocalBox points, int cut_axis)
      : box_(points) {
    --box_.lower[cut_axis];
    ++box_.upper[cut_axis];
    Grid const& grid = problem.grid;
    if (!grid.periodic[cut_axis]) box_ = intersection(box_, whole.whole());
    values_.resize(problem.body.isotropic ? 1 : static_cast<std::size_t>(grid.dimension));
    for (std::size_t axis = 0; axis < values_.size(); ++axis) {
      values_[axis].resize(static_cast<std::size_t>(box_.point_count()));
      PointFunction const of = signed_conductivity(problem, whole, static_cast<int>(axis));
      auto const fault = evaluate_dense<double>(
          box_, [&](Index3 p) { return of(on_grid(grid, p)); }, values_[axis].data());
      if (fault) throw conductivity_refusal(problem, static_cast<int>(axis), on_grid(grid, *fault));
    }
  }
  double operator()(int axis, Index3 p) const {
    Extent3 const n = box_.extent();
    Index3 const at = p - box_.lower;
    auto const& values = values_[values_.size() == 1 ? 0 : static_cast<std::size_t>(axis)];
    return values[static_cast<std::size_t>((at.z * n.y + at.y) * n.x + at.x)];
  }

 private:
  LocalBox box_;
  std::vector<std::vector<double>> values_{};
};

/// Σ g / (c V) at points of a slab, in units.
class ExchangeRate {
 public:
  ExchangeRate(Problem const& problem, Subdomain const& whole, int cut_axis)
      : problem_(&problem),
        grid_(&problem.grid),
        cut_axis_(cut_axis),
        per_capacity_(per_capacity(problem, whole)) {
    for (Face const face : faces(problem.grid)) {
      through_.emplace_back(face, face_conductance(problem, whole, face));
    }
  }

  double operator()(Slab const& slab, Index3 p) const {
    if (std::signbit(slab(0, p))) return 0.0;
    double total = 0.0;
    for (int axis = 0; axis < grid_->dimension; ++axis) total += along(slab, axis, p);
    for (auto const& [face, conductance] : through_) {
      if (lies_on(*grid_, face, p)) total += conductance(p);
    }
    double const of_capacity = per_capacity_(p);
    if (std::isnan(of_capacity)) throw capacity_refusal(*problem_, p);
    return total / volume(*grid_, units_, p) * of_capacity;
  }

 private:
  /// To both neighbours on an axis.
  [[nodiscard]] double along(Slab const& slab, int axis, Index3 p) const {
    std::int64_t const n = grid_->points[axis];
    if (n == 1) return 0.0;
    bool const wraps = grid_->periodic[axis];
    double const area = face_area(*grid_, units_, axis, p) * units_.length;
    double sum = 0.0;
    for (int const side : {-1, 1}) {
      Index3 beside = p;
      beside[axis] += side;
      if (!wraps && (beside[axis] < 0 || beside[axis] >= n)) continue;
      // A slab has what lies beyond its own ends; along other axes the far end is in it.
      if (axis != cut_axis_) beside = on_grid(*grid_, beside);
      std::int64_t const gap_before = ((side < 0 ? p[axis] - 1 : p[axis]) + n) % n;
      sum += conductance_between(slab(axis, p), slab(axis, beside),
                                 area / grid_->gap(axis, gap_before));
    }
    return sum;
  }

  Problem const* problem_;
  Grid const* grid_;
  int cut_axis_;
  BodyUnits units_ = body_units(*problem_);
  PointFunction per_capacity_;
  std::vector<std::pair<Face, PointFunction>> through_{};
};

}  // namespace

ValueRefusal conductivity_refusal(Problem const& problem, int axis, Index3 global) {
  double const found = at(problem.body.conductivity[axis], problem.grid, global);
  return ValueRefusal({"equation.conductivity", "the conductivity is " + shortest(found) + " at " +
                                                    point_name(problem.grid, global) +
                                                    " (it must be a positive number everywhere)"});
}

ValueRefusal capacity_refusal(Problem const& problem, Index3 global) {
  double const found = at(problem.body.capacity, problem.grid, global);
  return ValueRefusal({"equation.capacity", "the capacity is " + shortest(found) + " at " +
                                                point_name(problem.grid, global) +
                                                " (it must be a positive number everywhere)"});
}

double fastest_exchange(Problem const& problem) {
  constexpr std::int64_t points_at_once = std::int64_t{1} << 22;
  Subdomain const whole(problem.grid, {1, 1, 1}, 0);
  int const cut_axis = problem.grid.dimension - 1;
  ExchangeRate const rate_at(problem, whole, cut_axis);
  double fastest = 0.0;
  std::int64_t const n = problem.grid.points[cut_axis];
  std::int64_t const of_plane = std::max<std::int64_t>(1, problem.grid.point_count() / n);
  std::int64_t const planes = std::max<std::int64_t>(1, points_at_once / of_plane);
  for (std::int64_t first = 0; first < n; first += planes) {
    LocalBox box = whole.whole();
    box.lower[cut_axis] = first;
    box.upper[cut_axis] = std::min(n, first + planes);
    Slab const slab(problem, whole, box, cut_axis);
    fastest = std::max(fastest, largest_of(box, [&](Index3 p) { return rate_at(slab, p); }));
  }
  return fastest / body_units(problem).time();
}

}  // namespace isotherm
