#pragma once

#include <cstddef>
#include <string>

#include "kernels/filters/interpolation.hpp"
#include "kernels/memories/texture.hpp"

namespace isotherm {

/// Returns why a texture cannot interpolate along these axes, for a message; empty if it can. An
/// axis that wraps has neighbours at both ends of the texture.
std::string obstacle_to_texture(PerAxis<AxisInterpolation> const& between);

/// Interpolates float32 values by the texture units of a GPU: linearly, or the nearest value.
///
/// Linear weights have 9 bits, 8 of them behind the point, and so have the products of weights
/// along several axes. On an H200, values were off by up to 1.1 % of the differences between
/// neighbours. interpolate() is exact to rounding.
///
///   TextureSampler const sampler(queue, from, between, TextureFilter::linear);
///   sampler.sample(to, box, place);
class TextureSampler {
 public:
  /// Copies all values of `from` to a texture, and waits for the queue. `queue` must outlive the
  /// object.
  /// @param between  the axes of the source; their nodes are not used
  /// @throws Error  as Texture does, or if there is an obstacle
  TextureSampler(Queue& queue, FieldView<float const> from,
                 PerAxis<AxisInterpolation> const& between, TextureFilter filter);

  /// Enqueues to(p) = the value at the place of p, for the points of `box`. Places beyond an end
  /// are treated as interpolate() does.
  /// @throws Error  if `box` reaches past `to`
  void sample(FieldView<float> to, LocalBox box, PlaceOfPoint const& place) const;

 private:
  Queue* queue_;
  PerAxis<AxisInterpolation> between_;
  LocalBox box_;  ///< the points of the texture, as indices of the view
  Texture texture_;
};

}  // namespace isotherm
