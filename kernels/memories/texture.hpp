#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/core/field.hpp"
#include "kernels/core/unique_handle.hpp"

namespace isotherm {

/// How the texture units of a GPU compute the value of a place between points.
enum class TextureFilter {
  nearest,  ///< the value of the nearest point
  linear    ///< linear between the points, with weights of 9 bits (8 of them behind the point)
};

namespace cuda {
struct TextureState;
/// Makes a texture of the points of `box`; see Texture.
TextureState* create_texture(Queue& queue, FieldView<float const> values, LocalBox const& box,
                             TextureFilter filter);
void destroy_texture(TextureState* texture) noexcept;
/// Returns the cudaTextureObject_t.
std::uint64_t texture_object(TextureState const& texture);
}  // namespace cuda

/// A copy of float32 values in the array of a texture, whose layout suits accesses that are close
/// to each other in all directions. Only CUDA has textures.
///
/// Point (i, j, k) of the box has its centre at (i − lower + ½, …). Places beyond the box get the
/// value at its surface. A box with one point in z is a 2D texture.
class Texture {
 public:
  /// Copies the values, and waits for the queue.
  /// @throws Error  if the queue is not of CUDA, the box reaches past the values or is too large
  ///                for a texture, or the memory is exhausted
  Texture(Queue& queue, FieldView<float const> values, LocalBox box, TextureFilter filter);

  /// Returns an upper bound on the bytes of the device that a texture of this extent occupies.
  static std::size_t footprint(Extent3 extent);

  /// Returns the cudaTextureObject_t, for kernels.
  [[nodiscard]] std::uint64_t object() const;

 private:
  struct Traits {
    using Handle = cuda::TextureState*;
    static Handle empty() noexcept { return nullptr; }
    static void close(Handle texture) noexcept { cuda::destroy_texture(texture); }
  };
  UniqueHandle<Traits> state_;
};

}  // namespace isotherm
