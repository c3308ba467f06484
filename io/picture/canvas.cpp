#include "io/picture/canvas.hpp"

#include <cstring>
#include <png.h>

#include "io/picture/font.hpp"
#include "kernels/core/error.hpp"

namespace isotherm {
namespace {

constexpr int letter_pitch = glyph_columns + 1;

}  // namespace

Canvas::Canvas(int width, int height, Colour background)
    : width_(width),
      height_(height),
      points_(static_cast<std::size_t>(width) * static_cast<std::size_t>(height), background) {}

Colour Canvas::at(int x, int y) const {
  return points_.at(static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) +
                    static_cast<std::size_t>(x));
}

void Canvas::set(int x, int y, Colour colour) {
  if (x >= 0 && x < width_ && y >= 0 && y < height_) {
    points_[static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) +
            static_cast<std::size_t>(x)] = colour;
  }
}

void Canvas::fill(int left, int top, int width, int height, Colour colour) {
  for (int y = top; y < top + height; ++y) {
    for (int x = left; x < left + width; ++x) {
      set(x, y, colour);
    }
  }
}

void Canvas::frame(int left, int top, int width, int height, Colour colour) {
  fill(left - 1, top - 1, width + 2, 1, colour);
  fill(left - 1, top + height, width + 2, 1, colour);
  fill(left - 1, top, 1, height, colour);
  fill(left + width, top, 1, height, colour);
}

int Canvas::text_width(std::string_view line, int scale) {
  return line.empty() ? 0 : (static_cast<int>(line.size()) * letter_pitch - 1) * scale;
}

int Canvas::text_height(int scale) {
  constexpr int rows_above_base_line = 7;
  return rows_above_base_line * scale;
}

void Canvas::text(int x, int top, std::string_view line, Colour colour, Align align, int scale) {
  int const width = text_width(line, scale);
  int left = x - (align == Align::centre ? width / 2 : align == Align::right ? width : 0);
  for (char const one : line) {
    letter(left, top, one, colour, scale);
    left += letter_pitch * scale;
  }
}

void Canvas::letter(int left, int top, char letter, Colour colour, int scale) {
  Glyph const& glyph = glyph_of(letter);
  for (int row = 0; row < glyph_rows; ++row) {
    for (int column = 0; column < glyph_columns; ++column) {
      if ((glyph[static_cast<std::size_t>(row)] >> (glyph_columns - 1 - column) & 1) != 0) {
        fill(left + column * scale, top + row * scale, scale, scale, colour);
      }
    }
  }
}

std::string Canvas::png() const {
  png_image image;
  std::memset(&image, 0, sizeof image);
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(width_);
  image.height = static_cast<png_uint_32>(height_);
  image.format = PNG_FORMAT_RGB;
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
  std::string bytes(size, '\0');
  int const ok =
      png_image_write_to_memory(&image, bytes.data(), &size, 0, points_.data(), 0, nullptr);
  require(ok != 0, std::string("libpng: ") + image.message);
  bytes.resize(size);
  return bytes;
}

}  // namespace isotherm
