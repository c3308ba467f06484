#include "solver/discretise/shapes/electrode_rim.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>

#include "solver/discretise/evaluate.hpp"
#include "solver/discretise/medium_units.hpp"
#include "solver/discretise/point_constraints.hpp"
#include "solver/discretise/shapes/bisection.hpp"
#include "solver/discretise/shapes/cell.hpp"
#include "solver/problem/conditions.hpp"

namespace isotherm {

namespace {

/// Points with a larger t (see the header) are fixed. It bounds the coefficients, and moves the
/// apparent rim by a hundredth of a gap at most.
constexpr double largest_t = 0.99;

/// A rim beyond the neighbour of a point has no influence on it.
constexpr double reach = 1.0;

/// Returns the coordinate of a fractional index. On a periodic axis the index may lie beyond the
/// ends.
double coordinate_of(Grid const& grid, int axis, double position) {
  double const below = std::floor(position);
  auto const index = grid.on_axis(axis, static_cast<std::int64_t>(below));
  double const at = grid.coordinate(axis, index);
  if (position == below) return at;
  return at + (position - below) * grid.gap(axis, index);
}

/// A line of points on a face.
struct Line {
  Problem const& problem;
  Face face;
  int axis;
  PerAxis<double> place;  ///< of one of its points

  /// True if the condition at a fractional index is a Dirichlet condition.
  [[nodiscard]] bool is_given(double position) const {
    PerAxis<double> at = place;
    at[axis] = coordinate_of(problem.grid, axis, position);
    return condition_at(problem, face, at[0], at[1], at[2]).kind == BoundaryKind::dirichlet;
  }
  [[nodiscard]] bool exists(double position) const {
    return problem.grid.periodic[axis] ||
           (position >= 0.0 && position <= static_cast<double>(problem.grid.points[axis] - 1));
  }
  /// Returns the fractional index at which the kind of the condition first changes from a point on
  /// in one direction, within a distance in gaps. Conditions are compared at every half gap.
  [[nodiscard]] std::optional<double> change(double from, double step, double within) const {
    bool const given = is_given(from);
    int const halves = static_cast<int>(2.0 * within);
    for (int passed = 1; passed <= halves; ++passed) {
      double const to = from + 0.5 * step * passed;
      if (!exists(to)) return std::nullopt;
      if (is_given(to) == given) continue;
      return change_between(to - 0.5 * step, to, [&](double at) { return is_given(at) == given; });
    }
    return std::nullopt;
  }
};

/// A rim near a point, on the line along an axis through the point.
struct Rim {
  int axis;
  double step;      ///< the direction from the point: −1 or 1
  double position;  ///< the fractional index of the rim
  double distance;  ///< from the point, in gaps
};

/// A point of a face, with the rims near it.
class PointAtRim {
 public:
  PointAtRim(Problem const& problem, Face face, Index3 global)
      : problem_(problem),
        grid_(problem.grid),
        face_(face),
        global_(global),
        place_(place_of(problem.grid, global)) {
    is_inside_ = condition_at(problem, face, place_[0], place_[1], place_[2]).kind ==
                 BoundaryKind::dirichlet;
    find_rims();
  }

  /// True if the point has the value of the electrode that contains it.
  [[nodiscard]] bool is_fixed() const {
    if (!is_inside_) return false;
    return rims_.empty() || !(held_by(rims_.front()).t < largest_t);
  }

  /// Returns the conditions by which electrodes hold the point.
  [[nodiscard]] std::vector<RimCondition> conditions() const {
    std::vector<RimCondition> all;
    for (Rim const& rim : rims_) {
      auto const [t, unit] = held_by(rim);
      Index3 const inside = is_inside_ ? global_ : next(global_, rim.axis, rim.step);
      BoundaryCondition const& given = condition_at_point(problem_, face_, inside);
      if (!(t > 0.0) || given.kind != BoundaryKind::dirichlet) continue;
      BoundaryCondition held;
      held.kind = BoundaryKind::robin;
      held.coefficient = unit * t / (1.0 - t);
      held.value = is_inside_ ? given.value : fixed_at(given.value, inside);
      all.push_back({std::move(held), patch_at(problem_, face_, place_of(grid_, inside))});
    }
    return all;
  }

 private:
  /// How an electrode holds the point: see the header. `unit` is C.
  struct Held {
    double t;
    double unit;
  };

  [[nodiscard]] bool is_tangential(int axis) const {
    return axis != face_.axis && axis < grid_.dimension && grid_.points[axis] > 1;
  }
  [[nodiscard]] Index3 next(Index3 point, int axis, double step) const {
    point[axis] = grid_.on_axis(axis, point[axis] + (step > 0.0 ? 1 : -1));
    return point;
  }
  [[nodiscard]] Line line(int axis, PerAxis<double> const& place) const {
    return {problem_, face_, axis, place};
  }

  /// Finds the rims on the axis that crosses the nearest one. A point inside depends on the nearest
  /// rim only.
  void find_rims() {
    for (int axis = 0; axis < grid_.dimension; ++axis) {
      if (!is_tangential(axis)) continue;
      auto const from = static_cast<double>(global_[axis]);
      for (double const step : {-1.0, 1.0}) {
        auto const at = line(axis, place_).change(from, step, reach);
        if (at) rims_.push_back({axis, step, *at, std::abs(*at - from)});
      }
    }
    std::ranges::stable_sort(rims_, {}, &Rim::distance);
    if (rims_.size() <= 1) return;
    Rim const nearest = rims_.front();
    if (is_inside_) {
      rims_ = {nearest};
    } else {
      std::erase_if(rims_, [&](Rim const& rim) { return rim.axis != nearest.axis; });
    }
  }

  /// Returns the fractional index of a rim on the next line of points along another axis.
  [[nodiscard]] std::optional<double> on_next_line(Rim const& rim, int other, double step) const {
    double const index = static_cast<double>(global_[other]) + step;
    if (!line(other, place_).exists(index)) return std::nullopt;
    PerAxis<double> neighbour = place_;
    neighbour[other] = coordinate_of(grid_, other, index);
    Line const along = line(rim.axis, neighbour);
    auto const from = static_cast<double>(global_[rim.axis]);
    std::optional<double> nearest;
    for (double const direction : {-1.0, 1.0}) {
      auto const at = along.change(from, direction, 2.0 * reach);
      auto const away = [&](double position) { return std::abs(position - rim.position); };
      if (at && (!nearest || away(*at) < away(*nearest))) nearest = at;
    }
    return nearest;
  }

  /// Returns the slope of a rim: how many gaps along its axis it moves in a gap of the other one.
  [[nodiscard]] double slope_of(Rim const& rim, int other) const {
    auto const before = on_next_line(rim, other, -1.0), after = on_next_line(rim, other, 1.0);
    double slope = 0.0;
    if (before && after) slope = 0.5 * (*after - *before);
    if (before && !after) slope = rim.position - *before;
    if (!before && after) slope = *after - rim.position;
    return std::min(std::abs(slope), 1.0);
  }

  /// Returns κ / h² along an axis, with the gap that contains a fractional index.
  [[nodiscard]] double stiffness(int axis, double position) const {
    auto index = grid_.on_axis(axis, static_cast<std::int64_t>(std::floor(position)));
    index = std::clamp<std::int64_t>(index, 0, grid_.intervals(axis) - 1);
    double const gap = grid_.gap(axis, index);
    return conductivity_at(problem_, axis, global_) / (gap * gap);
  }

  [[nodiscard]] Held held_by(Rim const& rim) const {
    constexpr double largest_offset = 0.9;  // points inside are always held
    double along = stiffness(rim.axis, rim.position);
    for (int other = 0; other < grid_.dimension; ++other) {
      if (other == rim.axis || !is_tangential(other)) continue;
      double const slope = slope_of(rim, other);
      if (slope == 0.0) continue;
      along += slope * slope * stiffness(other, static_cast<double>(global_[other]));
    }
    std::int64_t const n = grid_.points[face_.axis];
    double const inwards = grid_.gap(face_.axis, face_.upper ? n - 2 : 0);
    double const ratio = inwards * inwards * along / conductivity_at(problem_, face_.axis, global_);
    double const half_sum = (2.0 + ratio) / ratio;
    double const a = 1.0 / (half_sum + std::sqrt(half_sum * half_sum - 1.0));
    double const offset = std::min(0.25 + 0.5 * a / (1.0 - a), largest_offset);
    double const depth = is_inside_ ? rim.distance : -rim.distance;
    return {depth + 1.0 - offset, 0.5 * inwards * along / std::sqrt(a)};
  }

  /// Returns a function with the values that another one has at a point.
  [[nodiscard]] ScalarFunction fixed_at(ScalarFunction value, Index3 point) const {
    if (value.is_constant()) return value;
    auto const [x, y, z] = coordinates(grid_, point);
    value.evaluate = [evaluate = value.evaluate, x = x, y = y, z = z](
                         double, double, double, double t) { return evaluate(x, y, z, t); };
    return value;
  }

  Problem const& problem_;
  Grid const& grid_;
  Face face_;
  Index3 global_;
  PerAxis<double> place_;
  bool is_inside_ = false;
  std::vector<Rim> rims_{};  ///< the nearest first
};

/// Returns the part of a face within reach of a point. None if it extends beyond a periodic end.
std::optional<Cell> part_near(Grid const& grid, Face face, Index3 global) {
  Cell part;
  for (int axis = 0; axis < 3; ++axis) {
    double const at = grid.coordinate(axis, global[axis]);
    part[axis] = {at, at};
    if (axis == face.axis || axis >= grid.dimension || grid.points[axis] == 1) continue;
    bool const at_lower = global[axis] == 0, at_upper = global[axis] + 1 == grid.points[axis];
    if (grid.periodic[axis] && (at_lower || at_upper)) return std::nullopt;
    if (!at_lower) part[axis].lower = grid.coordinate(axis, global[axis] - 1);
    if (!at_upper) part[axis].upper = grid.coordinate(axis, global[axis] + 1);
  }
  return part;
}

/// True if a solid covers a fraction of a part of a face, neither nothing nor the whole.
bool cuts(Solid const& solid, Cell const& part, int across) {
  Cell const bounds = bounds_of(solid);
  for (int axis = 0; axis < 3; ++axis) {
    if (axis != across && intersection(bounds[axis], part[axis]).empty()) return false;
  }
  double const share = solid.share(part);
  return share > 0.0 && share < 1.0;
}

/// True if the surface of a patch may lie near a point. Much cheaper than finding rims.
bool may_have_rims(Problem const& problem, Face face, Index3 global) {
  if (!has_rims(problem, face) || problem.grid.points[face.axis] == 1) return false;
  auto const part = part_near(problem.grid, face, global);
  if (!part) return true;
  return std::ranges::any_of(problem.patches, [&](BoundaryPatch const& patch) {
    if (patch.face != face) return false;
    return !patch.where.solid || cuts(*patch.where.solid, *part, face.axis);
  });
}

}  // namespace

bool is_fixed_by_face(Problem const& problem, Face face, Index3 global) {
  if (condition_at_point(problem, face, global).kind != BoundaryKind::dirichlet) return false;
  return !may_have_rims(problem, face, global) || PointAtRim(problem, face, global).is_fixed();
}

std::vector<RimCondition> rim_conditions(Problem const& problem, Face face, Index3 global) {
  if (!may_have_rims(problem, face, global)) return {};
  PointAtRim const point(problem, face, global);
  return point.is_fixed() ? std::vector<RimCondition>{} : point.conditions();
}

}  // namespace isotherm
