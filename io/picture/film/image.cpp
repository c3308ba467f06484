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

// Level 3 takes half the time of level 6, and files are a third longer.
constexpr int deflation_level = 3;

/// Returns the rows of an image, each after the number of its filter: "Up", the difference from the
/// row above. Neighbouring rows of a field are similar.
std::string filtered_rows(Image const& image) {
  static_assert(sizeof(Colour) == 3);
  constexpr std::uint8_t up = 2;
  std::size_t const row_bytes = static_cast<std::size_t>(image.size.width) * sizeof(Colour);
  auto const* const pixels = reinterpret_cast<std::uint8_t const*>(image.pixels.data());
  std::string rows((row_bytes + 1) * static_cast<std::size_t>(image.size.height), '\0');
  auto* to = reinterpret_cast<std::uint8_t*>(rows.data());
  std::vector<std::uint8_t> const zeros(row_bytes);
  std::uint8_t const* above = zeros.data();
  for (int y = 0; y < image.size.height; ++y) {
    auto const* const row = pixels + static_cast<std::size_t>(y) * row_bytes;
    *to++ = up;
    for (std::size_t i = 0; i < row_bytes; ++i) {
      to[i] = static_cast<std::uint8_t>(row[i] - above[i]);
    }
    to += row_bytes;
    above = row;
  }
  return rows;
}

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
  return image_of(surface.get());
}

Image image_of(cairo_surface_t* surface) {
  cairo_surface_flush(surface);
  Image image{{cairo_image_surface_get_width(surface), cairo_image_surface_get_height(surface)}};
  image.pixels.reserve(static_cast<std::size_t>(image.size.width) *
                       static_cast<std::size_t>(image.size.height));
  int const stride = cairo_image_surface_get_stride(surface);
  unsigned char const* const data = cairo_image_surface_get_data(surface);
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
  auto const width = static_cast<std::uint32_t>(image.size.width);
  auto const height = static_cast<std::uint32_t>(image.size.height);
  constexpr std::string_view true_colour("\x08\x02\x00\x00\x00", 5);  // 8 bits a channel
  std::string png(png_signature());
  append_chunk(png, "IHDR",
               bytes_of_number(width) + bytes_of_number(height) + std::string(true_colour));
  append_chunk(png, "IDAT", deflated(filtered_rows(image), deflation_level));
  append_chunk(png, "IEND", "");
  return png;
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
