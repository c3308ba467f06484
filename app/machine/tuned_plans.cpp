#include "app/machine/tuned_plans.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <tuple>

#include "case/basics/text/text.hpp"

namespace isotherm::app {
namespace {

/// Returns everything that distinguishes one kind of sweep from another.
auto kind_of(TunedGrid const& grid) {
  PlanRow const& row = grid.kind;
  return std::tuple(row.backend, row.device, row.min_capability, row.dimension, row.precision,
                    row.fixed, row.source);
}

/// Returns the geometric mean, which is half-way on a logarithmic scale.
std::int64_t middle(std::int64_t smaller, std::int64_t larger) {
  return std::llround(std::sqrt(static_cast<double>(smaller) * static_cast<double>(larger)));
}

/// Describes a measurement: "12.3 GCell/s at 512 x 512".
std::string describe_measurement(TunedGrid const& measured) {
  return fmt::format("{:.3g} GCell/s at {}", measured.points_per_second * 1e-9,
                     format_extent(measured.grid, measured.kind.dimension));
}

/// Returns the rows for one kind of sweep, the row with the largest minimum first.
/// @pre [first, last) is not empty and is sorted by points, smallest first
std::vector<TunedRow> rows_of_one_kind(TunedGrid const* first, TunedGrid const* last) {
  std::vector<TunedRow> rows;
  for (TunedGrid const* at = first; at != last; ++at) {
    // The same plan as for the next smaller grid: that row covers this grid too.
    if (at != first && at->plan == rows.back().row.plan) {
      rows.back().comment += ", " + describe_measurement(*at);
      continue;
    }
    TunedRow next{at->kind, describe_measurement(*at)};
    next.row.plan = at->plan;
    // Rows have a minimum number of points; the row of the smallest grid has none.
    next.row.min_points = at == first ? 0 : middle((at - 1)->points, at->points);
    rows.push_back(next);
  }
  // The first row that fits is used, so rows with a larger minimum come first.
  std::reverse(rows.begin(), rows.end());
  return rows;
}

/// Returns the numbers of points per axis of the grids, the smallest first.
std::vector<std::int64_t> points_per_axis(Backend backend, int dimension, bool quick) {
  bool const cuda = backend == Backend::cuda;
  if (dimension == 2) {
    return !quick ? std::vector<std::int64_t>{512, 1024, 2048, 4096, 8192, 16384}
           : cuda ? std::vector<std::int64_t>{512, 2048, 8192}
                  : std::vector<std::int64_t>{512, 2048};
  }
  return !quick ? std::vector<std::int64_t>{64, 128, 256, 512, 1024}
         : cuda ? std::vector<std::int64_t>{128, 512}
                : std::vector<std::int64_t>{64, 192};
}

}  // namespace

std::vector<TunedRow> tuned_rows(std::vector<TunedGrid> const& measured) {
  std::vector<TunedRow> all;
  TunedGrid const* const end = measured.data() + measured.size();
  for (TunedGrid const* first = measured.data(); first != end;) {
    TunedGrid const* const last = std::find_if(
        first, end, [&](TunedGrid const& grid) { return kind_of(grid) != kind_of(*first); });
    for (TunedRow& row : rows_of_one_kind(first, last)) {
      all.push_back(std::move(row));
    }
    first = last;
  }
  return all;
}

std::vector<Extent3> tuning_grids(Backend backend, int dimension, bool quick,
                                  std::int64_t largest) {
  std::vector<std::int64_t> lengths = points_per_axis(backend, dimension, quick);
  if (largest > 0) {
    std::erase_if(lengths, [&](std::int64_t n) { return n > largest; });
    // At least one grid is measured, even if all of them are too large.
    if (lengths.empty()) lengths.push_back(largest);
  }
  std::vector<Extent3> grids(lengths.size());
  std::ranges::transform(lengths, grids.begin(), [&](std::int64_t n) {
    return Extent3{n, n, dimension == 3 ? n : 1};
  });
  return grids;
}

}  // namespace isotherm::app
