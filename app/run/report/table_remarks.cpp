#include "app/run/report/table_remarks.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <utility>

#include "case/basics/text/wording.hpp"
#include "decomposition/grid/grid.hpp"
#include "solver/discretise/evaluate.hpp"
#include "solver/discretise/point_constraints.hpp"
#include "solver/problem/conditions.hpp"

namespace isotherm::app {

namespace {

/// True if a region contains the point or a place of its control volume, on the axes through the
/// point.
bool touches(Grid const& grid, Region::Contains const& contains, Index3 point) {
  auto const here = coordinates(grid, point);
  PerAxis<double> const center{here[0], here[1], here[2]};
  auto const contains_at = [&](PerAxis<double> const& at) { return contains(at[0], at[1], at[2]); };
  if (!contains || contains_at(center)) return true;
  for (int axis = 0; axis < grid.dimension; ++axis) {
    for (std::int64_t const step : {-1, 1}) {
      std::int64_t const next = point[axis] + step;
      if (next < 0 || next >= grid.points[axis]) continue;
      double const gap = grid.coordinate(axis, next) - center[axis];
      for (double const part : {0.125, 0.25, 0.375, 0.5}) {
        PerAxis<double> at = center;
        at[axis] += part * gap;
        if (contains_at(at)) return true;
      }
    }
  }
  return false;
}

/// Compares tables with the field, and collects the remarks.
class Comparison {
 public:
  Comparison(FieldStatistics const& whole, RangeAt const& range_at)
      : whole_(&whole), range_at_(&range_at) {}

  /// Compares a table with the field at the points where it applies; with the whole field if it
  /// applies between points only. Collective.
  void add(PropertyTable const& table, PointSet const& points) {
    if (!(whole_->minimum < table.first) && !(whole_->largest > table.last)) return;
    ValueRange range = (*range_at_)(points);
    if (range.smallest > range.largest) range = {whole_->minimum, whole_->largest};
    bool const is_below = range.smallest < table.first;
    if (!is_below && !(range.largest > table.last)) return;
    std::string remark = fmt::format(
        "the field reaches {:.6g}, but the table of {}{} {} at {:.6g}: beyond it the {} is "
        "constant",
        is_below ? range.smallest : range.largest, table.property, table.owner,
        is_below ? "begins" : "ends", is_below ? table.first : table.last, table.property);
    if (std::ranges::find(remarks_, remark) == remarks_.end()) {
      remarks_.push_back(std::move(remark));
    }
  }
  /// The same for a function; does nothing if it is no table.
  void add(ScalarFunction const& function, std::string const& property, std::string const& owner,
           PointSet const& points) {
    std::vector<double> const& rows = function.breaks_in_u;
    if (!rows.empty()) add({property, owner, rows.front(), rows.back(), {}}, points);
  }

  std::vector<std::string> remarks() && { return std::move(remarks_); }

 private:
  FieldStatistics const* whole_;
  RangeAt const* range_at_;
  std::vector<std::string> remarks_{};
};

/// Compares the tables of a condition with the field at the points where it holds.
void compare(Comparison& comparison, Problem const& problem, Face face,
             BoundaryCondition const& condition, std::string const& owner) {
  PointSet const points = [&](Index3 point) {
    if (!lies_on(problem.grid, face, point)) return false;
    auto const [x, y, z] = coordinates(problem.grid, point);
    return &condition_at(problem, face, x, y, z) == &condition;
  };
  comparison.add(condition.coefficient, "heat transfer coefficient", owner, points);
  comparison.add(condition.value, "ambient value", owner, points);
}

}  // namespace

std::vector<std::string> table_remarks(Problem const& problem, FieldStatistics const& whole,
                                       RangeAt const& range_at) {
  Comparison comparison(whole, range_at);
  auto const points_of = [&grid = problem.grid](Region::Contains const& contains) -> PointSet {
    return [&grid, contains](Index3 point) { return touches(grid, contains, point); };
  };
  for (PropertyTable const& table : problem.medium.tables) {
    comparison.add(table, points_of(table.contains));
  }
  for (Face const face : faces(problem.grid)) {
    compare(comparison, problem, face, problem.boundary[face], " of " + name(face));
  }
  for (std::size_t i = 0; i < problem.patches.size(); ++i) {
    BoundaryPatch const& patch = problem.patches[i];
    compare(comparison, problem, patch.face, patch.condition,
            fmt::format(" of patch {} on {}", i + 1, name(patch.face)));
  }
  for (FixedRegion const& region : problem.medium.fixed) {
    std::string const owner = " of convection " + in_quotes(region.name);
    for (SurfaceExchange const& exchange : region.exchanges) {
      comparison.add(exchange.coefficient, "heat transfer coefficient", owner,
                     points_of(region.where.contains));
    }
  }
  return std::move(comparison).remarks();
}

}  // namespace isotherm::app
