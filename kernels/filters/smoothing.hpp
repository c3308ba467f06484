#pragma once

#include <vector>

namespace isotherm {

/// Weights that sum to 1, an odd number of them, symmetric about the middle one: those of a
/// Gaussian of standard deviation `width` (in points, above 0), to four widths on each side.
/// @throws InputError  where these are more points than kernels take: says the largest width
std::vector<double> gaussian_weights(double width);

/// Equal weights that sum to 1: the points up to `width` / 2 from the middle one.
/// @throws InputError  as gaussian_weights()
std::vector<double> box_weights(double width);

}  // namespace isotherm
