#pragma once

#include <utility>

#include "kernels/transforms/fft/butterflies.hpp"
#include "kernels/transforms/fft/cpu/lanes.hpp"
#include "kernels/transforms/fft/fft_plan.hpp"

namespace isotherm::cpu {

/// Values of Lanes<Real>::width complex lines at one point.
template <class Real>
using LineValues = Complex<Lanes<Real>>;

/// Applies one stage of a Fourier transform that sorts its results itself (Stockham).
/// @param done  product of the radices of earlier stages
/// @param roots  exp(−2πi k/N), k < N
template <int radix, bool is_first, class Real>
void apply_stage(LineValues<Real> const* from, LineValues<Real>* to, int length, int done,
                 Complex<Real> const* roots) {
  int const pitch = length / radix;
  int const turn = pitch / done;
  for (int group = 0; group < turn; ++group) {
    LineValues<Real> const* const in = from + group * done;
    LineValues<Real>* const out = to + group * done * radix;
    for (int k = 0; k < done; ++k) {
      LineValues<Real> v[radix];  // NOLINT(modernize-avoid-c-arrays): registers
      v[0] = in[k];
      ISOTHERM_UNROLL
      for (int r = 1; r < radix; ++r) {
        v[r] = is_first ? in[k + r * pitch] : product(in[k + r * pitch], roots[r * k * turn]);
      }
      butterfly<radix>(v);
      ISOTHERM_UNROLL
      for (int r = 0; r < radix; ++r) out[k + r * done] = v[r];
    }
  }
}

template <int radix, class Real>
void apply_stage(LineValues<Real> const* from, LineValues<Real>* to, int length, int done,
                 Complex<Real> const* roots) {
  if (done == 1) {
    apply_stage<radix, true>(from, to, length, 1, roots);
  } else {
    apply_stage<radix, false>(from, to, length, done, roots);
  }
}

template <class Real>
void apply_stage(int radix, LineValues<Real> const* from, LineValues<Real>* to, int length,
                 int done, Complex<Real> const* roots) {
  switch (radix) {
    case 2:
      return apply_stage<2>(from, to, length, done, roots);
    case 3:
      return apply_stage<3>(from, to, length, done, roots);
    case 4:
      return apply_stage<4>(from, to, length, done, roots);
    case 5:
      return apply_stage<5>(from, to, length, done, roots);
    case 7:
      return apply_stage<7>(from, to, length, done, roots);
    default:
      return apply_stage<8>(from, to, length, done, roots);
  }
}

/// Transforms the values at `values`, with `other` as working memory, and exchanges the two
/// pointers such that `values` points to the result.
template <class Real>
void fourier_transform(FftPlan const& plan, Complex<Real> const* roots, LineValues<Real>*& values,
                       LineValues<Real>*& other) {
  int done = 1;
  for (int stage = 0; stage < plan.stages; ++stage) {
    int const radix = plan.radix[stage];
    apply_stage(radix, values, other, plan.length, done, roots);
    std::swap(values, other);
    done *= radix;
  }
}

}  // namespace isotherm::cpu
