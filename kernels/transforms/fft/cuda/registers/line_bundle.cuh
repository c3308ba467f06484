#pragma once

#include <type_traits>

#include "kernels/core/arithmetic.hpp"
#include "kernels/transforms/fft/complex.hpp"

namespace isotherm::cuda {

/// The same quantity of two lines in float32. It takes the two registers that a float64 number
/// takes, so kernels of both precisions have the same shape.
struct FloatPair {
  float a;
  float b;

  ISOTHERM_INLINE static FloatPair all(float value) { return {value, value}; }
  ISOTHERM_INLINE friend FloatPair operator+(FloatPair x, FloatPair y) {
    return {x.a + y.a, x.b + y.b};
  }
  ISOTHERM_INLINE friend FloatPair operator-(FloatPair x, FloatPair y) {
    return {x.a - y.a, x.b - y.b};
  }
  ISOTHERM_INLINE friend FloatPair operator*(FloatPair x, FloatPair y) {
    return {x.a * y.a, x.b * y.b};
  }
  ISOTHERM_INLINE friend FloatPair operator-(FloatPair x) { return {-x.a, -x.b}; }
};

/// Returns multiply_add() of each element; see kernels/core/arithmetic.hpp.
ISOTHERM_INLINE FloatPair multiply_add(FloatPair x, FloatPair y, FloatPair z) {
  return {isotherm::multiply_add(x.a, y.a, z.a), isotherm::multiply_add(x.b, y.b, z.b)};
}

/// The values of a bundle at one point. A group of threads transforms the lines of a bundle
/// together: two in float64, four in float32. Their values at one point have 16 bytes.
template <class Real>
using BundleValue = Complex<std::conditional_t<std::is_same_v<Real, float>, FloatPair, double>>;

/// Number of lines of a bundle.
template <class Real>
constexpr int bundle_lines = static_cast<int>(sizeof(BundleValue<Real>) / sizeof(Real));

/// Returns a value whose line number `line` is the result of number(line).
template <class Real, class Number>
ISOTHERM_INLINE BundleValue<Real> bundle_of(Number const& number) {
  if constexpr (std::is_same_v<Real, float>) {
    return {{number(0), number(1)}, {number(2), number(3)}};
  } else {
    return {number(0), number(1)};
  }
}

/// Returns the number of one line.
/// @tparam line  number of the line in its bundle
template <int line>
ISOTHERM_INLINE double of_line(Complex<double> value) {
  return line == 0 ? value.re : value.im;
}
template <int line>
ISOTHERM_INLINE float of_line(Complex<FloatPair> value) {
  FloatPair const pair = line < 2 ? value.re : value.im;
  return line % 2 == 0 ? pair.a : pair.b;
}

ISOTHERM_INLINE double selected(bool first, double a, double b) { return first ? a : b; }
ISOTHERM_INLINE FloatPair selected(bool first, FloatPair a, FloatPair b) {
  return {first ? a.a : b.a, first ? a.b : b.b};
}
/// Returns a if `first` is true, else b, without a branch.
template <class Value>
ISOTHERM_INLINE Complex<Value> selected(bool first, Complex<Value> a, Complex<Value> b) {
  return {selected(first, a.re, b.re), selected(first, a.im, b.im)};
}

}  // namespace isotherm::cuda

namespace isotherm {

template <>
struct ScalarOf<cuda::FloatPair> {
  using Type = float;
};

}  // namespace isotherm
