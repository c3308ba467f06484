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

/// As many chunk layers as the rank with the most points in one may hand over, at least one.
std::int64_t layers_at_once(mpi::Communicator const& ranks, GlobalBox share, WritePlan const& plan,
                            std::size_t element_bytes, std::size_t limit) {
  std::int64_t const planes = share.empty() ? 1 : share.extent()[plan.axis];
  std::int64_t const points = largest(ranks, share.point_count() / planes * plan.layer);
  auto const bytes = static_cast<std::size_t>(points) * element_bytes;
  return static_cast<std::int64_t>(std::clamp<std::size_t>(
      limit / std::max<std::size_t>(bytes, 1), 1, static_cast<std::size_t>(plan.layers)));
}

std::int64_t blocks_touched(GlobalBox share, WritePlan const& plan) {
  if (share.empty()) {
    return 1;
  }
  return (share.upper[plan.axis] - 1) / plan.block - share.lower[plan.axis] / plan.block + 1;
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

std::int64_t WritePlan::layers_in(std::int64_t call) const {
  std::int64_t const at_once = block / layer;
  std::int64_t count = 0;
  for (std::int64_t first = call * at_once; first < layers; first += calls * at_once) {
    count += std::min(at_once, layers - first);
  }
  return count;
}

WritePlan plan_write(mpi::Communicator const& ranks, Extent3 points, GlobalBox share,
                     std::size_t element_bytes, std::size_t limit) {
  WritePlan plan;
  plan.axis = points.z > 1 ? 2 : 1;
  plan.layer = chunk_extent(points)[plan.axis];
  plan.layers = divided_up(points[plan.axis], plan.layer);
  plan.block = plan.layer * layers_at_once(ranks, share, plan, element_bytes, limit);
  plan.calls = largest(ranks, blocks_touched(share, plan));
  return plan;
}

}  // namespace isotherm
