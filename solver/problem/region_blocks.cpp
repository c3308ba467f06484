#include "solver/problem/region_blocks.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <utility>

namespace isotherm {

namespace {

/// Returns the number of blocks along an axis: a few points each, and a bounded number in all.
std::int64_t blocks_along(Grid const& grid, int axis) {
  constexpr std::int64_t points_of_block = 2;
  std::int64_t const maximum = grid.dimension == 2 ? 512 : 80;
  if (axis >= grid.dimension) return 1;
  return std::clamp<std::int64_t>(grid.points[axis] / points_of_block, 1, maximum);
}

/// Calls visit(block) for all blocks of a box.
template <class Visit>
void for_each_block(LocalBox const& box, Visit const& visit) {
  for (std::int64_t k = box.lower.z; k < box.upper.z; ++k) {
    for (std::int64_t j = box.lower.y; j < box.upper.y; ++j) {
      for (std::int64_t i = box.lower.x; i < box.upper.x; ++i) visit(Index3{i, j, k});
    }
  }
}

/// Returns the halves of a box along its longest axis.
std::array<LocalBox, 2> halves_of(LocalBox const& box) {
  Extent3 const n = box.extent();
  int longest = 0;
  for (int axis = 1; axis < 3; ++axis) {
    if (n[axis] > n[longest]) longest = axis;
  }
  std::array<LocalBox, 2> halves{box, box};
  std::int64_t const middle = box.lower[longest] + n[longest] / 2;
  halves[0].upper[longest] = middle;
  halves[1].lower[longest] = middle;
  return halves;
}

}  // namespace

RegionBlocks::RegionBlocks(Grid const& grid, Classify classify) : classify_(std::move(classify)) {
  for (int axis = 0; axis < 3; ++axis) {
    count_[axis] = blocks_along(grid, axis);
    if (axis >= grid.dimension) continue;
    lower_[axis] = grid.lower[axis];
    width_[axis] = (grid.upper(axis) - grid.lower[axis]) / static_cast<double>(count_[axis]);
    per_width_[axis] = 1.0 / width_[axis];
  }
  known_.resize(static_cast<std::size_t>(count_.x * count_.y * count_.z), Certainty::unknown);
  // What is certain in several blocks is certain in each. So boxes of blocks are halved until they
  // are certain, and few calls are made far from surfaces.
  std::vector<LocalBox> boxes{{{}, count_}};
  while (!boxes.empty()) {
    LocalBox const box = boxes.back();
    boxes.pop_back();
    PerAxis<Interval> place;
    for (int axis = 0; axis < 3; ++axis) {
      place[axis] = {block(axis, box.lower[axis]).lower, block(axis, box.upper[axis] - 1).upper};
    }
    Certainty const known = classify_(place);
    if (known == Certainty::unknown && box.point_count() > 1) {
      auto const halves = halves_of(box);
      boxes.insert(boxes.end(), halves.begin(), halves.end());
    } else {
      for_each_block(box, [&](Index3 at) {
        known_[static_cast<std::size_t>((at.z * count_.y + at.y) * count_.x + at.x)] = known;
      });
    }
  }
  auto const unknown = static_cast<double>(std::ranges::count(known_, Certainty::unknown));
  unknown_share_ = unknown / static_cast<double>(known_.size());
}

/// Returns the coordinates of a block. Rounding may assign a place to the block next to its own, so
/// a block includes a little more than its part.
Interval RegionBlocks::block(int axis, std::int64_t index) const {
  constexpr double margin = 1e-6;
  auto const at = static_cast<double>(index);
  double const lower = lower_[axis], width = width_[axis];
  return {lower + (at - margin) * width, lower + (at + 1.0 + margin) * width};
}

std::int64_t RegionBlocks::index_of(int axis, double coordinate) const {
  if (width_[axis] == 0.0) return 0;
  constexpr double slack = 1e-7;  // coordinates may lie beyond an end by rounding
  double const at = (coordinate - lower_[axis]) * per_width_[axis];
  auto const n = static_cast<double>(count_[axis]);
  if (!(at >= -slack && at <= n + slack)) return -1;
  return static_cast<std::int64_t>(std::clamp(at, 0.0, n - 1.0));
}

Certainty RegionBlocks::at(double x, double y, double z) const {
  std::int64_t const i = index_of(0, x), j = index_of(1, y), k = index_of(2, z);
  return std::min({i, j, k}) < 0 ? Certainty::unknown : known(i, j, k);
}

Certainty RegionBlocks::in(PerAxis<Interval> const& box) const {
  Index3 from, to;
  for (int axis = 0; axis < 3; ++axis) {
    from[axis] = index_of(axis, box[axis].lower);
    to[axis] = index_of(axis, box[axis].upper);
    if (from[axis] < 0 || to[axis] < 0) return Certainty::unknown;
  }
  Certainty const first = known(from.x, from.y, from.z);
  for (std::int64_t k = from.z; k <= to.z; ++k) {
    for (std::int64_t j = from.y; j <= to.y; ++j) {
      for (std::int64_t i = from.x; i <= to.x; ++i) {
        if (known(i, j, k) != first) return Certainty::unknown;
      }
    }
  }
  return first;
}

std::optional<PerAxis<Interval>> RegionBlocks::uncertain_part(PerAxis<Interval> box,
                                                              Certainty rest) const {
  if (within(box) == rest) return std::nullopt;
  for (int axis = 0; axis < 3; ++axis) {
    if (!(box[axis].length() > 0.0)) continue;
    for (bool const upper : {false, true}) remove_certain_end(box, axis, upper, rest);
  }
  return box;
}

bool RegionBlocks::are_useful_in(PerAxis<Interval> const& box) const {
  unsigned axes = 0;  // a bit for each axis on which the box has a length
  for (unsigned axis = 0; axis < 3; ++axis) {
    if (box[static_cast<int>(axis)].length() > 0.0) axes |= 1U << axis;
  }
  // A line is divided into quarters, other boxes into halves along each axis.
  unsigned const parts = std::has_single_bit(axes) ? 4 : 2;
  for (unsigned number = 0; number < 8; ++number) {
    unsigned const chosen = parts == 4 ? number : number & axes;
    if (parts == 4 ? number >= parts : chosen != number) continue;
    PerAxis<Interval> part = box;
    for (unsigned axis = 0; axis < 3; ++axis) {
      if (((axes >> axis) & 1U) == 0) continue;
      unsigned const index = parts == 4 ? number : (chosen >> axis) & 1U;
      Interval const all = box[static_cast<int>(axis)];
      double const width = all.length() / parts;
      part[static_cast<int>(axis)] = {all.lower + index * width, all.lower + (index + 1) * width};
    }
    if (within(part) != Certainty::unknown) return true;
  }
  return false;
}

/// Removes the thickest slab at an end of a box that is certain, found by bisection.
void RegionBlocks::remove_certain_end(PerAxis<Interval>& box, int axis, bool upper,
                                      Certainty rest) const {
  constexpr int halvings = 12;
  Interval const all = box[axis];
  double certain = 0.0, uncertain = 1.0;  // thickness of slabs, as a share of the box
  for (int i = 0; i < halvings; ++i) {
    constexpr int worthwhile = 2;
    if (i == worthwhile && certain == 0.0) return;
    double const middle = 0.5 * (certain + uncertain);
    PerAxis<Interval> slab = box;
    (upper ? slab[axis].lower : slab[axis].upper) =
        upper ? all.upper - middle * all.length() : all.lower + middle * all.length();
    (within(slab) == rest ? certain : uncertain) = middle;
  }
  if (upper) box[axis].upper = all.upper - certain * all.length();
  if (!upper) box[axis].lower = all.lower + certain * all.length();
}

std::vector<Interval> RegionBlocks::unknown_along_x(PerAxis<Interval> box) const {
  // The blocks in y and z are the same all along x.
  Index3 from, to;
  bool is_on_grid = true;
  for (int const axis : {1, 2}) {
    from[axis] = index_of(axis, box[axis].lower);
    to[axis] = index_of(axis, box[axis].upper);
    is_on_grid = is_on_grid && from[axis] >= 0 && to[axis] >= 0;
  }
  auto const known_at = [&](std::int64_t i) {
    if (!is_on_grid) return Certainty::unknown;
    Certainty const first = known(i, from.y, from.z);
    for (std::int64_t k = from.z; k <= to.z; ++k) {
      for (std::int64_t j = from.y; j <= to.y; ++j) {
        if (known(i, j, k) != first) return Certainty::unknown;
      }
    }
    return first;
  };
  std::vector<Interval> unknown;
  Certainty before = Certainty::unknown;
  for (std::int64_t i = 0; i < count_.x; ++i) {
    Certainty const here = known_at(i);
    // A surface may lie between two certain blocks.
    if (here == Certainty::unknown || (i > 0 && here != before)) {
      Interval const part = block(0, i);
      if (!unknown.empty() && unknown.back().upper >= part.lower) {
        unknown.back().upper = part.upper;
      } else {
        unknown.push_back(part);
      }
    }
    before = here;
  }
  return unknown;
}

}  // namespace isotherm
