#include <algorithm>
#include <cstdint>
#include <utility>

#include "kernels/core/arithmetic.hpp"
#include "kernels/core/cuda/check.hpp"
#include "kernels/core/cuda/each_point.cuh"
#include "kernels/core/cuda/lane.hpp"
#include "kernels/filters/cuda/convolution.hpp"

// The plan "texture": the loop of "global", but values are read through a texture on the field's
// memory. There are no float64 textures; float64 values are fetched as pairs of integers.

namespace isotherm::cuda {

namespace {

/// The texture format of a type, and how its values are fetched.
template <class Real>
struct Texel;
template <>
struct Texel<float> {
  static cudaChannelFormatDesc format() { return cudaCreateChannelDesc<float>(); }
  __device__ static float fetch(cudaTextureObject_t texture, int at) {
    return tex1Dfetch<float>(texture, at);
  }
};
template <>
struct Texel<double> {
  static cudaChannelFormatDesc format() { return cudaCreateChannelDesc<int2>(); }
  __device__ static double fetch(cudaTextureObject_t texture, int at) {
    int2 const halves = tex1Dfetch<int2>(texture, at);
    return __hiloint2double(halves.y, halves.x);
  }
};

/// The convolution at a point.
template <class Real>
struct ConvolveTexels {
  cudaTextureObject_t texture;
  std::int64_t first;  ///< element of the texture's first texel, relative to the point (0, 0, 0)
  std::int64_t stride_y, stride_z, stride;
  FieldView<Real> to;
  Weights<Real> weights;
  __device__ void operator()(std::int64_t i, std::int64_t j, std::int64_t k, std::int64_t) const {
    // A texture has fewer than 2^31 texels.
    auto const tap = static_cast<int>(stride);
    auto at = static_cast<int>(i + j * stride_y + k * stride_z - weights.radius * stride - first);
    Real sum = weights.values[0] * Texel<Real>::fetch(texture, at);
    for (int m = 1; m <= 2 * weights.radius; ++m) {
      at += tap;
      sum = multiply_add(weights.values[m], Texel<Real>::fetch(texture, at), sum);
    }
    to(i, j, k) = sum;
  }
};

/// A range of elements of a field, relative to the point (0, 0, 0).
struct Elements {
  std::int64_t lower, upper;
  [[nodiscard]] std::int64_t count() const { return upper - lower; }
};

/// Limits of linear textures on a device.
struct TextureLimits {
  std::int64_t texels;     ///< maximum number of texels of a texture
  std::int64_t alignment;  ///< alignment of a texture's address in bytes
};

/// Returns the limits of textures on a device.
template <class Real>
TextureLimits limits_of(int device) {
  cudaChannelFormatDesc const format = Texel<Real>::format();
  std::size_t texels = 0;
  int alignment = 0;
  check(cudaDeviceGetTexture1DLinearMaxWidth(&texels, &format, device));
  check(cudaDeviceGetAttribute(&alignment, cudaDevAttrTextureAlignment, device));
  constexpr std::size_t counted = std::size_t{1} << 30;  // indices have 32 bits; leave some margin
  return {static_cast<std::int64_t>(std::min(texels, counted)), alignment};
}

/// Returns the elements that the sums of a box consist of, extended downwards to an address at
/// which a texture can begin.
///
/// That address may precede the field's first element, but not its memory, whose beginning is
/// aligned.
template <class Real>
Elements elements_for(FieldView<Real const> const& from, LocalBox const& box, int axis, int radius,
                      std::int64_t alignment) {
  Index3 lower = box.lower;
  Index3 last = box.upper - Index3{1, 1, 1};
  lower[axis] -= radius;
  last[axis] += radius;
  Real const* const first = &from(lower.x, lower.y, lower.z);
  // Distance from the last address at which a texture can begin.
  auto const beyond = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(first) %
                                                static_cast<std::uintptr_t>(alignment));
  return {first - from.origin - beyond / static_cast<std::int64_t>(sizeof(Real)),
          &from(last.x, last.y, last.z) - from.origin + 1};
}

/// Creates a texture, which the queue's Lane owns. At most 64 textures are kept; to delete them,
/// the stream must be idle.
cudaTextureObject_t make_texture(Queue& queue, void* memory, cudaChannelFormatDesc format,
                                 std::size_t bytes) {
  constexpr std::size_t kept = 64;
  Lane& lane = *queue.lane();
  // Textures must outlive the kernels that read them, so they are deleted in batches.
  if (lane.textures.size() >= kept) {
    check(cudaStreamSynchronize(make_current(queue)));  // kernels may still read them
    for (cudaTextureObject_t const old : std::exchange(lane.textures, {})) {
      check(cudaDestroyTextureObject(old));
    }
  }
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = memory;
  resource.res.linear.desc = format;
  resource.res.linear.sizeInBytes = bytes;
  cudaTextureDesc description{};
  description.readMode = cudaReadModeElementType;
  cudaTextureObject_t texture = 0;
  lane.textures.reserve(kept);
  make_current(queue);
  check(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
  lane.textures.push_back(texture);
  return texture;
}

/// Convolves a part whose values one texture can reach.
template <class Real>
void convolve_part(Queue& queue, FieldView<Real const> from, FieldView<Real> to,
                   LocalBox const& box, int axis, Weights<Real> const& weights,
                   Elements const& elements) {
  void* const memory = const_cast<Real*>(from.origin + elements.lower);  // only read
  cudaTextureObject_t const texture =
      make_texture(queue, memory, Texel<Real>::format(),
                   static_cast<std::size_t>(elements.count()) * sizeof(Real));
  for_each_point(queue, box,
                 ConvolveTexels<Real>{texture, elements.lower, from.stride_y, from.stride_z,
                                      stride_of(from, axis), to, weights});
}

/// Convolves a box. Splits it into halves until a texture can reach all values of each part.
template <class Real>
void convolve_parts(Queue& queue, FieldView<Real const> from, FieldView<Real> to,
                    LocalBox const& box, int axis, Weights<Real> const& weights,
                    TextureLimits const& limits) {
  Elements const elements = elements_for(from, box, axis, weights.radius, limits.alignment);
  // The recursion ends when one texture suffices, or at a single point.
  if (elements.count() <= limits.texels) {
    return convolve_part(queue, from, to, box, axis, weights, elements);
  }
  Extent3 const extent = box.extent();
  // The axis whose points are furthest apart.
  int const longest = extent.z > 1 ? 2 : extent.y > 1 ? 1 : 0;
  if (extent[longest] == 1) return convolve_global(queue, from, to, box, axis, weights);
  // Halves along the axis with the largest stride reduce the range of elements most.
  LocalBox lower = box;
  LocalBox upper = box;
  lower.upper[longest] = upper.lower[longest] = box.lower[longest] + extent[longest] / 2;
  convolve_parts(queue, from, to, lower, axis, weights, limits);
  convolve_parts(queue, from, to, upper, axis, weights, limits);
}

}  // namespace

template <class Real>
void convolve_texture(Queue& queue, FieldView<Real const> from, FieldView<Real> to,
                      LocalBox const& box, int axis, Weights<Real> const& weights) {
  TextureLimits const limits = limits_of<Real>(queue.lane()->device);
  LocalBox const point{box.lower, box.lower + Index3{1, 1, 1}};
  Elements const minimum = elements_for(from, point, axis, weights.radius, limits.alignment);
  // If a point's values filled most of a texture, there would be as many parts as points.
  if (2 * (minimum.count() + limits.alignment) > limits.texels) {
    return convolve_global(queue, from, to, box, axis, weights);
  }
  convolve_parts(queue, from, to, box, axis, weights, limits);
}

template void convolve_texture(Queue&, FieldView<float const>, FieldView<float>, LocalBox const&,
                               int, Weights<float> const&);
template void convolve_texture(Queue&, FieldView<double const>, FieldView<double>, LocalBox const&,
                               int, Weights<double> const&);

}  // namespace isotherm::cuda
