#pragma once

#include <vector>

namespace isotherm {

/// Returns the weights of a Gaussian of standard deviation `width`, in points, truncated at four
/// standard deviations. Their number is odd, they are symmetric about the middle one, and they sum
/// to 1.
/// @pre width > 0
/// @throws InputError  if these are more weights than kernels support; the message names the
///   largest width
std::vector<double> gaussian_weights(double width);

/// Returns equal weights (a moving average): for the points up to `width` / 2 from the middle one.
/// They sum to 1.
/// @throws InputError  as gaussian_weights()
std::vector<double> box_weights(double width);

}  // namespace isotherm
