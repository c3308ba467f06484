#include "io/picture/film/image.hpp"

#include <algorithm>
#include <cairo.h>
#include <cstring>
#include <memory>

#include "io/picture/cairo_output.hpp"
#include "kernels/core/error.hpp"

namespace isotherm {
namespace {

struct Destroy {
  void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
};
using Surface = std::unique_ptr<cairo_surface_t, Destroy>;

/// The rest of a file that Cairo reads.
cairo_status_t read_rest(void* rest, unsigned char* to, unsigned length) {
  auto& bytes = *static_cast<std::string_view*>(rest);
  if (bytes.size() < length) return CAIRO_STATUS_READ_ERROR;
  std::memcpy(to, bytes.data(), length);
  bytes.remove_prefix(length);
  return CAIRO_STATUS_SUCCESS;
}

}  // namespace

Image decoded_png(std::string_view png) {
  std::string_view rest = png;
  Surface const surface(cairo_image_surface_create_from_png_stream(read_rest, &rest));
  if (cairo_surface_status(surface.get()) != CAIRO_STATUS_SUCCESS) {
    throw InputError(std::string("the PNG file is damaged: ") +
                     cairo_status_to_string(cairo_surface_status(surface.get())));
  }
  Image image{{cairo_image_surface_get_width(surface.get()),
               cairo_image_surface_get_height(surface.get())}};
  int const stride = cairo_image_surface_get_stride(surface.get());
  unsigned char const* const data = cairo_image_surface_get_data(surface.get());
  for (int y = 0; y < image.size.height; ++y) {
    for (int x = 0; x < image.size.width; ++x) {
      // A 32-bit number per pixel, in the byte order of the host.
      std::uint32_t pixel = 0;
      std::memcpy(&pixel, data + std::ptrdiff_t{y} * stride + std::ptrdiff_t{4} * x, sizeof pixel);
      image.pixels.push_back({static_cast<std::uint8_t>(pixel >> 16U),
                              static_cast<std::uint8_t>(pixel >> 8U),
                              static_cast<std::uint8_t>(pixel)});
    }
  }
  return image;
}

std::string encoded_png(Image const& image) {
  auto const [width, height] = image.size;
  Surface const surface(cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height));
  require(cairo_surface_status(surface.get()) == CAIRO_STATUS_SUCCESS, "Cairo: no memory");
  cairo_surface_flush(surface.get());
  unsigned char* const data = cairo_image_surface_get_data(surface.get());
  int const stride = cairo_image_surface_get_stride(surface.get());
  auto pixel = image.pixels.begin();
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x, ++pixel) {
      std::uint32_t const packed = std::uint32_t{(*pixel)[0]} << 16U |
                                   std::uint32_t{(*pixel)[1]} << 8U | std::uint32_t{(*pixel)[2]};
      std::memcpy(data + std::ptrdiff_t{y} * stride + std::ptrdiff_t{4} * x, &packed,
                  sizeof packed);
    }
  }
  cairo_surface_mark_dirty(surface.get());
  std::string bytes;
  cairo_status_t const status =
      cairo_surface_write_to_png_stream(surface.get(), append_cairo_output, &bytes);
  require(status == CAIRO_STATUS_SUCCESS, std::string("Cairo: ") + cairo_status_to_string(status));
  return bytes;
}

Image on_sheet(Image const& image, PixelSize sheet) {
  if (image.size == sheet) return image;
  constexpr Colour white{255, 255, 255};
  Image result{sheet, std::vector<Colour>(static_cast<std::size_t>(sheet.width) *
                                              static_cast<std::size_t>(sheet.height),
                                          white)};
  for (int y = 0; y < image.size.height; ++y) {
    std::copy_n(image.pixels.begin() + std::ptrdiff_t{y} * image.size.width, image.size.width,
                result.pixels.begin() + std::ptrdiff_t{y} * sheet.width);
  }
  return result;
}

}  // namespace isotherm
