#pragma once

#include "kernels/core/arithmetic.hpp"
#include "kernels/core/host_device.hpp"

namespace isotherm {

/// A complex number, or the values of two real lines at one point: the first line is the real part,
/// the second the imaginary part.
///
/// A pair of single numbers is aligned such that one instruction loads it.
/// @tparam Value  float, double, or a vector of them (cpu::Lanes)
template <class Value>
struct alignas(sizeof(Value) > sizeof(double) ? alignof(Value) : 2 * sizeof(Value)) Complex {
  Value re;
  Value im;

  ISOTHERM_INLINE friend Complex operator+(Complex a, Complex b) {
    return {a.re + b.re, a.im + b.im};
  }
  ISOTHERM_INLINE friend Complex operator-(Complex a, Complex b) {
    return {a.re - b.re, a.im - b.im};
  }
};

/// The type of a single number: Real for Real, and for a vector of Real.
template <class Value>
struct ScalarOf {
  using Type = Value;
};
template <class Value>
using Scalar = typename ScalarOf<Value>::Type;

/// Returns `number` in the precision of Value, in every element of a vector.
template <class Value>
ISOTHERM_INLINE Value all_of(Scalar<Value> number) {
  if constexpr (sizeof(Value) == sizeof(number)) {
    return number;
  } else {
    return Value::all(number);
  }
}

/// Returns a times the real number `by`.
template <class Value>
ISOTHERM_INLINE Complex<Value> scaled(Complex<Value> a, Scalar<Value> by) {
  Value const factor = all_of<Value>(by);
  return {factor * a.re, factor * a.im};
}

/// Returns the product of a and a single complex number.
template <class Value>
ISOTHERM_INLINE Complex<Value> product(Complex<Value> a, Complex<Scalar<Value>> by) {
  Value const re = all_of<Value>(by.re);
  Value const im = all_of<Value>(by.im);
  return {multiply_add(a.re, re, -(a.im * im)), multiply_add(a.im, re, a.re * im)};
}

/// Returns a * by + c for a real number `by`.
template <class Value>
ISOTHERM_INLINE Complex<Value> multiply_add(Complex<Value> a, Scalar<Value> by, Complex<Value> c) {
  Value const factor = all_of<Value>(by);
  return {multiply_add(a.re, factor, c.re), multiply_add(a.im, factor, c.im)};
}

/// Returns i a.
template <class Value>
ISOTHERM_INLINE Complex<Value> times_i(Complex<Value> a) {
  return {-a.im, a.re};
}

/// Returns −i a.
template <class Value>
ISOTHERM_INLINE Complex<Value> times_minus_i(Complex<Value> a) {
  return {a.im, -a.re};
}

}  // namespace isotherm
