#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "kernels/core/queue/queue.hpp"
#include "kernels/transforms/tridiagonal/tridiagonal_tables.hpp"

namespace isotherm::cuda {

/// Maximum number of points of a line that a thread block has in shared memory, if the device has
/// enough of it. Longer lines are solved by one thread each.
constexpr std::int64_t max_tridiagonal_tile = 16384;
/// Lines of this number of points fit the shared memory of any device.
constexpr std::int64_t small_tridiagonal_tile = 4096;
/// Maximum size of the device memory for the factors of longer lines, unless one line needs more.
constexpr std::size_t max_tridiagonal_scratch = std::size_t{64} << 20;

/// Returns an upper bound on the device memory in bytes that passes over lines of `count` points
/// use.
constexpr std::size_t tridiagonal_scratch_bytes(std::int64_t count, std::size_t bytes_of_value) {
  if (count <= small_tridiagonal_tile) return 0;
  return std::max(max_tridiagonal_scratch, static_cast<std::size_t>(count) * bytes_of_value);
}

/// Enqueues solving the lines along `axis`. See
/// kernels/transforms/tridiagonal/tridiagonal_solve.hpp.
template <class Real>
void solve_lines(Queue& queue, TridiagonalPass<Real> const& pass, int axis);

}  // namespace isotherm::cuda
