#pragma once

#include "kernels/transforms/fft/butterflies.hpp"
#include "kernels/transforms/fft/cuda/tile.cuh"

namespace isotherm::cuda {

/// Applies a stage of the Fourier transform in place: all values are in registers between the two
/// barriers.
/// @param done  product of the radices of earlier stages
template <int radix, class Real>
__device__ __forceinline__ void apply_stage(Tile<Real> const& tile, int length, int done,
                                            Complex<Real> const* roots) {
  constexpr int butterflies = (points_per_thread + radix - 1) / radix;
  int const pitch = length / radix;
  int const turn = pitch / done;
  Complex<Real> v[butterflies][radix];
#pragma unroll
  for (int m = 0; m < butterflies; ++m) {
    // Threads without a butterfly read another one. Registers that are not always set would keep
    // their values from stage to stage.
    int const b = min(tile.thread() + m * tile.threads(), pitch - 1);
#pragma unroll
    for (int r = 0; r < radix; ++r) v[m][r] = tile.at(b + r * pitch);
  }
  __syncthreads();
#pragma unroll
  for (int m = 0; m < butterflies; ++m) {
    int const b = tile.thread() + m * tile.threads();
    if (b >= pitch) continue;
    int const group = b / done;
    int const k = b - group * done;
    if (done > 1) {
#pragma unroll
      for (int r = 1; r < radix; ++r) v[m][r] = product(v[m][r], roots[r * k * turn]);
    }
    butterfly<radix>(v[m]);
#pragma unroll
    for (int r = 0; r < radix; ++r) tile.at(group * done * radix + k + r * done) = v[m][r];
  }
  __syncthreads();
}

template <class Real>
__device__ __forceinline__ void fourier_transform(Tile<Real> const& tile, FftPlan const& plan,
                                                  Complex<Real> const* roots) {
  int done = 1;
  for (int stage = 0; stage < plan.stages; ++stage) {
    int const radix = plan.radix[stage];
    switch (radix) {
      case 2:
        apply_stage<2>(tile, plan.length, done, roots);
        break;
      case 3:
        apply_stage<3>(tile, plan.length, done, roots);
        break;
      case 4:
        apply_stage<4>(tile, plan.length, done, roots);
        break;
      case 5:
        apply_stage<5>(tile, plan.length, done, roots);
        break;
      case 7:
        apply_stage<7>(tile, plan.length, done, roots);
        break;
      default:
        apply_stage<8>(tile, plan.length, done, roots);
    }
    done *= radix;
  }
}

/// Most pairs (k, N − k) that a thread has.
constexpr int pairs_per_thread = points_per_thread / 2 + 1;

/// Moves the long waves of a tile from its modes to their own places.
template <LineForm form, class Real>
__device__ __forceinline__ void take_long_waves(Tile<Real> const& tile) {
  if (tile.thread() == 0) {
    tile.wave(0) = form == LineForm::cosine ? tile.at(0) : Complex<Real>{};
    tile.wave(1) = tile.at(1);
    if constexpr (form == LineForm::cosine) tile.at(0) = {};
    tile.at(1) = {};
  }
  __syncthreads();
}

/// Replaces nodes by the input of the Fourier transform. Cosine transforms store partial sums, too.
template <LineForm form, class Real>
__device__ __forceinline__ void enter_lines(Tile<Real> const& tile, LineSteps<Real> const& steps) {
  if constexpr (uses_neighbours<form>) {
    if (steps.first_mode != nullptr) take_long_waves<form>(tile);
  }
  auto const node = [&](int k) { return tile.at(k); };
  SpectralPair<Real> pairs[pairs_per_thread];
#pragma unroll
  for (int m = 0; m < pairs_per_thread; ++m) {
    int const k = min(tile.thread() + m * tile.threads(), steps.length / 2);
    pairs[m] = enter<form>(steps, k, node);
  }
  if constexpr (form == LineForm::cosine) {
    for (int part = tile.thread(); part < odd_sum_parts; part += tile.threads()) {
      tile.part(part) = odd_part_sum(steps, part, node);
    }
  }
  __syncthreads();
#pragma unroll
  for (int m = 0; m < pairs_per_thread; ++m) {
    int const k = tile.thread() + m * tile.threads();
    if (2 * k > steps.length) continue;
    tile.at(mirrored(k, steps.length)) = pairs[m].mirrored;
    tile.at(k) = pairs[m].at;
  }
  __syncthreads();
}

/// Replaces the output of the Fourier transform by the values at the nodes.
template <LineForm form, class Real>
__device__ __forceinline__ void leave_lines(Tile<Real> const& tile, LineSteps<Real> const& steps) {
  SpectralPair<Real> pairs[pairs_per_thread];
#pragma unroll
  for (int m = 0; m < pairs_per_thread; ++m) {
    int const k = min(tile.thread() + m * tile.threads(), steps.length / 2);
    pairs[m] = {tile.at(k), tile.at(mirrored(k, steps.length))};
  }
  Complex<Real> odd_sum{};
  if constexpr (form == LineForm::cosine) {
    if (tile.thread() == 0) {
      Complex<Real> parts[odd_sum_parts];
#pragma unroll
      for (int part = 0; part < odd_sum_parts; ++part) parts[part] = tile.part(part);
      odd_sum = sum_of_parts(parts);
    }
  }
  __syncthreads();
  LongWaves<Real> const waves{tile.wave(0), tile.wave(1)};
  auto const put = [&](int k, Complex<Real> value) {
    if constexpr (uses_neighbours<form>) {
      if (steps.first_mode != nullptr) value = with_long_waves<form>(steps, k, waves, value);
    }
    tile.at(k) = value;
  };
#pragma unroll
  for (int m = 0; m < pairs_per_thread; ++m) {
    int const k = tile.thread() + m * tile.threads();
    if (2 * k <= steps.length) leave<form>(steps, k, pairs[m], odd_sum, put);
  }
  __syncthreads();
}

/// Transforms the lines of a tile in shared memory.
template <LineForm form, class Real>
__device__ __forceinline__ void transform_tile(Tile<Real> const& tile, FftPlan const& plan,
                                               Complex<Real> const* roots,
                                               LineSteps<Real> const& steps) {
  enter_lines<form>(tile, steps);
  fourier_transform(tile, plan, roots);
  leave_lines<form>(tile, steps);
}

}  // namespace isotherm::cuda
