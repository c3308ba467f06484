#include "io/write_plan.hpp"

#include <algorithm>

namespace isotherm {
namespace {

std::int64_t divided_up(std::int64_t total, std::int64_t part) { return (total + part - 1) / part; }

/// The largest size, at most `limit`, of equal parts of `total`.
std::int64_t equal_part(std::int64_t total, std::int64_t limit) {
  return divided_up(total, divided_up(total, limit));
}

std::int64_t largest(mpi::Communicator const& ranks, std::int64_t value) {
  return static_cast<std::int64_t>(ranks.max(static_cast<double>(value)));
}

}  // namespace

Extent3 chunk_extent(Extent3 points) {
  Extent3 const limit = points.z == 1 ? Extent3{512, 512, 1} : Extent3{128, 128, 16};
  return {equal_part(points.x, limit.x), equal_part(points.y, limit.y),
          equal_part(points.z, limit.z)};
}

GlobalBox WritePlan::piece(GlobalBox share, std::int64_t call) const {
  if (share.empty()) {
    return {};
  }
  std::int64_t const first = share.lower[axis] / block;
  std::int64_t const wanted = first + (call - first % calls + calls) % calls;
  GlobalBox slab = share;
  slab.lower[axis] = wanted * block;
  slab.upper[axis] = (wanted + 1) * block;
  GlobalBox const box = intersection(share, slab);
  return box.empty() ? GlobalBox{} : box;
}

WritePlan plan_write(mpi::Communicator const& ranks, Extent3 points, GlobalBox share,
                     std::size_t element_bytes, std::size_t limit) {
  WritePlan plan;
  plan.axis = points.z > 1 ? 2 : 1;
  std::int64_t const layer = chunk_extent(points)[plan.axis];
  std::int64_t const planes = share.empty() ? 1 : share.extent()[plan.axis];
  std::int64_t const layer_bytes = largest(
      ranks, share.point_count() / planes * layer * static_cast<std::int64_t>(element_bytes));
  std::int64_t const layers_at_once = std::max<std::int64_t>(
      1, static_cast<std::int64_t>(limit) / std::max<std::int64_t>(1, layer_bytes));
  plan.block = layers_at_once * layer;
  std::int64_t const blocks_touched = share.empty() ? 1
                                                    : (share.upper[plan.axis] - 1) / plan.block -
                                                          share.lower[plan.axis] / plan.block + 1;
  plan.calls = largest(ranks, blocks_touched);
  return plan;
}

}  // namespace isotherm
