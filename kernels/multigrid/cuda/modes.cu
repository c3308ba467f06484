#include "kernels/core/cuda/check.hpp"
#include "kernels/core/cuda/launch.hpp"
#include "kernels/multigrid/cuda/modes.hpp"

namespace isotherm::cuda {

namespace {

/// One block solves it all: there is so little to do that starting a kernel takes as long.
constexpr int threads = 1024;
constexpr int most_of_a_thread = static_cast<int>(most_mode_points) / threads;
static_assert(most_of_a_thread * threads == most_mode_points);

/// A box of `x · y · z` values in shared memory, x fastest. A thread has every threads-th of them.
template <class Real>
struct SharedBox {
  Real* values;
  int x;
  int y;
  int z;

  template <class Visit>
  __device__ __forceinline__ void for_mine(Visit const& visit) const {
    int const count = x * y * z;
#pragma unroll
    for (int n = 0; n < most_of_a_thread; ++n) {
      int const at = static_cast<int>(threadIdx.x) + n * threads;
      if (at < count) visit(n, at);
    }
  }

  /// values[…, p, …] = Σ_q by[q · count + p] values[…, q, …] along an axis whose entries lie
  /// `stride` apart.
  __device__ __forceinline__ void transform_along(Real const* by, int count, int stride) const {
    if (count == 1) return;
    Real sums[most_of_a_thread];
    for_mine([&](int n, int at) {
      int const p = at / stride % count;
      Real const* const from = values + (at - p * stride);
      Real sum = 0;
#pragma unroll 4
      for (int q = 0; q < count; ++q) sum += by[q * count + p] * from[q * stride];
      sums[n] = sum;
    });
    __syncthreads();
    for_mine([&](int n, int at) { values[at] = sums[n]; });
    __syncthreads();
  }
};

template <class Real>
__global__ void __launch_bounds__(threads)
    modes_kernel(Modes<Real> modes, FieldView<Real const> from, FieldView<Real> to, Index3 lower) {
  __shared__ Real values[most_mode_points];
  SharedBox<Real> const box{values, modes.x.count, modes.y.count, modes.z.count};
  auto const with_point = [&](int at, auto const& visit) {
    int const row = at / box.x;
    visit(at - row * box.x, row % box.y, row / box.y);
  };
  box.for_mine([&](int, int at) {
    with_point(
        at, [&](int i, int j, int k) { values[at] = from(lower.x + i, lower.y + j, lower.z + k); });
  });
  __syncthreads();
  box.transform_along(modes.x.to_modes, box.x, 1);
  box.transform_along(modes.y.to_modes, box.y, box.x);
  box.transform_along(modes.z.to_modes, box.z, box.x * box.y);
  box.for_mine([&](int, int at) {
    with_point(at, [&](int i, int j, int k) { values[at] *= modes.inverse(i, j, k); });
  });
  __syncthreads();
  box.transform_along(modes.x.to_points, box.x, 1);
  box.transform_along(modes.y.to_points, box.y, box.x);
  box.transform_along(modes.z.to_points, box.z, box.x * box.y);
  box.for_mine([&](int, int at) {
    with_point(
        at, [&](int i, int j, int k) { to(lower.x + i, lower.y + j, lower.z + k) = values[at]; });
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
