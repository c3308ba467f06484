#include "kernels/core/cuda/each_point.cuh"
#include "kernels/filters/polynomial.hpp"
#include "kernels/memories/cuda/texture_sampling.hpp"

namespace isotherm::cuda {

namespace {

/// Reads the texture at the place of a point. The place is computed in float64, as by Interpolate;
/// the texture units take it in float32 and round its weights to 9 bits.
struct SampleAt {
  cudaTextureObject_t texture;
  Index3 lower;
  AxisInterpolation x, y, z;
  FieldView<float> to;
  PlaceOfPoint place;
  bool in_3d;

  __device__ void operator()(std::int64_t i, std::int64_t j, std::int64_t k, std::int64_t) const {
    Index3 const point = place.first + Index3{i, j, k};
    double const at_x = place_within(place_along(place, 0, point), x);
    double const at_y = place_within(place_along(place, 1, point), y);
    double const at_z = place_within(place_along(place, 2, point), z);
    // Exact comparison: `nowhere` is a marker.
    bool const is_nowhere = at_x == nowhere || at_y == nowhere || at_z == nowhere;
    to(i, j, k) = is_nowhere ? 0.0F : value(at_x, at_y, at_z);
  }

 private:
  /// Returns the coordinate in the texture of a place in the axis.
  __device__ static float coordinate(double at, AxisInterpolation const& axis, std::int64_t first) {
    return static_cast<float>(at - static_cast<double>(axis.first + first) + 0.5);
  }
  __device__ float value(double at_x, double at_y, double at_z) const {
    float const u = coordinate(at_x, x, lower.x);
    float const v = coordinate(at_y, y, lower.y);
    return in_3d ? tex3D<float>(texture, u, v, coordinate(at_z, z, lower.z))
                 : tex2D<float>(texture, u, v);
  }
};

}  // namespace

void sample_texture(Queue& queue, std::uint64_t texture, LocalBox const& box_of_texture,
                    PerAxis<AxisInterpolation> const& between, FieldView<float> to,
                    LocalBox const& box, PlaceOfPoint const& place) {
  bool const in_3d = box_of_texture.extent().z > 1;
  for_each_point(queue, box,
                 SampleAt{texture, box_of_texture.lower, between[0], between[1], between[2], to,
                          place, in_3d});
}

}  // namespace isotherm::cuda
