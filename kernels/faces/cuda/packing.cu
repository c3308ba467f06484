#include <type_traits>

#include "kernels/core/cuda/check.hpp"
#include "kernels/core/cuda/launch.hpp"
#include "kernels/faces/cuda/packing.hpp"

namespace isotherm::cuda {

namespace {

constexpr int lanes_per_warp = 32;
/// Loads that a lane has in flight.
constexpr int vectors_per_lane = 4;
/// Maximum number of tasks of a launch.
constexpr int longest_list = max_packed_boxes;

/// Division of a packed box's work. Each row is cut into segments. `lanes` threads copy one
/// segment, fewer than a warp if rows are short.
struct Shares {
  std::int64_t row_length = 0;  ///< elements
  std::int64_t rows_per_plane = 0;
  std::int64_t segments = 0;        ///< per row
  std::int64_t segment_length = 0;  ///< elements
  std::int64_t count = 0;           ///< number of segments of the packed box
  int lanes = 0;
  bool wide = false;  ///< rows are whole vectors that are aligned in the field and the array
};

/// A packed box, its division, and the number of its first warp.
template <class Real>
struct Task {
  Real* dense = nullptr;
  Index3 lower{};
  Shares shares{};
  std::int64_t first_warp = 0;
};

/// All packed boxes of a launch. Its warps are numbered consecutively.
template <class Real>
struct TaskList {
  Task<Real> tasks[longest_list]{};
  int count = 0;
  std::int64_t warps = 0;
};

/// Divides the rows of a packed box such that each lane copies up to four vectors.
template <class Real>
Shares shares_of(LocalBox const& box, Real const* dense) {
  // Vectors of 16 bytes are possible if rows begin and end at multiples of them on both sides.
  constexpr std::int64_t vector = sizeof(int4) / sizeof(Real);
  Extent3 const n = box.extent();
  Shares shares;
  shares.row_length = n.x;
  shares.rows_per_plane = n.y;
  shares.wide = n.x % vector == 0 && box.lower.x % vector == 0 &&
                reinterpret_cast<std::uintptr_t>(dense) % sizeof(int4) == 0;
  // A power of two: segments then do not straddle warps.
  shares.lanes = 1;
  while (shares.lanes < lanes_per_warp && shares.lanes * vector < n.x) shares.lanes *= 2;
  shares.segment_length = vectors_per_lane * vector * shares.lanes;
  shares.segments = tiles(n.x, shares.segment_length);
  shares.count = shares.segments * n.y * n.z;
  return shares;
}

/// Returns the tasks for all packed boxes that are not empty.
template <class Real>
TaskList<Real> tasks_of(std::span<PackedBox<Real> const> packed_boxes) {
  TaskList<Real> list;
  for (PackedBox<Real> const& packed_box : packed_boxes) {
    if (packed_box.box.empty()) continue;
    Task<Real>& task = list.tasks[list.count++];
    task = {packed_box.dense, packed_box.box.lower, shares_of(packed_box.box, packed_box.dense),
            list.warps};
    // Every task begins with a new warp, so the lanes of a warp belong to one task.
    list.warps += tiles(task.shares.count * task.shares.lanes, lanes_per_warp);
  }
  return list;
}

/// Copies up to `vectors_per_lane` units, `stride` apart, within `length`. All loads precede the
/// stores, whose destination may be another device.
template <class Unit>
__device__ void copy_units(Unit* to, Unit const* from, int stride, std::int64_t length) {
  Unit values[vectors_per_lane];
#pragma unroll
  for (int n = 0; n < vectors_per_lane; ++n) {
    if (n * stride < length) values[n] = from[n * stride];
  }
#pragma unroll
  for (int n = 0; n < vectors_per_lane; ++n) {
    if (n * stride < length) to[n * stride] = values[n];
  }
}

/// Copies one lane's part of a segment of `length` elements.
template <class Real>
__device__ void copy_segment(Real* to, Real const* from, Shares const& shares, int lane,
                             std::int64_t length) {
  constexpr int vector = sizeof(int4) / sizeof(Real);
  if (shares.wide) {
    copy_units(reinterpret_cast<int4*>(to) + lane, reinterpret_cast<int4 const*>(from) + lane,
               shares.lanes, length / vector - lane);
    return;
  }
  // Single elements: as many rounds as a vector has elements.
  int const batch = vectors_per_lane * shares.lanes;
  for (int start = 0; start < vector * batch; start += batch) {
    copy_units(to + start + lane, from + start + lane, shares.lanes, length - start - lane);
  }
}

/// The kernel: packs or unpacks all packed boxes. `lanes` adjacent threads copy one segment of a
/// row through registers. A thread visits warps in ascending order, so a forward search finds their
/// tasks.
template <bool packing, class Real, class View>
__global__ void copy_packed_boxes(TaskList<Real> list, View field) {
  // Grid-stride loop over all warps of all tasks.
  std::int64_t const stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  std::int64_t const first = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  int number = 0;
  for (std::int64_t thread = first; thread < list.warps * lanes_per_warp; thread += stride) {
    std::int64_t const warp = thread / lanes_per_warp;
    // The task that contains this warp.
    while (number + 1 < list.count && warp >= list.tasks[number + 1].first_warp) ++number;
    Task<Real> const& task = list.tasks[number];
    Shares const& shares = task.shares;
    std::int64_t const in_task = thread - task.first_warp * lanes_per_warp;
    std::int64_t const segment = in_task / shares.lanes;
    // The last warp of a task may have lanes left over.
    if (segment >= shares.count) continue;
    std::int64_t const row = segment / shares.segments;
    std::int64_t const begin = (segment - row * shares.segments) * shares.segment_length;
    std::int64_t const plane = row / shares.rows_per_plane;
    // The segment's beginning in the field and in the array.
    auto* const here =
        &field(task.lower.x + begin, task.lower.y + row - plane * shares.rows_per_plane,
               task.lower.z + plane);
    auto* const dense = task.dense + row * shares.row_length + begin;
    std::int64_t const left = shares.row_length - begin;
    std::int64_t const length = left < shares.segment_length ? left : shares.segment_length;
    int const lane = static_cast<int>(in_task % shares.lanes);
    if constexpr (packing) {
      copy_segment(dense, here, shares, lane, length);
    } else {
      copy_segment(here, dense, shares, lane, length);
    }
  }
}

/// Launches the kernel for all packed boxes.
template <bool packing, class Real, class View>
void enqueue(Queue& queue, std::span<PackedBox<Real> const> packed_boxes, View field) {
  // The list is a kernel parameter, so it needs no memory on the device.
  TaskList<Real> const list = tasks_of(packed_boxes);
  copy_packed_boxes<packing>
      <<<blocks_for(list.warps * lanes_per_warp), threads_per_block, 0, make_current(queue)>>>(
          list, field);
  check_launch();
}

}  // namespace

template <class Real>
void pack(Queue& queue, FieldView<Real const> field,
          std::span<PackedBox<Real> const> packed_boxes) {
  enqueue<true>(queue, packed_boxes, field);
}
template <class Real>
void unpack(Queue& queue, std::span<PackedBox<Real const> const> packed_boxes,
            FieldView<Real> field) {
  enqueue<false>(queue, packed_boxes, field);
}

#define ISOTHERM_INSTANTIATE(Real)                                                     \
  template void pack(Queue&, FieldView<Real const>, std::span<PackedBox<Real> const>); \
  template void unpack(Queue&, std::span<PackedBox<Real const> const>, FieldView<Real>);
ISOTHERM_INSTANTIATE(float)
ISOTHERM_INSTANTIATE(double)
#undef ISOTHERM_INSTANTIATE

}  // namespace isotherm::cuda
