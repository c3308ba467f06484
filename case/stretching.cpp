#include "case/stretching.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/gaussians/gaussian_sum.hpp"

namespace isotherm {
namespace {

// The C library's functions differ in their last bits between processors, and a run may resume on
// another machine. Therefore all values here result from sums, products, quotients and
// exponential_of_negative().

/// Returns tanh(x) for x >= 0.
double tanh_of(double x) {
  double const e = exponential_of_negative(-2.0 * x);
  return (1.0 - e) / (1.0 + e);
}

/// Returns ln(x) for x >= 1. Newton's method for g(y) = x exp(-y) - 1 = 0 needs exponentials of
/// negative numbers only. g is convex and decreasing, so iterates from below increase
/// monotonically. The first one is at most ln 2 too small. A step maps the error e to e - 1 +
/// exp(-e), approximately e²/2, so six steps suffice.
double logarithm(double x) {
  int exponent = 0;
  (void)std::frexp(x, &exponent);
  constexpr double of_two = 0.6931471805599453;
  double found = (exponent - 1) * of_two;  // a lower bound of the logarithm, at most ln 2 too small
  for (int i = 0; i < 6; ++i) found += 1.0 - 1.0 / (x * exponential_of_negative(-found));
  return found;
}

/// Maps a share of the axis from 0 to 1 to a place from 0 to 1, with narrow gaps near 0. The
/// formula is 1 - tanh(δ (1 - s)) / tanh(δ).
double one_sided_tanh(double strength, double share) {
  return 1.0 - tanh_of(strength * (1.0 - share)) / tanh_of(strength);
}

/// Maps a share to a place with narrow gaps near both ends: two mirrored one-sided stretchings.
double two_sided_tanh(double strength, double share) {
  return share <= 0.5 ? 0.5 * one_sided_tanh(strength, 2.0 * share)
                      : 1.0 - 0.5 * one_sided_tanh(strength, 2.0 * (1.0 - share));
}

/// Returns places from 0 to 1 by the hyperbolic tangent, with narrow gaps near 0 or near both ends.
std::vector<double> by_tanh(double strength, std::int64_t gaps, bool both) {
  std::vector<double> places;
  for (std::int64_t i = 0; i <= gaps; ++i) {
    double const share = static_cast<double>(i) / static_cast<double>(gaps);
    places.push_back(both ? two_sided_tanh(strength, share) : one_sided_tanh(strength, share));
  }
  return places;
}

/// Returns places from 0 to 1 whose gaps form a geometric sequence on each side. `strength` is the
/// ratio of the widest gap to the narrowest. Gaps are computed relative to the widest one, then the
/// sum is normalised to 1.
///
/// With m ratios between the narrowest gap and the widest, the growth per gap is strength^(1/m).
/// Gap i is proportional to strength^(i/m - 1), at most 1, so no power overflows.
std::vector<double> by_ratio(double strength, std::int64_t gaps, bool both) {
  // Number of ratios between the narrowest gap and the widest.
  std::int64_t const steps = both ? (gaps - 1) / 2 : gaps - 1;
  double const growth = steps > 0 ? logarithm(strength) / static_cast<double>(steps) : 0.0;
  std::vector<double> places{0.0};
  for (std::int64_t i = 0; i < gaps; ++i) {
    std::int64_t const step = both ? std::min(i, gaps - 1 - i) : i;
    places.push_back(places.back() +
                     exponential_of_negative(static_cast<double>(step - steps) * growth));
  }
  for (double& place : places) place /= places.back();
  return places;
}

}  // namespace

std::vector<double> stretched(Stretching const& stretching, std::int64_t points, double lower,
                              double upper) {
  bool const both = stretching.towards == Towards::both;
  auto places = stretching.kind == StretchKind::tanh
                    ? by_tanh(stretching.strength, points - 1, both)
                    : by_ratio(stretching.strength, points - 1, both);
  std::vector<double> coordinates;
  // Narrow gaps near the upper end: the places are mirrored.
  bool const turned = stretching.towards == Towards::upper;
  for (std::size_t i = 0; i < places.size(); ++i) {
    double const place = turned ? places[places.size() - 1 - i] : places[i];
    coordinates.push_back(turned ? upper - place * (upper - lower)
                                 : lower + place * (upper - lower));
  }
  // Exact ends, without rounding errors.
  coordinates.front() = lower;
  coordinates.back() = upper;
  return coordinates;
}

}  // namespace isotherm
