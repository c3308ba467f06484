#include "io/snapshot/chunks/chunk_grid.hpp"

namespace isotherm {
namespace {

/// Returns total / part, rounded up. @pre total is not negative, and part is positive
std::int64_t divided_up(std::int64_t total, std::int64_t part) { return (total + part - 1) / part; }

/// Returns the largest size, at most `limit`, of nearly equal parts of `total`.
std::int64_t equal_part(std::int64_t total, std::int64_t limit) {
  return divided_up(total, divided_up(total, limit));
}

}  // namespace

Extent3 chunk_extent(Extent3 points) {
  Extent3 const limit = points.z == 1 ? Extent3{512, 512, 1} : Extent3{128, 128, 16};
  return {equal_part(points.x, limit.x), equal_part(points.y, limit.y),
          equal_part(points.z, limit.z)};
}

GlobalBox ChunkGrid::box(Index3 chunk) const {
  return intersection(GlobalBox{first(chunk), first(chunk) + chunk_}, GlobalBox{{}, points_});
}

GlobalBox ChunkGrid::touching(GlobalBox box) const {
  GlobalBox chunks{};
  for (int axis = 0; axis < 3; ++axis) {
    chunks.lower[axis] = box.lower[axis] / chunk_[axis];
    chunks.upper[axis] = divided_up(box.upper[axis], chunk_[axis]);
  }
  return chunks;
}

GlobalBox ChunkGrid::beginning_in(GlobalBox share) const {
  GlobalBox chunks{};
  // The corners of an empty box may be anything.
  if (share.empty()) {
    return chunks;
  }
  for (int axis = 0; axis < 3; ++axis) {
    // The first chunk boundary at or after a corner of the share, in chunks.
    chunks.lower[axis] = divided_up(share.lower[axis], chunk_[axis]);
    chunks.upper[axis] = divided_up(share.upper[axis], chunk_[axis]);
  }
  return chunks;
}

Index3 nth_index(GlobalBox box, std::int64_t n) {
  Extent3 const size = box.extent();
  return box.lower + Index3{n % size.x, n / size.x % size.y, n / size.x / size.y};
}

}  // namespace isotherm
