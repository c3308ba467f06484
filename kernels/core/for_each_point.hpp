#pragma once

#include "kernels/core/cpu/points.hpp"
#include "kernels/core/partial_results.hpp"
#include "kernels/core/queue/dispatch.hpp"

#if defined(__CUDACC__)
#include "kernels/core/cuda/points.cuh"
#endif

// Pointwise operations, which are written once for both backends.
//
// An operation is a functor: plain data, such as field views and numbers, and a call operator that
// is marked ISOTHERM_INLINE. On the CPU, OpenMP threads share the rows of the box. On CUDA, a
// kernel calls the operation.
//
// Only sources named *.portable.cpp may call these functions. In builds with CUDA, nvcc compiles
// such a source for both backends; otherwise the C++ compiler compiles it (cmake/room.cmake). Other
// sources cannot launch kernels: their programs would not link.

namespace isotherm {

namespace cuda {
// Declared for the C++ compiler, which parses dispatch() but cannot compile kernels.
template <class Operation>
void run_at_points(Queue& queue, LocalBox const& box, Operation const& operation);
template <class Operation>
void run_in_columns(Queue& queue, LocalBox const& box, Operation const& operation);
template <class Value, class Accumulate>
void reduce_points(Queue& queue, LocalBox const& box, Accumulate const& accumulate, Value* parts,
                   int part_count);
}  // namespace cuda

/// Enqueues operation(i, j, k) for every point of `box`, in no particular order.
///
///   template <class Real>
///   struct Scale {
///     FieldView<Real> field;
///     Real factor;
///     ISOTHERM_INLINE void operator()(std::int64_t i, std::int64_t j, std::int64_t k) const {
///       field(i, j, k) *= factor;
///     }
///   };
///   for_each_point(queue, box, Scale<double>{field, 2.0});
///
/// CUDA threads take the points one by one, so thin boxes such as faces keep all threads busy.
/// @pre The operation at one point does not depend on its result at another.
template <class Operation>
void for_each_point(Queue& queue, LocalBox const& box, Operation const& operation) {
  if (box.empty()) return;
  dispatch(
      queue, [&] { cpu::for_each_point(box, operation); },
      [&](auto) { cuda::run_at_points(queue, box, operation); });
}

/// Does the same as for_each_point(), for operations on whole grids that are limited by memory
/// bandwidth. A CUDA thread marches along z through a column of points, which saves the division
/// that recovers the indices of each point.
template <class Operation>
void for_each_point_in_columns(Queue& queue, LocalBox const& box, Operation const& operation) {
  if (box.empty()) return;
  dispatch(
      queue, [&] { cpu::for_each_point(box, operation); },
      [&](auto) { cuda::run_in_columns(queue, box, operation); });
}

/// Reduces the points of `box` to one value, and waits for the queue. accumulate(value, i, j, k)
/// adds a point to a value. The value covers this rank only; the call does not communicate.
///
/// The order depends on the box and the backend alone, so results are reproducible bit for bit. An
/// empty box gives Value{}.
/// @param partial  memory to work in
/// @tparam Value  a trivially copyable result; see PartialResults
template <class Value, class Accumulate>
[[nodiscard]] Value reduce_points(Queue& queue, LocalBox const& box,
                                  PartialResults<Value> const& partial,
                                  Accumulate const& accumulate) {
  if (box.empty()) return Value{};
  constexpr int part_count = PartialResults<Value>::part_count;
  dispatch(
      queue, [&] { cpu::reduce_points(box, accumulate, partial.parts(), part_count); },
      [&](auto) { cuda::reduce_points(queue, box, accumulate, partial.parts(), part_count); });
  return partial.merged(queue);
}

}  // namespace isotherm
