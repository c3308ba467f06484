#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "kernels/expressions/operation.hpp"

// The elementary functions of compiled expressions, compared with those of the standard library in
// long double. Where that is no more precise than float64, one ulp more is allowed.

namespace isotherm::test {
namespace {

namespace e = elementary;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr bool is_reference_precise = std::numeric_limits<long double>::digits > 53;

/// Returns the difference from a reference in units of its last place.
double ulps(double value, long double reference) {
  auto const rounded = static_cast<double>(reference);
  if (std::isnan(value) || std::isnan(rounded)) {
    return std::isnan(value) && std::isnan(rounded) ? 0.0 : infinity;
  }
  if (value == rounded)
    return std::isfinite(value) && value != 0.0
               ? static_cast<double>(std::abs(value - reference) /
                                     std::ldexp(1.0L, std::max(-1074, std::ilogb(rounded) - 52)))
               : 0.0;
  if (std::isinf(value) || std::isinf(rounded)) return infinity;
  int const exponent = rounded == 0.0 ? -1074 : std::max(-1074, std::ilogb(rounded) - 52);
  return static_cast<double>(std::abs(value - reference) / std::ldexp(1.0L, exponent));
}

struct Case {
  std::string name;
  double (*function)(double);
  long double (*reference)(long double);
  double lower;
  double upper;
  double bound;  ///< in ulp
};

std::vector<Case> cases() {
  using L = long double;
  return {
      {"exp", e::exponential, [](L x) { return std::exp(x); }, -745.2, 709.7, 0.8},
      {"exp", e::exponential, [](L x) { return std::exp(x); }, -1.0, 1.0, 0.8},
      {"log", e::logarithm, [](L x) { return std::log(x); }, 0.0, 4.0, 0.9},
      {"log", e::logarithm, [](L x) { return std::log(x); }, 0.99, 1.01, 0.9},
      {"log", e::logarithm, [](L x) { return std::log(x); }, 0.0, 1e300, 0.9},
      {"log2", e::binary_logarithm, [](L x) { return std::log2(x); }, 0.0, 4.0, 0.6},
      {"log2", e::binary_logarithm, [](L x) { return std::log2(x); }, 0.99, 1.01, 0.6},
      {"log10", e::decimal_logarithm, [](L x) { return std::log10(x); }, 0.0, 4.0, 0.6},
      {"log10", e::decimal_logarithm, [](L x) { return std::log10(x); }, 0.99, 1.01, 0.6},
      {"sin", e::sine, [](L x) { return std::sin(x); }, -4.0, 4.0, 0.9},
      {"sin", e::sine, [](L x) { return std::sin(x); }, -1e6, 1e6, 0.9},
      {"cos", e::cosine, [](L x) { return std::cos(x); }, -4.0, 4.0, 0.9},
      {"cos", e::cosine, [](L x) { return std::cos(x); }, -1e6, 1e6, 0.9},
      {"tan", e::tangent, [](L x) { return std::tan(x); }, -4.0, 4.0, 2.2},
      {"asin", e::arc_sine, [](L x) { return std::asin(x); }, -1.0, 1.0, 0.8},
      {"acos", e::arc_cosine, [](L x) { return std::acos(x); }, -1.0, 1.0, 0.8},
      {"acos", e::arc_cosine, [](L x) { return std::acos(x); }, 0.999, 1.0, 0.8},
      {"atan", e::arc_tangent, [](L x) { return std::atan(x); }, -5.0, 5.0, 0.8},
      {"atan", e::arc_tangent, [](L x) { return std::atan(x); }, -1e9, 1e9, 0.8},
      {"sinh", e::hyperbolic_sine, [](L x) { return std::sinh(x); }, -3.0, 3.0, 2.0},
      {"sinh", e::hyperbolic_sine, [](L x) { return std::sinh(x); }, -710.4, 710.4, 2.0},
      {"cosh", e::hyperbolic_cosine, [](L x) { return std::cosh(x); }, -3.0, 3.0, 1.5},
      {"cosh", e::hyperbolic_cosine, [](L x) { return std::cosh(x); }, -710.4, 710.4, 1.5},
      {"tanh", e::hyperbolic_tangent, [](L x) { return std::tanh(x); }, -3.0, 3.0, 2.5},
      {"asinh", e::inverse_hyperbolic_sine, [](L x) { return std::asinh(x); }, -3.0, 3.0, 2.0},
      {"asinh", e::inverse_hyperbolic_sine, [](L x) { return std::asinh(x); }, -1e15, 1e15, 2.0},
      {"acosh", e::inverse_hyperbolic_cosine, [](L x) { return std::acosh(x); }, 1.0, 3.0, 2.7},
      {"acosh", e::inverse_hyperbolic_cosine, [](L x) { return std::acosh(x); }, 1.0, 1e15, 2.7},
      {"atanh", e::inverse_hyperbolic_tangent, [](L x) { return std::atanh(x); }, -1.0, 1.0, 2.2},
      {"erf", e::error_function, [](L x) { return std::erf(x); }, -1.0, 1.0, 1.2},
      {"erf", e::error_function, [](L x) { return std::erf(x); }, -6.0, 6.0, 1.2},
      {"erfc", e::error_complement, [](L x) { return std::erfc(x); }, -6.0, 6.0, 5.0},
      {"erfc", e::error_complement, [](L x) { return std::erfc(x); }, 0.0, 27.0, 5.0},
  };
}

TEST(ElementaryFunctions, MatchTheStandardLibraryToAboutAnUlp) {
  std::mt19937_64 random(3);
  for (Case const& one : cases()) {
    std::uniform_real_distribution<double> place(one.lower, one.upper);
    double worst = 0.0, at = 0.0;
    for (int trial = 0; trial < 20'000; ++trial) {
      double const x = place(random);
      double const error = ulps(one.function(x), one.reference(x));
      if (!(error <= worst)) {
        worst = error;
        at = x;
      }
    }
    EXPECT_LE(worst, one.bound + (is_reference_precise ? 0.0 : 1.0))
        << one.name << " at " << at << " between " << one.lower << " and " << one.upper;
  }
}

TEST(ElementaryFunctions, ReduceLargeAnglesExactly) {
  // The reference is exact for any float64: long double's reduction is, too.
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> exponent(19.0, 1023.9);
  for (int trial = 0; trial < 20'000; ++trial) {
    double const x = std::exp2(exponent(random)) * (trial % 2 == 0 ? 1.0 : -1.0);
    ASSERT_LE(ulps(e::sine(x), std::sin(x)), 1.6) << x;
    ASSERT_LE(ulps(e::cosine(x), std::cos(x)), 1.6) << x;
  }
  // The float64 that is closest to a multiple of π/2 (Muller, Elementary Functions, 2006).
  double const closest = std::ldexp(6381956970095103.0, 797);
  EXPECT_NEAR(e::cosine(closest), -4.68716592425462761112e-19, 1e-34);
  // Multiples of π/2 that are not far from exact.
  for (int k = 1; k < 600'000; k += 7) {
    double const x = k * (0.5 * 3.14159265358979323846);
    ASSERT_LE(ulps(e::sine(x), std::sin(static_cast<long double>(x))), 1.6) << k;
  }
}

TEST(ElementaryFunctions, PowersMatchTheStandardLibrary) {
  std::mt19937_64 random(9);
  std::uniform_real_distribution<double> exponent(-5.0, 5.0), power(-100.0, 100.0);
  for (int trial = 0; trial < 50'000; ++trial) {
    double const x = std::exp(exponent(random)), y = power(random);
    long double const reference =
        std::pow(static_cast<long double>(x), static_cast<long double>(y));
    ASSERT_LE(ulps(e::power(x, y), reference), is_reference_precise ? 0.85 : 1.7) << x << ' ' << y;
  }
}

TEST(ElementaryFunctions, ExactPowersAndLogarithmsAreExact) {
  for (int base = 2; base <= 300; ++base) {
    double power = base;
    for (int n = 2; power * base <= 0x1p53; ++n) {
      power *= base;
      ASSERT_EQ(e::power(base, n), power);
      ASSERT_EQ(e::power(-base, n), n % 2 == 0 ? power : -power);
    }
  }
  for (int n = -1074; n < 1024; ++n) {
    ASSERT_EQ(e::power(2.0, n), std::ldexp(1.0, n));
    ASSERT_EQ(e::binary_logarithm(std::ldexp(1.0, n)), n);
  }
  for (int n = 0; n <= 22; ++n) ASSERT_EQ(e::decimal_logarithm(e::power(10.0, n)), n);
  EXPECT_EQ(e::power(2.0, 3.0), 8.0);
  EXPECT_EQ(e::power(16.0, 0.25), 2.0);
  EXPECT_EQ(e::exponential(0.0), 1.0);
  EXPECT_EQ(e::logarithm(1.0), 0.0);
  EXPECT_EQ(e::square_root(1.44), std::sqrt(1.44));
  EXPECT_EQ(e::sine(0.0), 0.0);
  EXPECT_EQ(e::cosine(0.0), 1.0);
  EXPECT_EQ(e::hypotenuse(3.0, 4.0), 5.0);
  EXPECT_EQ(e::hypotenuse(3e300, 4e300), 5e300);
}

std::vector<double> special_values() {
  return {0.0,     -0.0,         0.5,           -0.5,         1.0,     -1.0,     2.0,
          -2.0,    3.0,          -3.0,          1.5,          -1.5,    infinity, -infinity,
          nan,     1e300,        -1e300,        5e-324,       -5e-324, 1e-310,   0x1p53,
          -0x1p53, 0x1p52 + 1.0, 1.0 + 0x1p-52, 1.0 - 0x1p-53};
}

/// True if two values are both NaN, or equal up to rounding with the same sign, also of 0.
bool agree(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  if (a == b) return std::signbit(a) == std::signbit(b);
  return std::abs(a - b) <= std::max(6e-16 * std::abs(b), 5e-324);
}

TEST(ElementaryFunctions, HaveTheSpecialValuesOfC) {
  struct Pair {
    char const* name;
    double (*function)(double);
    double (*reference)(double);
  };
  std::vector<Pair> const unary{
      {"exp", e::exponential, std::exp},
      {"log", e::logarithm, std::log},
      {"log2", e::binary_logarithm, std::log2},
      {"log10", e::decimal_logarithm, std::log10},
      {"sin", e::sine, std::sin},
      {"cos", e::cosine, std::cos},
      {"tan", e::tangent, std::tan},
      {"asin", e::arc_sine, std::asin},
      {"acos", e::arc_cosine, std::acos},
      {"atan", e::arc_tangent, std::atan},
      {"sinh", e::hyperbolic_sine, std::sinh},
      {"cosh", e::hyperbolic_cosine, std::cosh},
      {"tanh", e::hyperbolic_tangent, std::tanh},
      {"asinh", e::inverse_hyperbolic_sine, std::asinh},
      {"acosh", e::inverse_hyperbolic_cosine, std::acosh},
      {"atanh", e::inverse_hyperbolic_tangent, std::atanh},
      {"erf", e::error_function, std::erf},
      {"erfc", e::error_complement, std::erfc},
  };
  for (double const x : special_values()) {
    for (Pair const& one : unary) {
      EXPECT_TRUE(agree(one.function(x), one.reference(x)))
          << one.name << '(' << x << "): " << one.function(x) << ", not " << one.reference(x);
    }
    for (double const y : special_values()) {
      EXPECT_TRUE(agree(e::power(x, y), std::pow(x, y))) << "pow " << x << ' ' << y;
      EXPECT_TRUE(agree(e::arc_tangent_of_point(x, y), std::atan2(x, y)))
          << "atan2 " << x << ' ' << y;
      EXPECT_TRUE(agree(e::hypotenuse(x, y), std::hypot(x, y))) << "hypot " << x << ' ' << y;
    }
  }
}

TEST(ElementaryFunctions, OfTwoNumbersMatchTheStandardLibraryAtAnyMagnitude) {
  std::mt19937_64 random(11);
  auto const any = [&] {
    for (;;) {
      auto const x = std::bit_cast<double>(static_cast<std::uint64_t>(random()));
      if (std::isfinite(x)) return x;
    }
  };
  std::uniform_real_distribution<double> ratio(-3.0, 3.0);
  for (int trial = 0; trial < 50'000; ++trial) {
    double const x = any(), y = trial % 2 == 0 ? x * ratio(random) : any();
    using L = long double;
    ASSERT_LE(ulps(e::arc_tangent_of_point(y, x), std::atan2(static_cast<L>(y), static_cast<L>(x))),
              is_reference_precise ? 1.7 : 2.7)
        << y << ' ' << x;
    ASSERT_LE(ulps(e::hypotenuse(x, y), std::hypot(static_cast<L>(x), static_cast<L>(y))),
              is_reference_precise ? 0.9 : 1.9)
        << x << ' ' << y;
  }
}

TEST(Operations, HaveTheMeaningOfExpressions) {
  using expressions::applied;
  using expressions::Operation;
  EXPECT_EQ(applied(Operation::modulo, -1.0, 3.0, 0.0), 2.0);
  EXPECT_EQ(applied(Operation::modulo, 7.5, 2.0, 0.0), 1.5);
  EXPECT_EQ(applied(Operation::clamp, 5.0, 0.0, 2.0), 2.0);
  EXPECT_EQ(applied(Operation::step, -0.1, 0.0, 0.0), 0.0);
  EXPECT_EQ(applied(Operation::step, 0.0, 0.0, 0.0), 1.0);
  EXPECT_EQ(applied(Operation::sign, -3.0, 0.0, 0.0), -1.0);
  EXPECT_EQ(applied(Operation::round_up, 1.25, 0.0, 0.0), 2.0);
  EXPECT_EQ(applied(Operation::round_down, -1.25, 0.0, 0.0), -2.0);
  EXPECT_EQ(applied(Operation::choose, nan, 1.0, 2.0), 1.0);
  EXPECT_EQ(applied(Operation::choose, 0.0, 1.0, 2.0), 2.0);
  EXPECT_EQ(applied(Operation::both, 1.0, 0.0, 0.0), 0.0);
  EXPECT_EQ(applied(Operation::either, 0.0, -2.0, 0.0), 1.0);
  EXPECT_TRUE(std::isnan(applied(Operation::step, nan, 0.0, 0.0)));
}

}  // namespace
}  // namespace isotherm::test
