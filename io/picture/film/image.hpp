#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "io/picture/colour_map.hpp"
#include "io/picture/film/png_chunks.hpp"

namespace isotherm {

/// The pixels of a picture, row by row from the top.
struct Image {
  PixelSize size{};
  std::vector<Colour> pixels{};
};

/// Decodes a PNG file. @throws InputError  if it is none, or damaged
Image decoded_png(std::string_view png);

/// Encodes an image without transparency. @throws Error  if zlib fails
std::string encoded_png(Image const& image);

/// Returns the image on a larger white sheet, in its upper left corner.
/// @pre  the sheet is at least as large as the image
Image on_sheet(Image const& image, PixelSize sheet);

}  // namespace isotherm
