#include "decomposition/grid/subdomain.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "kernels/core/error.hpp"

namespace isotherm {
namespace {

/// Returns ⌈part · points / parts⌉. The quotient and the remainder of points / parts are treated
/// apart, because part · points may overflow.
std::int64_t even_cut(std::int64_t points, std::int64_t parts, std::int64_t part) {
  return part * (points / parts) + (part * (points % parts) + parts - 1) / parts;
}

/// Inverse of rank = x + parts.x (y + parts.y z).
Index3 position_of(int rank, Extent3 parts) {
  return {rank % parts.x, rank / parts.x % parts.y, rank / (parts.x * parts.y)};
}

/// Throws Error unless the cuts ascend strictly from 0 to `points` and make `parts` parts.
void check_cuts(AxisCuts const& cuts, std::int64_t points, std::int64_t parts) {
  if (cuts.empty()) return;
  bool const ascend = std::ranges::adjacent_find(cuts, std::ranges::greater_equal{}) == cuts.end();
  require(cuts.size() == static_cast<std::size_t>(parts) + 1 && cuts.front() == 0 &&
              cuts.back() == points && ascend,
          "the cuts do not divide the " + std::to_string(points) + " points of an axis into " +
              std::to_string(parts) + " parts");
}

/// Throws Error if a part would own no point on an axis.
void check_axes(Grid const& grid, Extent3 parts, PerAxis<AxisCuts> const& cuts) {
  for (int axis = 0; axis < 3; ++axis) {
    require(1 <= parts[axis] && parts[axis] <= grid.points[axis],
            "axis " + std::to_string(axis) + " of " + std::to_string(grid.points[axis]) +
                " points cannot be divided into " + std::to_string(parts[axis]) +
                " parts (needs 1 part to 1 per point)");
    check_cuts(cuts[axis], grid.points[axis], parts[axis]);
  }
}

}  // namespace

Subdomain::Subdomain(Grid const& grid, Extent3 parts, int rank, PerAxis<AxisCuts> cuts)
    : grid_(grid), parts_(parts), cuts_(std::move(cuts)), rank_(rank) {
  check_axes(grid, parts, cuts_);
  // Divided rather than multiplied: the product of the parts may overflow.
  require(0 <= rank && rank / parts.x / parts.y < parts.z,
          "rank " + std::to_string(rank) + " is not in the decomposition (0 to parts - 1)");
  position_ = position_of(rank, parts);
  for (int axis = 0; axis < 3; ++axis) {
    owned_.lower[axis] = cut(axis, position_[axis]);
    owned_.upper[axis] = cut(axis, position_[axis] + 1);
  }
}

std::int64_t Subdomain::cut(int axis, std::int64_t part) const {
  AxisCuts const& cuts = cuts_[axis];
  return cuts.empty() ? even_cut(grid_.points[axis], parts_[axis], part)
                      : cuts[static_cast<std::size_t>(part)];
}

bool Subdomain::is_shared_like(Subdomain const& other) const {
  if (parts_ != other.parts_) return false;
  for (int axis = 0; axis < 3; ++axis) {
    for (std::int64_t part = 0; part <= parts_[axis]; ++part) {
      if (cut(axis, part) != other.cut(axis, part)) return false;
    }
  }
  return true;
}

GlobalBox Subdomain::to_global(LocalBox box) const {
  return {to_global(box.lower), to_global(box.upper)};
}

LocalBox Subdomain::to_local(GlobalBox box) const {
  return {to_local(box.lower), to_local(box.upper)};
}

std::optional<int> Subdomain::neighbour(Index3 direction) const {
  Index3 there = position_ + direction;
  for (int axis = 0; axis < 3; ++axis) {
    bool const outside = there[axis] < 0 || there[axis] >= parts_[axis];
    if (outside && !grid_.periodic[axis]) {
      return std::nullopt;
    }
    there[axis] = (there[axis] + parts_[axis]) % parts_[axis];
  }
  return static_cast<int>(there.x + parts_.x * (there.y + parts_.y * there.z));
}

bool Subdomain::on_physical_face(Face face) const {
  if (face.axis >= grid_.dimension || grid_.periodic[face.axis]) {
    return false;
  }
  return position_[face.axis] == (face.upper ? parts_[face.axis] - 1 : 0);
}

LocalBox Subdomain::rim(Face face, int depth) const {
  LocalBox box = owned();
  require(0 <= depth && depth <= extent()[face.axis],
          "a rim of " + std::to_string(depth) + " points is deeper than the subdomain (" +
              std::to_string(extent()[face.axis]) + " points)");
  if (face.upper) {
    box.lower[face.axis] = box.upper[face.axis] - depth;
  } else {
    box.upper[face.axis] = box.lower[face.axis] + depth;
  }
  return box;
}

LocalBox Subdomain::halo(Face face, int depth) const {
  LocalBox box = owned();
  std::int64_t const first = face.upper ? box.upper[face.axis] : -depth;
  box.lower[face.axis] = first;
  box.upper[face.axis] = first + depth;
  return box;
}

Extent3 Subdomain::largest_extent() const {
  Extent3 largest;
  for (int axis = 0; axis < 3; ++axis) {
    largest[axis] = 0;
    for (std::int64_t part = 0; part < parts_[axis]; ++part) {
      largest[axis] = std::max(largest[axis], cut(axis, part + 1) - cut(axis, part));
    }
  }
  return largest;
}

std::int64_t Subdomain::smallest_extent(int axis) const {
  std::int64_t smallest = grid_.points[axis];
  for (std::int64_t part = 0; part < parts_[axis]; ++part) {
    smallest = std::min(smallest, cut(axis, part + 1) - cut(axis, part));
  }
  return smallest;
}

std::vector<LocalBox> difference(LocalBox outer, LocalBox inner) {
  if (inner.empty()) {
    return outer.empty() ? std::vector<LocalBox>{} : std::vector<LocalBox>{outer};
  }
  require(outer.contains(inner), "the inner box extends beyond the outer one");
  std::vector<LocalBox> boxes;
  auto const keep = [&boxes](LocalBox box) {
    if (!box.empty()) {
      boxes.push_back(box);
    }
  };
  // z first and x last, so that most points lie in boxes of whole rows.
  for (int axis : {2, 1, 0}) {
    LocalBox below = outer;
    LocalBox above = outer;
    below.upper[axis] = inner.lower[axis];
    above.lower[axis] = inner.upper[axis];
    keep(below);
    keep(above);
    outer.lower[axis] = inner.lower[axis];
    outer.upper[axis] = inner.upper[axis];
  }
  return boxes;
}

}  // namespace isotherm
