#include "kernels/memories/texture_sampling.hpp"

#include "kernels/core/error.hpp"
#include "kernels/core/queue/dispatch.hpp"
#include "kernels/memories/cuda/texture_sampling.hpp"

namespace isotherm {

std::string obstacle_to_texture(PerAxis<AxisInterpolation> const& between) {
  for (int axis : {0, 1, 2}) {
    if (between[axis].edge_mode == EdgeMode::wrap && between[axis].points > 1) {
      return std::string("the ") + "xyz"[axis] + " axis wraps, which textures of a part cannot";
    }
  }
  return "";
}

TextureSampler::TextureSampler(Queue& queue, FieldView<float const> from,
                               PerAxis<AxisInterpolation> const& between, TextureFilter filter)
    : queue_(&queue), between_(between), box_(from.box), texture_(queue, from, from.box, filter) {
  std::string const obstacle = obstacle_to_texture(between);
  require(obstacle.empty(), obstacle);
  // Places are mapped into the axis as those of polynomials.
  for (AxisInterpolation& axis : between_.values) axis.spline = false;
}

void TextureSampler::sample(FieldView<float> to, LocalBox box, PlaceOfPoint const& place) const {
  require(to.box.contains(box), "the points to interpolate at reach past their field");
  if (box.empty()) return;
  dispatch(
      *queue_, [] {},
      [&](auto) {
        cuda::sample_texture(*queue_, texture_.object(), box_, between_, to, box, place);
      });
}

}  // namespace isotherm
