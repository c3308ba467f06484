#include <algorithm>
#include <optional>
#include <string>
#include <tuple>

#include "decomposition/grid/subdomain.hpp"
#include "kernels/core/error.hpp"

namespace isotherm {
namespace {

/// Returns the number of halo points, one layer deep, that all ranks together send in one
/// direction. An axis that is not cut sends nothing, since its periodic halo is wrapped on the
/// rank. The sum is at most three times the number of points, which make_grid() keeps far below
/// 2^63.
std::int64_t points_sent(Grid const& grid, Extent3 parts) {
  std::int64_t sum = 0;
  for (int axis = 0; axis < 3; ++axis) {
    bool const wraps = grid.periodic[axis];
    std::int64_t const seams = parts[axis] == 1 ? 0 : parts[axis] - (wraps ? 0 : 1);
    sum += seams * (grid.point_count() / grid.points[axis]);
  }
  return sum;
}

/// Largest number of parts on an axis whose parts have at least `depth` points.
std::int64_t max_parts(Grid const& grid, int axis, int depth) {
  return std::max<std::int64_t>(1, grid.points[axis] / depth);
}

bool fits(Grid const& grid, Extent3 parts, int depth) {
  return parts.x <= max_parts(grid, 0, depth) && parts.y <= max_parts(grid, 1, depth) &&
         parts.z <= max_parts(grid, 2, depth);
}

/// Calls visit(parts) for each way to write `ranks` as an ordered product of three factors.
template <class Visit>
void for_each_factorization(std::int64_t ranks, Visit const& visit) {
  for (std::int64_t x = 1; x <= ranks; ++x) {
    if (ranks % x != 0) {
      continue;
    }
    for (std::int64_t y = 1; y <= ranks / x; ++y) {
      if (ranks / x % y == 0) {
        visit(Extent3{x, y, ranks / x / y});
      }
    }
  }
}

/// Returns the decomposition that sends the fewest points, or nullopt if none fits the grid. Ties
/// are broken by the fewest parts in x, then in y.
std::optional<Extent3> cheapest(Grid const& grid, int ranks, int depth) {
  std::optional<Extent3> best;
  auto const rank_of = [&grid](Extent3 parts) {
    return std::tuple(points_sent(grid, parts), parts.x, parts.y);
  };
  for_each_factorization(ranks, [&](Extent3 parts) {
    if (fits(grid, parts, depth) && (!best || rank_of(parts) < rank_of(*best))) {
      best = parts;
    }
  });
  return best;
}

std::string text(Extent3 extent, int dimension) {
  std::string words = std::to_string(extent.x) + " x " + std::to_string(extent.y);
  return dimension == 2 ? words : words + " x " + std::to_string(extent.z);
}

std::int64_t max_ranks(Grid const& grid, int depth) {
  return max_parts(grid, 0, depth) * max_parts(grid, 1, depth) * max_parts(grid, 2, depth);
}

/// Returns the largest number of ranks below `ranks` that has a decomposition. One rank always has
/// one. Not every number up to max_ranks() works: its prime factors must fit the axes.
int max_ranks_below(Grid const& grid, int ranks, int depth) {
  int fewer = static_cast<int>(std::min<std::int64_t>(ranks - 1, max_ranks(grid, depth)));
  while (!cheapest(grid, fewer, depth)) {
    --fewer;
  }
  return fewer;
}

/// Returns the smallest number of ranks above `ranks` that has a decomposition; none above
/// max_ranks(), which has one.
std::optional<int> min_ranks_above(Grid const& grid, int ranks, int depth) {
  constexpr int far = 1000;  // a number much above the wanted one is of no use
  for (int more = ranks + 1; more <= max_ranks(grid, depth) && more <= ranks + far; ++more) {
    if (cheapest(grid, more, depth)) return more;
  }
  return std::nullopt;
}

/// The message if no decomposition fits, with the nearest numbers of ranks that do.
std::string refusal(Grid const& grid, int ranks, int depth) {
  std::string const fewest = std::to_string(depth) + (depth == 1 ? " point" : " points");
  int const usable = max_ranks_below(grid, ranks, depth);
  auto const more = min_ranks_above(grid, ranks, depth);
  bool const too_many = ranks > max_ranks(grid, depth);
  return "a grid of " + text(grid.points, grid.dimension) + " points cannot be divided among " +
         std::to_string(ranks) + (ranks == 1 ? " rank" : " ranks") + " with at least " + fewest +
         " per rank on each axis that is divided (start " + (too_many ? "at most " : "") +
         std::to_string(usable) + (more ? " or " + std::to_string(*more) : "") +
         (usable == 1 && !more ? " rank" : " ranks") + ", or use a grid with more points)";
}

}  // namespace

Extent3 choose_decomposition(Grid const& grid, int ranks, int depth) {
  require(ranks >= 1 && depth >= 1, "a decomposition of " + std::to_string(ranks) +
                                        " ranks and depth " + std::to_string(depth) +
                                        " (both must be at least 1)");
  std::optional<Extent3> const parts = cheapest(grid, ranks, depth);
  if (!parts) {
    throw InputError(refusal(grid, ranks, depth));
  }
  return *parts;
}

Extent3 choose_slabs(Grid const& grid, int ranks, std::int64_t thickness) {
  int const last = grid.dimension - 1;
  if (grid.points[last] / ranks < thickness) return choose_decomposition(grid, ranks);
  Extent3 parts{1, 1, 1};
  parts[last] = ranks;
  return parts;
}

void check_decomposition(Grid const& grid, Extent3 parts, int ranks) {
  std::string const asked = "decomposition " + text(parts, 3);
  for (int axis = 0; axis < 3; ++axis) {
    if (parts[axis] < 1 || parts[axis] > grid.points[axis]) {
      throw InputError(asked + " does not fit a grid of " + text(grid.points, grid.dimension) +
                       " points: the " + "xyz"[axis] + " axis can be divided into 1 to " +
                       std::to_string(grid.points[axis]) + " parts");
    }
  }
  // Divided rather than multiplied, because the product may be too large for any integer.
  if (ranks / parts.x / parts.y != parts.z || ranks % parts.x != 0 ||
      ranks / parts.x % parts.y != 0) {
    throw InputError(asked + " does not match " + std::to_string(ranks) +
                     (ranks == 1 ? " rank" : " ranks") +
                     ": the product of its numbers of parts must be the number of ranks");
  }
}

}  // namespace isotherm
