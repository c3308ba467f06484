#include "kernels/core/cuda/check.hpp"
#include "kernels/core/cuda/launch.hpp"
#include "kernels/multigrid/coarsest/cuda/modes.hpp"

namespace isotherm::cuda {

namespace {

/// Threads of the only block. The work takes no longer than a kernel launch, so a single block is
/// enough.
constexpr int threads = 1024;
/// Maximum number of groups that a thread computes. The maximum occurs if an axis has two points:
/// there are then as many groups as lines, half as many as points.
constexpr int max_groups = (static_cast<int>(max_mode_points) / 2 + threads - 1) / threads;

/// Values of a matrix row that are loaded by one instruction.
template <class Real>
struct alignas(mode_group * sizeof(Real)) Group {
  Real v[mode_group];
};

/// Division of numbers below 2^16 by a fixed number, by multiplication with its reciprocal. An
/// ordinary division needs as many instructions as all other work between two divisions.
class Divisor {
 public:
  /// @pre by > 0
  __device__ explicit Divisor(int by) : by_(by), inverse_(0xffffffffU / by + 1) {}
  __device__ __forceinline__ int quotient(int dividend) const {
    return by_ == 1 ? dividend
                    : static_cast<int>(__umulhi(static_cast<unsigned>(dividend), inverse_));
  }

 private:
  int by_;
  unsigned inverse_;
};

/// Calls visit(n, i, j, k) for this thread's points of a box, every threads-th one. n numbers the
/// points, x fastest.
template <class Visit>
__device__ __forceinline__ void for_mine(int x, int y, int count, Visit const& visit) {
  Divisor const by_x(x);
  Divisor const by_y(y);
  for (int n = static_cast<int>(threadIdx.x); n < count; n += threads) {
    int const row = by_x.quotient(n);
    int const k = by_y.quotient(row);
    visit(n, n - row * x, row - k * y, k);
  }
}

/// Transforms along an axis. Replaces values[q · lines + line], where q runs along the axis, by Σ_q
/// by[q · pitch + p] values[q, line].
///
/// The result is stored at [line · count + p]: the axis becomes the fastest one, and the previous
/// axis becomes the slowest for the next call. A thread computes groups of entries of a line, for
/// which it reads each value of the line once.
template <class Real>
__device__ __forceinline__ void transform(Real const* by, int count, int lines, Real* values) {
  if (count == 1) return;
  int const pitch = mode_pitch(count);
  int const items = lines * (pitch / mode_group);
  Divisor const by_lines(lines);
  Group<Real> sums[max_groups];
#pragma unroll
  for (int n = 0; n < max_groups; ++n) {
    int const item = static_cast<int>(threadIdx.x) + n * threads;
    if (item >= items) break;
    int const group = by_lines.quotient(item);
    Real const* weights = by + group * mode_group;
    Real const* value = values + (item - group * lines);
    sums[n] = {};
#pragma unroll 4
    for (int q = 0; q < count; ++q, weights += pitch, value += lines) {
      auto const weight = *reinterpret_cast<Group<Real> const*>(weights);
      Real const factor = *value;
#pragma unroll
      for (int p = 0; p < mode_group; ++p) sums[n].v[p] += weight.v[p] * factor;
    }
  }
  // All values have been read, so the results may overwrite them.
  __syncthreads();
#pragma unroll
  for (int n = 0; n < max_groups; ++n) {
    int const item = static_cast<int>(threadIdx.x) + n * threads;
    if (item >= items) break;
    int const group = by_lines.quotient(item);
    int const first = group * mode_group;
    Real* const line = values + (item - group * lines) * count;
#pragma unroll
    for (int p = 0; p < mode_group; ++p) {
      if (first + p < count) line[first + p] = sums[n].v[p];
    }
  }
  __syncthreads();
}

/// Prefetches matrices. The fine grids of a cycle have evicted them from the caches, and the
/// transforms would wait for memory one after the other.
template <class Real>
__device__ __forceinline__ void prefetch(AxisModes<Real> const& modes) {
  // One prefetch per cache line, distributed over the threads.
  constexpr int line = 128 / sizeof(Real);
  int const matrix = modes.count * mode_pitch(modes.count);
  for (int at = static_cast<int>(threadIdx.x) * line; at < matrix; at += threads * line) {
    asm volatile("prefetch.global.L1 [%0];" ::"l"(modes.to_modes + at));
    asm volatile("prefetch.global.L1 [%0];" ::"l"(modes.to_points + at));
  }
}

/// The kernel, with one block. All values are in shared memory; the sums of a transform are in
/// registers. Three transforms rotate the axes back to their original order.
template <class Real>
__global__ void __launch_bounds__(threads)
    modes_kernel(Modes<Real> modes, FieldView<Real const> from, FieldView<Real> to, Index3 lower) {
  __shared__ Real values[max_mode_points];
  prefetch(modes.x);
  prefetch(modes.y);
  prefetch(modes.z);
  int const x = modes.x.count;
  int const y = modes.y.count;
  int const z = modes.z.count;
  for_mine(x, y, x * y * z, [&](int n, int i, int j, int k) {
    values[n] = from(lower.x + i, lower.y + j, lower.z + k);
  });
  __syncthreads();
  // z is the slowest axis at first. Each transform moves its axis to the front.
  transform(modes.z.to_modes, z, x * y, values);
  transform(modes.y.to_modes, y, z * x, values);
  transform(modes.x.to_modes, x, y * z, values);
  for_mine(x, y, x * y * z,
           [&](int n, int i, int j, int k) { values[n] *= modes.inverse(i, j, k); });
  __syncthreads();
  transform(modes.z.to_points, z, x * y, values);
  transform(modes.y.to_points, y, z * x, values);
  transform(modes.x.to_points, x, y * z, values);
  for_mine(x, y, x * y * z, [&](int n, int i, int j, int k) {
    to(lower.x + i, lower.y + j, lower.z + k) = values[n];
  });
}

}  // namespace

template <class Real>
void solve_by_modes(Queue& queue, Modes<Real> const& modes, FieldView<Real const> from,
                    FieldView<Real> to, LocalBox box) {
  modes_kernel<<<1, threads, 0, make_current(queue)>>>(modes, from, to, box.lower);
  check_launch();
}

template void solve_by_modes(Queue&, Modes<float> const&, FieldView<float const>, FieldView<float>,
                             LocalBox);
template void solve_by_modes(Queue&, Modes<double> const&, FieldView<double const>,
                             FieldView<double>, LocalBox);

}  // namespace isotherm::cuda
