#include "kernels/core/cuda/check.hpp"
#include "kernels/core/cuda/launch.hpp"
#include "kernels/multigrid/cuda/modes.hpp"

namespace isotherm::cuda {

namespace {

/// One block solves it all: there is so little to do that starting a kernel takes as long.
constexpr int threads = 1024;
/// Groups of a line that a thread computes at most. Lines of two entries have as many groups as
/// lines, of which the other axes allow half as many as points.
constexpr int most_groups = (static_cast<int>(most_mode_points) / 2 + threads - 1) / threads;

/// Values of a row of a matrix that are loaded at once.
template <class Real>
struct alignas(mode_group * sizeof(Real)) Group {
  Real v[mode_group];
};

/// A box of `x · y · z` values in shared memory, x fastest.
template <class Real>
struct SharedBox {
  Real* values;
  int x;
  int y;
  int z;

  /// Calls visit(index, i, j, k) for every threads-th value.
  template <class Visit>
  __device__ __forceinline__ void for_mine(Visit const& visit) const {
    for (int at = static_cast<int>(threadIdx.x); at < x * y * z; at += threads) {
      int const row = at / x;
      visit(at, at - row * x, row % y, row / y);
    }
  }

  /// values[…, p, …] = Σ_q by[q · pitch + p] values[…, q, …] along an axis whose entries lie
  /// `stride` apart. A thread computes groups of entries of a line, for which it reads each value
  /// of the line once.
  __device__ __forceinline__ void transform_along(Real const* by, int count, int stride) const {
    if (count == 1) return;
    int const pitch = mode_pitch(count);
    int const groups = pitch / mode_group;
    int const lines = x * y * z / count;
    Group<Real> sums[most_groups];
    auto const for_my_groups = [&](auto const& visit) {
#pragma unroll
      for (int n = 0; n < most_groups; ++n) {
        int const item = static_cast<int>(threadIdx.x) + n * threads;
        if (item >= lines * groups) break;
        int const line = item % lines;
        visit(sums[n], values + line / stride * (count * stride) + line % stride,
              item / lines * mode_group);
      }
    };
    for_my_groups([&](Group<Real>& sum, Real const* line, int first) {
      sum = {};
      Real const* weights = by + first;
#pragma unroll 4
      for (int q = 0; q < count; ++q, weights += pitch) {
        auto const weight = *reinterpret_cast<Group<Real> const*>(weights);
        Real const value = line[q * stride];
#pragma unroll
        for (int p = 0; p < mode_group; ++p) sum.v[p] += weight.v[p] * value;
      }
    });
    __syncthreads();
    for_my_groups([&](Group<Real> const& sum, Real* line, int first) {
#pragma unroll
      for (int p = 0; p < mode_group; ++p) {
        if (first + p < count) line[(first + p) * stride] = sum.v[p];
      }
    });
    __syncthreads();
  }
};

template <class Real>
__global__ void __launch_bounds__(threads)
    modes_kernel(Modes<Real> modes, FieldView<Real const> from, FieldView<Real> to, Index3 lower) {
  __shared__ Real values[most_mode_points];
  SharedBox<Real> const box{values, modes.x.count, modes.y.count, modes.z.count};
  box.for_mine([&](int at, int i, int j, int k) {
    values[at] = from(lower.x + i, lower.y + j, lower.z + k);
  });
  __syncthreads();
  box.transform_along(modes.x.to_modes, box.x, 1);
  box.transform_along(modes.y.to_modes, box.y, box.x);
  box.transform_along(modes.z.to_modes, box.z, box.x * box.y);
  box.for_mine([&](int at, int i, int j, int k) { values[at] *= modes.inverse(i, j, k); });
  __syncthreads();
  box.transform_along(modes.x.to_points, box.x, 1);
  box.transform_along(modes.y.to_points, box.y, box.x);
  box.transform_along(modes.z.to_points, box.z, box.x * box.y);
  box.for_mine(
      [&](int at, int i, int j, int k) { to(lower.x + i, lower.y + j, lower.z + k) = values[at]; });
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
