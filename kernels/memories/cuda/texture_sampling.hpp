#pragma once

#include <cstdint>

#include "kernels/filters/interpolation.hpp"

namespace isotherm::cuda {

/// Enqueues sampling a texture. See kernels/memories/texture_sampling.hpp.
/// @param box_of_texture  the points of the source's view that the texture has
void sample_texture(Queue& queue, std::uint64_t texture, LocalBox const& box_of_texture,
                    PerAxis<AxisInterpolation> const& between, FieldView<float> to,
                    LocalBox const& box, PlaceOfPoint const& place);

}  // namespace isotherm::cuda
