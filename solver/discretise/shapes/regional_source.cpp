#include "solver/discretise/shapes/regional_source.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numeric>

#include "decomposition/field/staging/host_staging.hpp"
#include "kernels/core/text.hpp"
#include "solver/discretise/evaluate.hpp"
#include "solver/discretise/medium_units.hpp"
#include "solver/discretise/point_constraints.hpp"
#include "solver/discretise/region_rows.hpp"
#include "solver/discretise/shapes/cell.hpp"
#include "solver/discretise/shapes/open_shares.hpp"

namespace isotherm {

namespace {

/// Returns the share of a point's control volume that a region covers.
double share_at(Grid const& grid, Region const& region, Index3 global) {
  PerAxis<double> const point = place_of(grid, global);
  double covered = 0.0, volume = 0.0;
  for_each_part(grid, global, [&](Cell const& part) {
    covered += volume_of(grid, part) * covered_share(grid, region, part, point);
    volume += volume_of(grid, part);
  });
  return covered / volume;
}

/// Overlaps smaller than this fraction, of a volume's width or of what a source covers of it, come
/// from the rounding of bounds.
constexpr double overlap_by_rounding = 1e-7;

/// True if a solid overlaps a cell by rounding only. Along an axis, most of the solid lies beyond.
bool overlaps_by_rounding(Solid const& solid, Cell const& cell) {
  Cell const bounds = bounds_of(solid);
  for (int axis = 0; axis < 3; ++axis) {
    double const overlap = intersection(bounds[axis], cell[axis]).length();
    double const limit = std::min(overlap_by_rounding * cell[axis].length(),
                                  overlap_by_rounding * bounds[axis].length());
    if (cell[axis].length() > 0.0 && overlap <= limit) return true;
  }
  return false;
}

/// Returns the share of a point's control volume that a source covers.
double source_share_at(Grid const& grid, Region const& region, Index3 global) {
  bool by_rounding = region.solid.has_value();
  for_each_part(grid, global, [&](Cell const& part) {
    by_rounding = by_rounding && overlaps_by_rounding(*region.solid, part);
  });
  return by_rounding ? 0.0 : share_at(grid, region, global);
}

/// Returns the share of a point's control volume that a source covers outside of insulation.
/// @param share  what it covers in all
double open_source_share_at(Problem const& problem, Region const& region, Index3 global,
                            double share) {
  double const open = open_share_within(problem, region, global);
  return open > overlap_by_rounding * share ? open : 0.0;
}

/// A point with its weight.
struct Corner {
  Index3 point;
  double weight;
};

/// Returns the corners of the grid cell around a place, with the weights of multilinear
/// interpolation. Corners without weight are left out.
std::vector<Corner> corners_around(Grid const& grid, PerAxis<double> const& place) {
  std::vector<Corner> corners{{{}, 1.0}};
  for (int axis = 0; axis < grid.dimension; ++axis) {
    if (grid.points[axis] == 1) continue;
    auto const last = static_cast<double>(grid.intervals(axis) - 1);
    double const at = grid.position(axis, place[axis]);
    double const begin = std::clamp(std::floor(at), 0.0, last);
    double const share = std::clamp(at - begin, 0.0, 1.0);
    std::vector<Corner> more;
    for (Corner const& corner : corners) {
      for (int const side : {0, 1}) {
        Corner next = corner;
        next.point[axis] = grid.on_axis(axis, static_cast<std::int64_t>(begin) + side);
        next.weight *= side == 0 ? 1.0 - share : share;
        if (next.weight > 0.0) more.push_back(next);
      }
    }
    corners = std::move(more);
  }
  return corners;
}

/// True if a point is an unknown, so heat in its volume changes its value.
bool can_be_heated(Problem const& problem, Index3 global) {
  return constraint_of(problem, global) == constraint::none;
}

}  // namespace

double covered_volume(Grid const& grid, Region const& region, GlobalBox within) {
  within = with_neighbours(grid, within);
  if (within.empty()) return 0.0;
  Extent3 const n = within.extent();
  std::vector<double> rows(static_cast<std::size_t>(n.y * n.z));
  for_each_row({within.lower, within.upper}, [&](std::int64_t j, std::int64_t k) {
    double& row = rows[static_cast<std::size_t>((j - within.lower.y) + n.y * (k - within.lower.z))];
    RowRange const reach = reach_along_row(region, grid, {0, j, k});
    std::int64_t const end = std::min(within.upper.x, reach.last);
    for (std::int64_t i = std::max(within.lower.x, reach.first); i < end; ++i) {
      double const share = share_at(grid, region, {i, j, k});
      if (share != 0.0) row += share * volume(grid, MediumUnits{}, {i, j, k});
    }
  });
  return std::accumulate(rows.begin(), rows.end(), 0.0);
}

SampledVolume sampled_volume(Grid const& grid, Region const& region, GlobalBox within) {
  // A low-discrepancy sequence of places: multiples of the powers of 1/x, modulo 1, where
  // x is the positive root of x^(d+1) = x + 1.
  constexpr PerAxis<double> multiples{{0.8191725133961645, 0.6710436067037893, 0.5497004779019703}};
  within = with_neighbours(grid, within);
  if (within.empty()) return {};
  Cell box;
  for (int axis = 0; axis < grid.dimension; ++axis) {
    box[axis] = {grid.coordinate(axis, within.lower[axis]),
                 within.upper[axis] == grid.points[axis]
                     ? grid.upper(axis)
                     : grid.coordinate(axis, within.upper[axis] - 1)};
  }
  constexpr std::int64_t row_length = 1024, rows = 1024;
  std::vector<double> hits(rows);
  for_each_row({{0, 0, 0}, {row_length, rows, 1}}, [&](std::int64_t j, std::int64_t) {
    for (std::int64_t i = 0; i < row_length; ++i) {
      auto const number = static_cast<double>(j * row_length + i) + 0.5;
      PerAxis<double> place{};
      for (int axis = 0; axis < grid.dimension; ++axis) {
        double const multiple = number * multiples[axis];
        place[axis] = box[axis].lower + (multiple - std::floor(multiple)) * box[axis].length();
      }
      if (contains(region, place)) hits[static_cast<std::size_t>(j)] += 1.0;
    }
  });
  double const all = std::accumulate(hits.begin(), hits.end(), 0.0);
  double const each = volume_of(box) / static_cast<double>(row_length * rows);
  return {all * each, std::sqrt(all) * each};
}

RegionalSource::RegionalSource(Problem const& problem, Region const& where, GlobalBox within)
    : text_(where.text) {
  Grid const& grid = problem.grid;
  within = with_neighbours(grid, within);
  auto const near = std::make_shared<NearRegions const>(grid, std::vector{where});
  shares_ = [grid, where, within, near](PerAxis<double> const& place) {
    if (!near->any_at(place[0], place[1], place[2])) return 0.0;
    Index3 const global = nearest_point(grid, place);
    return within.contains(global.x, global.y, global.z) ? source_share_at(grid, where, global)
                                                         : 0.0;
  };
  // The sums of rows are added in the order of the rows, so the result does not depend on threads.
  Extent3 const n = within.extent();
  if (within.empty()) return;
  bool const has_insulation = has_open_shares(problem);
  std::vector<std::array<double, 2>> rows(static_cast<std::size_t>(n.y * n.z));
  for_each_row({within.lower, within.upper}, [&](std::int64_t j, std::int64_t k) {
    auto& [covered, heated] =
        rows[static_cast<std::size_t>((j - within.lower.y) + n.y * (k - within.lower.z))];
    RowRange const reach = reach_along_row(where, grid, {0, j, k});
    std::int64_t const end = std::min(within.upper.x, reach.last);
    for (std::int64_t i = std::max(within.lower.x, reach.first); i < end; ++i) {
      Index3 const global{i, j, k};
      double const share = source_share_at(grid, where, global);
      if (share == 0.0) continue;
      double const whole = volume(grid, MediumUnits{}, global);
      covered += share * whole;
      if (!can_be_heated(problem, global)) continue;
      double const open =
          has_insulation ? open_source_share_at(problem, where, global, share) : share;
      heated += open * whole;
    }
  });
  for (auto const& [covered, heated] : rows) {
    covered_ += covered;
    heated_ += heated;
  }
  if (heated_ == covered_) return;
  // Heat at fixed points would only flow into their constraints, and insulation takes none.
  auto const kept = std::make_shared<Problem const>(problem);
  shares_ = [kept, where, shares = shares_](PerAxis<double> const& place) {
    Index3 const global = nearest_point(kept->grid, place);
    double const share = shares(place);
    if (share == 0.0 || !can_be_heated(*kept, global)) return 0.0;
    return open_source_share_at(*kept, where, global, share);
  };
}

RegionalSource::RegionalSource(Problem const& problem, PerAxis<double> const& place) : text_("at") {
  Grid const& grid = problem.grid;
  for (int axis = 0; axis < grid.dimension; ++axis) text_ += ' ' + shortest(place[axis]);
  std::vector<Corner> corners = corners_around(grid, place);
  for (Corner const& corner : corners) covered_ += corner.weight;
  std::erase_if(corners,
                [&](Corner const& corner) { return !can_be_heated(problem, corner.point); });
  for (Corner const& corner : corners) heated_ += corner.weight;
  shares_ = [grid, corners](PerAxis<double> const& at) {
    Index3 const global = nearest_point(grid, at);
    auto const is_here = [&](Corner const& corner) { return corner.point == global; };
    auto const found = std::ranges::find_if(corners, is_here);
    return found == corners.end() ? 0.0 : found->weight / volume(grid, MediumUnits{}, global);
  };
}

ScalarFunction RegionalSource::with_shares(ScalarFunction const& value, double factor) const {
  ScalarFunction source;
  source.varies_in_time = value.varies_in_time;
  source.depends_on_u = value.depends_on_u;
  source.evaluate = [shares = shares_, value, factor](double x, double y, double z, double t) {
    double const share = shares({x, y, z});
    // The value need not be finite elsewhere.
    return share == 0.0 ? 0.0 : value(x, y, z, t) * (share * factor);
  };
  if (!value.evaluate_of_both) return source;
  source.evaluate_of_both = [shares = shares_, value, factor](double x, double y, double z,
                                                              double t, double u) {
    double const share = shares({x, y, z});
    return share == 0.0 ? 0.0 : value.at(x, y, z, t, u) * (share * factor);
  };
  return source;
}

ScalarFunction RegionalSource::of_density(ScalarFunction const& density) const {
  ScalarFunction source = with_shares(density, 1.0);
  source.text = "density " + (density.is_constant() ? shortest(density.constant) : density.text) +
                ' ' + text_;
  return source;
}

ScalarFunction RegionalSource::of_power(ScalarFunction const& power) const {
  ScalarFunction source = with_shares(power, 1.0 / heated_);
  source.text =
      "power " + (power.is_constant() ? shortest(power.constant) : power.text) + ' ' + text_;
  return source;
}

ScalarFunction sum_of(Problem const& problem, ScalarFunction const& everywhere,
                      std::vector<SourceTerm> const& terms) {
  ScalarFunction sum;
  sum.text.clear();
  auto parts = std::make_shared<std::vector<ScalarFunction>>();
  auto const add = [&](ScalarFunction const& part) {
    if (part.is_zero()) return;
    if (!sum.text.empty()) sum.text += "; ";
    sum.text += part.is_constant() ? shortest(part.constant) : part.text;
    sum.varies_in_time = sum.varies_in_time || part.varies_in_time;
    sum.depends_on_u = sum.depends_on_u || part.depends_on_u;
    parts->push_back(part);
  };
  add(source_in_open_part(problem, everywhere));
  for (SourceTerm const& term : terms) add(term.density);
  if (parts->empty()) return 0.0;
  if (parts->size() == 1) return parts->front();
  std::shared_ptr<std::vector<ScalarFunction> const> const shared = parts;
  if (sum.depends_on_u && sum.varies_in_time) {
    sum.evaluate_of_both = [shared](double x, double y, double z, double t, double u) {
      double all = 0.0;
      for (ScalarFunction const& part : *shared) all += part.at(x, y, z, t, u);
      return all;
    };
    sum.evaluate = [both = sum.evaluate_of_both](double x, double y, double z, double u) {
      return both(x, y, z, 0.0, u);
    };
    return sum;
  }
  sum.evaluate = [shared](double x, double y, double z, double t) {
    double all = 0.0;
    for (ScalarFunction const& part : *shared) all += part(x, y, z, t);
    return all;
  };
  return sum;
}

}  // namespace isotherm
