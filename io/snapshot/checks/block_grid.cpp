#include "io/snapshot/checks/block_grid.hpp"

#include <fmt/format.h>

#include "kernels/core/error.hpp"
#include "kernels/core/number_text.hpp"

namespace isotherm {
namespace {

constexpr std::int64_t max_points = std::int64_t{1} << 19;  // of a block

/// Returns total / part, rounded up, without an overflow of total + part.
std::int64_t divided_up(std::int64_t total, std::int64_t part) {
  return total / part + (total % part != 0 ? 1 : 0);
}

/// Returns the extent of isotherm's blocks: whole rows, and whole planes if a plane fits into a
/// block.
Extent3 block_extent(Extent3 points) {
  Extent3 block{points.x, std::clamp<std::int64_t>(max_points / points.x, 1, points.y), 1};
  if (block.y == points.y) {
    block.z = std::clamp<std::int64_t>(max_points / (points.x * points.y), 1, points.z);
  }
  return block;
}

}  // namespace

BlockGrid::BlockGrid(Extent3 points) : BlockGrid(points, block_extent(points)) {}

BlockGrid::BlockGrid(Extent3 points, Extent3 block)
    : points_(points),
      block_(block),
      // A file may claim block lengths of 0 or less. The division must not fail before the check
      // below.
      in_plane_(divided_up(points.y, std::max<std::int64_t>(block.y, 1))),
      in_z_(divided_up(points.z, std::max<std::int64_t>(block.z, 1))) {
  // Blocks are whole rows of one plane, or whole planes.
  bool const fits = block.x == points.x && block.y >= 1 && block.y <= points.y && block.z >= 1 &&
                    block.z <= points.z;
  require(fits && (block.z == 1 || block.y == points.y),
          fmt::format(
              "its blocks have {} x {} x {} points (needs whole rows, or whole planes of {} x {})",
              block.x, block.y, block.z, points.x, points.y));
}

GlobalBox BlockGrid::box(std::int64_t number) const {
  // Blocks are numbered along y first, then along z.
  Index3 const lower{0, number % in_plane_ * block_.y, number / in_plane_ * block_.z};
  return intersection(GlobalBox{lower, lower + block_}, GlobalBox{{}, points_});
}

std::string name_of_points(GlobalBox box, Extent3 points, Grid const* grid) {
  std::string text;
  for (int axis = 0; axis < 3; ++axis) {
    std::int64_t const first = box.lower[axis];
    std::int64_t const last = box.upper[axis] - 1;
    if (first == 0 && last == points[axis] - 1) continue;
    auto const from_to = [&](std::string const& lower, std::string const& upper) {
      return first == last ? lower : fmt::format("{} to {}", lower, upper);
    };
    std::string const indices = (first == last ? "point " : "points ") +
                                from_to(std::to_string(first), std::to_string(last));
    text += fmt::format("{}{} ", text.empty() ? "" : ", ", "xyz"[axis]);
    text += grid == nullptr ? "at " + indices
                            : fmt::format("= {} ({})",
                                          from_to(six_digits(grid->coordinate(axis, first)),
                                                  six_digits(grid->coordinate(axis, last))),
                                          indices);
  }
  return text.empty() ? "all points" : text;
}

}  // namespace isotherm
