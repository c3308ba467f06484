#pragma once

#include "kernels/core/cuda/columns.cuh"
#include "kernels/core/cuda/each_point.cuh"

namespace isotherm::cuda {

/// Calls a pointwise operation, which ignores the number of the point.
template <class Operation>
struct AtPoint {
  Operation operation;

  __device__ void operator()(std::int64_t i, std::int64_t j, std::int64_t k,
                             std::int64_t /*item*/) const {
    operation(i, j, k);
  }
};

/// Enqueues operation(i, j, k) for every point of `box`. A thread handles one point per iteration
/// of a grid-stride loop.
/// @pre The box is not empty.
template <class Operation>
void run_at_points(Queue& queue, LocalBox const& box, Operation const& operation) {
  // Qualified, because an unqualified call would also find isotherm::for_each_point().
  cuda::for_each_point(queue, box, AtPoint<Operation>{operation});
}

/// Calls operation(i, j, k) for every point of `box`, column by column.
template <class Operation>
__global__ void __launch_bounds__(block_threads) visit_columns(Operation operation, LocalBox box) {
  for_my_columns(box, [&](std::int64_t i, std::int64_t j, std::int64_t k, std::int64_t end) {
    for (; k < end; ++k) operation(i, j, k);
  });
}

/// Enqueues operation(i, j, k) for every point of `box`. A thread marches along z.
/// @pre The box is not empty.
template <class Operation>
void run_in_columns(Queue& queue, LocalBox const& box, Operation const& operation) {
  Launch const over = launch_over(box);
  visit_columns<<<over.grid, over.block, 0, make_current(queue)>>>(operation, box);
  check_launch();
}

/// Threads of a block that reduces points.
constexpr int reduction_threads = 256;

/// Merges the values of a block's threads in a tree, so the result does not depend on the
/// scheduling of warps. Every thread of the block must call it.
///
/// It uses reduction_threads · sizeof(Value) bytes of shared memory. A block that calls it again
/// must synchronise first.
/// @param merge  merge(a, b) adds value b to value a
/// @returns  the result in thread 0; other threads get partial results
/// @pre The block has reduction_threads threads in x.
template <class Value, class Merge>
__device__ Value merge_block(Value const& mine, Merge const& merge) {
  // Raw memory, since shared variables must not have initialisers.
  alignas(Value) __shared__ unsigned char memory[reduction_threads * sizeof(Value)];
  auto* const values = reinterpret_cast<Value*>(memory);
  values[threadIdx.x] = mine;
  for (int half = reduction_threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) merge(values[threadIdx.x], values[threadIdx.x + half]);
  }
  return values[threadIdx.x];
}

/// Computes the partial results: block p reduces rows p, p + gridDim.x, … of the box. The threads
/// of a block share each row: thread t takes points t, t + reduction_threads, … and keeps their sum
/// in registers.
template <class Value, class Accumulate>
__global__ void __launch_bounds__(reduction_threads)
    reduction_kernel(Accumulate accumulate, LocalBox box, Value* parts) {
  Value mine;
  std::int64_t const height = box.upper.y - box.lower.y;
  std::int64_t const rows = height * (box.upper.z - box.lower.z);
  for (std::int64_t row = blockIdx.x; row < rows; row += gridDim.x) {
    std::int64_t const j = box.lower.y + row % height;
    std::int64_t const k = box.lower.z + row / height;
    for (std::int64_t i = box.lower.x + threadIdx.x; i < box.upper.x; i += reduction_threads) {
      accumulate(mine, i, j, k);
    }
  }
  Value const all = merge_block(mine, [](Value& a, Value const& b) { a.add(b); });
  if (threadIdx.x == 0) parts[blockIdx.x] = all;
}

/// Enqueues reducing the points of `box` to `part_count` partial results.
/// @param parts  memory of the device, which is overwritten
template <class Value, class Accumulate>
void reduce_points(Queue& queue, LocalBox const& box, Accumulate const& accumulate, Value* parts,
                   int part_count) {
  reduction_kernel<<<static_cast<unsigned>(part_count), reduction_threads, 0,
                     make_current(queue)>>>(accumulate, box, parts);
  check_launch();
}

}  // namespace isotherm::cuda
