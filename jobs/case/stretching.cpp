#include "jobs/case/stretching.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/gaussians/gaussian_sum.hpp"

namespace isotherm {
namespace {

// The C library's functions differ in their last bits from processor to processor, and a run may go
// on elsewhere: all here comes from sums, products and exponential_of_negative().

/// Of a number that is not negative.
double tanh_of(double x) {
  double const e = exponential_of_negative(-2.0 * x);
  return (1.0 - e) / (1.0 + e);
}

/// Of a number from 1 on, by Newton's method.
double logarithm(double x) {
  int exponent = 0;
  (void)std::frexp(x, &exponent);
  constexpr double of_two = 0.6931471805599453;
  double found = (exponent - 1) * of_two;  // not above the logarithm, and less than ln 2 below
  for (int i = 0; i < 6; ++i) found += 1.0 - 1.0 / (x * exponential_of_negative(-found));
  return found;
}

/// From 0 to 1 with narrow gaps near 0, of `share` from 0 to 1.
double one_sided_tanh(double strength, double share) {
  return 1.0 - tanh_of(strength * (1.0 - share)) / tanh_of(strength);
}

/// Narrow gaps near both ends.
double two_sided_tanh(double strength, double share) {
  return share <= 0.5 ? 0.5 * one_sided_tanh(strength, 2.0 * share)
                      : 1.0 - 0.5 * one_sided_tanh(strength, 2.0 * (1.0 - share));
}

/// Where the points lie from 0 to 1, with narrow gaps near 0, or near both ends.
std::vector<double> by_tanh(double strength, std::int64_t gaps, bool both) {
  std::vector<double> places;
  for (std::int64_t i = 0; i <= gaps; ++i) {
    double const share = static_cast<double>(i) / static_cast<double>(gaps);
    places.push_back(both ? two_sided_tanh(strength, share) : one_sided_tanh(strength, share));
  }
  return places;
}

/// Each gap is the same number of times as wide as the one before it on its side.
std::vector<double> by_ratio(double strength, std::int64_t gaps, bool both) {
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
  bool const turned = stretching.towards == Towards::upper;
  for (std::size_t i = 0; i < places.size(); ++i) {
    double const place = turned ? places[places.size() - 1 - i] : places[i];
    coordinates.push_back(turned ? upper - place * (upper - lower)
                                 : lower + place * (upper - lower));
  }
  coordinates.front() = lower;
  coordinates.back() = upper;
  return coordinates;
}

}  // namespace isotherm
