#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/expressions/error_function.hpp"
#include "kernels/expressions/exponential.hpp"
#include "kernels/expressions/inverse_trigonometric.hpp"
#include "kernels/expressions/logarithm.hpp"
#include "kernels/expressions/power.hpp"
#include "kernels/expressions/trigonometric.hpp"

// The operations of expressions, each a function of up to three numbers.
//
// Logical values are 0 and 1; every number but 0 is true, also NaN.

namespace isotherm::expressions {

/// An operation. The comment at each group gives the number of its operands.
enum class Operation : std::uint8_t {
  // Two.
  add,
  subtract,
  multiply,
  divide,
  power,
  less,
  less_or_equal,
  greater,
  greater_or_equal,
  equal,
  not_equal,
  both,    ///< a && b
  either,  ///< a || b
  minimum,
  maximum,
  hypotenuse,
  arc_tangent_of_point,  ///< atan2(a, b)
  modulo,
  // Three.
  choose,  ///< a ? b : c
  clamp,   ///< a restricted to [b, c]
  // One.
  negate,
  absolute,
  sign,
  square_root,
  round_down,
  round_up,
  nearest,  ///< ⌊a + ½⌋
  step,     ///< 0 for a < 0, otherwise 1
  exponential,
  logarithm,
  binary_logarithm,
  decimal_logarithm,
  sine,
  cosine,
  tangent,
  arc_sine,
  arc_cosine,
  arc_tangent,
  hyperbolic_sine,
  hyperbolic_cosine,
  hyperbolic_tangent,
  inverse_hyperbolic_sine,
  inverse_hyperbolic_cosine,
  inverse_hyperbolic_tangent,
  error_function,
  error_complement,
};

/// Returns the number of an operation's operands.
constexpr int operand_count(Operation operation) {
  if (operation < Operation::choose) return 2;
  return operation < Operation::negate ? 3 : 1;
}

/// A function of one number as an operation.
template <double (*function)(double)>
struct Unary {
  ISOTHERM_INLINE double operator()(double a, double /*b*/, double /*c*/) const {
    return function(a);
  }
};
template <double (*function)(double, double)>
struct Binary {
  ISOTHERM_INLINE double operator()(double a, double b, double /*c*/) const {
    return function(a, b);
  }
};

/// A function of an angle. Angles above largest_angle are rare, but their reduction has branches:
/// loops use `regular` if no angle is so large.
template <double (*function)(elementary::Angle)>
struct OfAngle {
  ISOTHERM_INLINE double operator()(double a, double /*b*/, double /*c*/) const {
    return function(elementary::any_angle(a));
  }
  ISOTHERM_INLINE static double regular(double a) { return function(elementary::reduced_angle(a)); }
  ISOTHERM_INLINE static bool is_regular(double a) {
    return elementary::magnitude(a) <= elementary::largest_angle;
  }
};

namespace detail {

ISOTHERM_INLINE double add(double a, double b) { return a + b; }
ISOTHERM_INLINE double subtract(double a, double b) { return a - b; }
ISOTHERM_INLINE double multiply(double a, double b) { return a * b; }
ISOTHERM_INLINE double divide(double a, double b) { return a / b; }
ISOTHERM_INLINE double less(double a, double b) { return a < b ? 1.0 : 0.0; }
ISOTHERM_INLINE double less_or_equal(double a, double b) { return a <= b ? 1.0 : 0.0; }
ISOTHERM_INLINE double greater(double a, double b) { return a > b ? 1.0 : 0.0; }
ISOTHERM_INLINE double greater_or_equal(double a, double b) { return a >= b ? 1.0 : 0.0; }
ISOTHERM_INLINE double equal(double a, double b) { return a == b ? 1.0 : 0.0; }
ISOTHERM_INLINE double not_equal(double a, double b) { return a != b ? 1.0 : 0.0; }
ISOTHERM_INLINE double both(double a, double b) { return (a != 0.0) & (b != 0.0) ? 1.0 : 0.0; }
ISOTHERM_INLINE double either(double a, double b) { return (a != 0.0) | (b != 0.0) ? 1.0 : 0.0; }
ISOTHERM_INLINE double minimum(double a, double b) { return b < a ? b : a; }
ISOTHERM_INLINE double maximum(double a, double b) { return a < b ? b : a; }
/// The remainder with the sign of b. fmod is exact, so it has the same bits everywhere.
ISOTHERM_INLINE double modulo(double a, double b) {
#if defined(__CUDA_ARCH__)
  double const rest = fmod(a, b);
#else
  double const rest = std::fmod(a, b);
#endif
  bool const has_other_sign = (rest != 0.0) & ((rest < 0.0) != (b < 0.0));
  return has_other_sign ? rest + b : rest;
}
ISOTHERM_INLINE double negate(double a) { return -a; }
ISOTHERM_INLINE double sign(double a) { return a < 0.0 ? -1.0 : a > 0.0 ? 1.0 : 0.0; }
ISOTHERM_INLINE double round_down(double a) {
#if defined(__CUDA_ARCH__)
  return floor(a);
#else
  return __builtin_floor(a);
#endif
}
ISOTHERM_INLINE double round_up(double a) { return -round_down(-a); }
ISOTHERM_INLINE double nearest(double a) { return round_down(a + 0.5); }
ISOTHERM_INLINE double step(double a) { return a < 0.0 ? 0.0 : a >= 0.0 ? 1.0 : a; }

struct Choose {
  ISOTHERM_INLINE double operator()(double a, double b, double c) const { return a == 0.0 ? c : b; }
};
struct Clamp {
  ISOTHERM_INLINE double operator()(double a, double b, double c) const {
    return a < b ? b : a > c ? c : a;
  }
};

}  // namespace detail

/// Calls `action` with the function object of an operation and returns its result. This is the
/// single table of operations.
template <class Action>
ISOTHERM_INLINE auto with_function(Operation operation, Action const& action) {
  namespace e = elementary;
  switch (operation) {
    case Operation::add:
      return action(Binary<detail::add>{});
    case Operation::subtract:
      return action(Binary<detail::subtract>{});
    case Operation::multiply:
      return action(Binary<detail::multiply>{});
    case Operation::divide:
      return action(Binary<detail::divide>{});
    case Operation::power:
      return action(Binary<e::power>{});
    case Operation::less:
      return action(Binary<detail::less>{});
    case Operation::less_or_equal:
      return action(Binary<detail::less_or_equal>{});
    case Operation::greater:
      return action(Binary<detail::greater>{});
    case Operation::greater_or_equal:
      return action(Binary<detail::greater_or_equal>{});
    case Operation::equal:
      return action(Binary<detail::equal>{});
    case Operation::not_equal:
      return action(Binary<detail::not_equal>{});
    case Operation::both:
      return action(Binary<detail::both>{});
    case Operation::either:
      return action(Binary<detail::either>{});
    case Operation::minimum:
      return action(Binary<detail::minimum>{});
    case Operation::maximum:
      return action(Binary<detail::maximum>{});
    case Operation::hypotenuse:
      return action(Binary<e::hypotenuse>{});
    case Operation::arc_tangent_of_point:
      return action(Binary<e::arc_tangent_of_point>{});
    case Operation::modulo:
      return action(Binary<detail::modulo>{});
    case Operation::choose:
      return action(detail::Choose{});
    case Operation::clamp:
      return action(detail::Clamp{});
    case Operation::negate:
      return action(Unary<detail::negate>{});
    case Operation::absolute:
      return action(Unary<e::magnitude>{});
    case Operation::sign:
      return action(Unary<detail::sign>{});
    case Operation::square_root:
      return action(Unary<e::square_root>{});
    case Operation::round_down:
      return action(Unary<detail::round_down>{});
    case Operation::round_up:
      return action(Unary<detail::round_up>{});
    case Operation::nearest:
      return action(Unary<detail::nearest>{});
    case Operation::step:
      return action(Unary<detail::step>{});
    case Operation::exponential:
      return action(Unary<e::exponential>{});
    case Operation::logarithm:
      return action(Unary<e::logarithm>{});
    case Operation::binary_logarithm:
      return action(Unary<e::binary_logarithm>{});
    case Operation::decimal_logarithm:
      return action(Unary<e::decimal_logarithm>{});
    case Operation::sine:
      return action(OfAngle<e::sine_of>{});
    case Operation::cosine:
      return action(OfAngle<e::cosine_of>{});
    case Operation::tangent:
      return action(OfAngle<e::tangent_of>{});
    case Operation::arc_sine:
      return action(Unary<e::arc_sine>{});
    case Operation::arc_cosine:
      return action(Unary<e::arc_cosine>{});
    case Operation::arc_tangent:
      return action(Unary<e::arc_tangent>{});
    case Operation::hyperbolic_sine:
      return action(Unary<e::hyperbolic_sine>{});
    case Operation::hyperbolic_cosine:
      return action(Unary<e::hyperbolic_cosine>{});
    case Operation::hyperbolic_tangent:
      return action(Unary<e::hyperbolic_tangent>{});
    case Operation::inverse_hyperbolic_sine:
      return action(Unary<e::inverse_hyperbolic_sine>{});
    case Operation::inverse_hyperbolic_cosine:
      return action(Unary<e::inverse_hyperbolic_cosine>{});
    case Operation::inverse_hyperbolic_tangent:
      return action(Unary<e::inverse_hyperbolic_tangent>{});
    case Operation::error_function:
      return action(Unary<e::error_function>{});
    case Operation::error_complement:
      break;
  }
  return action(Unary<e::error_complement>{});
}

/// Applies an operation to numbers that a caller has as values.
struct Apply {
  double a, b, c;
  template <class Function>
  ISOTHERM_INLINE double operator()(Function const& function) const {
    return function(a, b, c);
  }
};

/// Returns the result of an operation; operands beyond operand_count() are ignored.
ISOTHERM_HOST_DEVICE inline double applied(Operation operation, double a, double b, double c) {
  return with_function(operation, Apply{a, b, c});
}

}  // namespace isotherm::expressions
