#include "kernels/filters/smoothing.hpp"

#include <cmath>
#include <numeric>

#include "kernels/core/error.hpp"
#include "kernels/core/text.hpp"
#include "kernels/filters/convolution.hpp"

namespace isotherm {

namespace {

/// Checks a width and returns the radius as an integer.
/// @param radius  radius of the kernel for this width
/// @param largest  the width that corresponds to max_radius
/// @throws InputError  if the width is not positive, or the radius exceeds max_radius
int checked_radius(double radius, double width, double largest) {
  if (!(width > 0.0) || !(radius <= max_radius)) {
    throw InputError("a width of " + shortest(width) + " points (needs more than 0, and at most " +
                     shortest(largest) + "; resample to a coarser grid for a wider one)");
  }
  return static_cast<int>(radius);
}

/// Scales weights to the sum 1.
std::vector<double> normalised(std::vector<double> weights) {
  double const sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (double& weight : weights) weight /= sum;
  return weights;
}

}  // namespace

std::vector<double> gaussian_weights(double width) {
  constexpr double widths_on_each_side = 4.0;
  int const radius = checked_radius(std::floor(widths_on_each_side * width + 0.5), width,
                                    max_radius / widths_on_each_side);
  std::vector<double> weights;
  for (int m = -radius; m <= radius; ++m) {
    double const distance = m / width;
    weights.push_back(std::exp(-0.5 * distance * distance));
  }
  return normalised(std::move(weights));
}

std::vector<double> box_weights(double width) {
  constexpr double slack = 1e-9;  // tolerates rounding errors of widths that are whole spacings
  int const radius = checked_radius(std::floor(0.5 * width + slack), width, 2.0 * max_radius + 1.0);
  return normalised(std::vector<double>(2 * static_cast<std::size_t>(radius) + 1, 1.0));
}

}  // namespace isotherm
