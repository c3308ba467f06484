#pragma once

#include "kernels/transforms/fft/complex.hpp"

// Discrete Fourier transforms of few values in registers (butterflies), in place:
//
//   v_k ← Σ_r v_r exp(−2πi k r / radix)
//
// Source: C. Van Loan, Computational Frameworks for the Fast Fourier Transform, SIAM (1992).

/// Unrolls a loop whose bounds are constants. The C++ compiler behind nvcc does not know the
/// pragma.
#if defined(__CUDA_ARCH__)
#define ISOTHERM_UNROLL _Pragma("unroll")
#elif defined(__CUDACC__)
#define ISOTHERM_UNROLL
#else
#define ISOTHERM_UNROLL _Pragma("GCC unroll 16")
#endif

namespace isotherm {

template <class Value>
ISOTHERM_INLINE void butterfly2(Complex<Value>& a, Complex<Value>& b) {
  Complex<Value> const difference = a - b;
  a = a + b;
  b = difference;
}

template <class Value>
ISOTHERM_INLINE void butterfly4(Complex<Value>& v0, Complex<Value>& v1, Complex<Value>& v2,
                                Complex<Value>& v3) {
  Complex<Value> const sum02 = v0 + v2;
  Complex<Value> const sum13 = v1 + v3;
  Complex<Value> const difference02 = v0 - v2;
  Complex<Value> const difference13 = times_minus_i(v1 - v3);
  v0 = sum02 + sum13;
  v1 = difference02 + difference13;
  v2 = sum02 - sum13;
  v3 = difference02 - difference13;
}

template <class Value>
ISOTHERM_INLINE void butterfly8(Complex<Value>* v) {
  constexpr double root_half = 0.707106781186547524400844362104849039;
  Value const c = all_of<Value>(static_cast<Scalar<Value>>(root_half));
  Complex<Value> even0 = v[0] + v[4];
  Complex<Value> odd0 = v[0] - v[4];
  Complex<Value> even1 = v[1] + v[5];
  Complex<Value> odd1 = v[1] - v[5];
  Complex<Value> even2 = v[2] + v[6];
  Complex<Value> odd2 = times_minus_i(v[2] - v[6]);
  Complex<Value> even3 = v[3] + v[7];
  Complex<Value> odd3 = v[3] - v[7];
  // times exp(−πi/4) and exp(−3πi/4)
  odd1 = {c * (odd1.re + odd1.im), c * (odd1.im - odd1.re)};
  odd3 = {c * (odd3.im - odd3.re), -(c * (odd3.re + odd3.im))};
  butterfly4(even0, even1, even2, even3);
  butterfly4(odd0, odd1, odd2, odd3);
  v[0] = even0;
  v[1] = odd0;
  v[2] = even1;
  v[3] = odd1;
  v[4] = even2;
  v[5] = odd2;
  v[6] = even3;
  v[7] = odd3;
}

/// Returns cos(2π n / radix) for radix 3, 5 or 7 and 0 < n < radix.
template <int radix>
ISOTHERM_INLINE constexpr double odd_cosine(int n) {
  int const m = n <= radix / 2 ? n : radix - n;
  if (radix == 3) return -0.5;
  if (radix == 5) {
    return m == 1 ? 0.309016994374947424102293417182819059
                  : -0.809016994374947424102293417182819059;
  }
  return m == 1   ? 0.623489801858733530525004884004239811
         : m == 2 ? -0.222520933956314404288902564496794759
                  : -0.900968867902419126236102319507445051;
}

/// Returns sin(2π n / radix) for radix 3, 5 or 7 and 0 < n < radix.
template <int radix>
ISOTHERM_INLINE constexpr double odd_sine(int n) {
  int const m = n <= radix / 2 ? n : radix - n;
  double const sign = m == n ? 1.0 : -1.0;
  if (radix == 3) return sign * 0.866025403784438646763723170752936183;
  if (radix == 5) {
    return sign * (m == 1 ? 0.951056516295153572116439333379382143
                          : 0.587785252292473129168705954639072769);
  }
  return sign * (m == 1   ? 0.781831482468029808708444526674057750
                 : m == 2 ? 0.974927912181823607018131682993931217
                          : 0.433883739117558120475768332848358754);
}

/// A butterfly of radix 3, 5 or 7: outputs k and radix − k share sums of v_r + v_(radix−r) and of
/// v_r − v_(radix−r).
template <int radix, class Value>
ISOTHERM_INLINE void odd_butterfly(Complex<Value>* v) {
  constexpr int half = radix / 2;
  Complex<Value> sums[half];
  Complex<Value> differences[half];
  Complex<Value> const first = v[0];
  ISOTHERM_UNROLL
  for (int r = 0; r < half; ++r) {
    sums[r] = v[r + 1] + v[radix - 1 - r];
    differences[r] = v[r + 1] - v[radix - 1 - r];
  }
  ISOTHERM_UNROLL
  for (int r = 0; r < half; ++r) v[0] = v[0] + sums[r];
  ISOTHERM_UNROLL
  for (int k = 1; k <= half; ++k) {
    using Number = Scalar<Value>;
    Complex<Value> even = multiply_add(sums[0], static_cast<Number>(odd_cosine<radix>(k)), first);
    Complex<Value> odd = scaled(differences[0], static_cast<Number>(odd_sine<radix>(k)));
    ISOTHERM_UNROLL
    for (int r = 1; r < half; ++r) {
      int const angle = k * (r + 1) % radix;
      even = multiply_add(sums[r], static_cast<Number>(odd_cosine<radix>(angle)), even);
      odd = multiply_add(differences[r], static_cast<Number>(odd_sine<radix>(angle)), odd);
    }
    odd = times_minus_i(odd);
    v[k] = even + odd;
    v[radix - k] = even - odd;
  }
}

/// Transforms `radix` values in place; radix is 2, 3, 4, 5, 7 or 8.
template <int radix, class Value>
ISOTHERM_INLINE void butterfly(Complex<Value>* v) {
  if constexpr (radix == 2) {
    butterfly2(v[0], v[1]);
  } else if constexpr (radix == 4) {
    butterfly4(v[0], v[1], v[2], v[3]);
  } else if constexpr (radix == 8) {
    butterfly8(v);
  } else {
    odd_butterfly<radix>(v);
  }
}

}  // namespace isotherm
