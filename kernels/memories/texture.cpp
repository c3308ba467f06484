#include "kernels/memories/texture.hpp"

#include "kernels/core/byte_count.hpp"
#include "kernels/core/error.hpp"
#include "kernels/core/queue/dispatch.hpp"

namespace isotherm {

Texture::Texture(Queue& queue, FieldView<float const> values, LocalBox box, TextureFilter filter) {
  require(queue.backend() == Backend::cuda, "only GPUs have textures");
  require(!box.empty() && values.box.contains(box), "a texture reaches past its values");
  dispatch(
      queue, [] {},
      [&](auto) {
        state_ = UniqueHandle<Traits>(cuda::create_texture(queue, values, box, filter));
      });
}

std::size_t Texture::footprint(Extent3 extent) {
  if (exceeds_any_memory(LocalBox{{}, extent})) return uncountable_bytes;
  // Arrays have rows of whole multiples of 512 bytes and planes of whole multiples of 8 rows.
  auto const rounded = [](std::int64_t count, std::int64_t unit) {
    return static_cast<std::size_t>((count + unit - 1) / unit * unit);
  };
  std::size_t const row = rounded(extent.x * std::int64_t{sizeof(float)}, 512);
  std::size_t const rows = product_of_bytes(rounded(extent.y, 8), rounded(extent.z, 2));
  return sum_of_bytes(product_of_bytes(row, rows), std::size_t{1} << 20U);
}

std::uint64_t Texture::object() const {
  return dispatch(
      Backend::cuda, [] { return std::uint64_t{0}; },
      [&](auto) { return cuda::texture_object(*state_.get()); });
}

}  // namespace isotherm
