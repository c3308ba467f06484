#pragma once

#include <cstdint>
#include <cstring>

#include "kernels/core/arithmetic.hpp"
#include "kernels/gaussians/gaussians.hpp"

namespace isotherm {

/// Returns e^x for x <= 0 with an error of at most two units in the last place; 0 below −708.
///
/// The C library and CUDA round their exponential functions differently. This one gives the same
/// bits everywhere. The argument is reduced to x = k ln 2 + r. Horner's scheme evaluates the Taylor
/// series of e^r up to the 13th power. The reduction is that of W. J. Cody and W. Waite, Software
/// Manual for the Elementary Functions (1980).
ISOTHERM_HOST_DEVICE inline double exponential_of_negative(double x) {
  if (x < -708.0) return 0.0;
  // The constant ln 2 is split into two parts. The larger one ends in zeros, so k times it is
  // exact.
  double const k = floor(multiply_add(x, 1.4426950408889634, 0.5));
  double const r =
      multiply_add(-k, 1.9082149292705877e-10, multiply_add(-k, 0.6931471803691238, x));
  double sum = 1.0 / 6227020800.0;
  // NOLINTNEXTLINE(modernize-avoid-c-arrays): a std::array cannot be indexed in device code
  double const inverse_factorials[] = {1.0 / 479001600.0,
                                       1.0 / 39916800.0,
                                       1.0 / 3628800.0,
                                       1.0 / 362880.0,
                                       1.0 / 40320.0,
                                       1.0 / 5040.0,
                                       1.0 / 720.0,
                                       1.0 / 120.0,
                                       1.0 / 24.0,
                                       1.0 / 6.0,
                                       0.5,
                                       1.0,
                                       1.0};
  // As |r| <= ln 2 / 2, the first omitted term of the series is below 1e-17.
  for (double const coefficient : inverse_factorials) sum = multiply_add(sum, r, coefficient);
  // 2^k by its bit pattern.
  auto const exponent = static_cast<std::uint64_t>(static_cast<std::int64_t>(k) + 1023);
  std::uint64_t const bits = exponent << 52U;
  double power = 0.0;
  std::memcpy(&power, &bits, sizeof power);
  return sum * power;
}

/// A GaussianTerm in the form that kernels need: `scale` is −1 / (2 width²).
struct PreparedGaussian {
  double x, y, z, scale, height;
};

/// Converts a term. In 2D its z is 0.
inline PreparedGaussian prepare(GaussianTerm const& term, int dimension) {
  return {term.x, term.y, dimension == 3 ? term.z : 0.0, -0.5 / (term.width * term.width),
          term.height};
}

/// The position of a point in the grid's unit of length; z is 0 in 2D.
struct Position {
  double x, y, z;
};
/// Returns the position of local point (i, j, k).
ISOTHERM_HOST_DEVICE inline Position position(PointFrame const& frame, int dimension,
                                              std::int64_t i, std::int64_t j, std::int64_t k) {
  auto const at = [&](int axis, std::int64_t index) {
    return frame.lower[axis] + static_cast<double>(frame.first[axis] + index) * frame.spacing[axis];
  };
  return {at(0, i), at(1, j), dimension == 3 ? at(2, k) : 0.0};
}

/// Returns the value of one term at a position.
ISOTHERM_HOST_DEVICE inline double gaussian_at(PreparedGaussian const& term, Position p) {
  double const x = p.x - term.x;
  double const y = p.y - term.y;
  double const z = p.z - term.z;
  return term.height * exponential_of_negative((x * x + y * y + z * z) * term.scale);
}

}  // namespace isotherm
