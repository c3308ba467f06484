#pragma once

#include <cstddef>

#include "kernels/core/queue/queue.hpp"
#include "kernels/transforms/dense/cuda/dense_packing.hpp"
#include "kernels/transforms/dense/dense_tables.hpp"

namespace isotherm::cuda {

/// Maximum size of the device memory that LineTask::solve uses for modes, in bytes.
constexpr std::size_t solve_scratch_bytes = std::size_t{64} << 20;

/// Returns true if a pass may write to the field that it reads: a thread block then computes all
/// modes of its lines.
template <class Real>
bool works_in_place(DenseTables<Real> const& tables) {
  return dense_shape<Real>(tables.count, tables.is_mirrored).tiles == 1;
}

/// Enqueues a pass over lines along `axis`. See kernels/transforms/dense/dense_transform.hpp.
template <class Real>
void transform(Queue& queue, DensePass<Real> const& pass, int axis);

}  // namespace isotherm::cuda
