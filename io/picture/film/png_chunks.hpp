#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace isotherm {

/// A part of a PNG file: four letters and data (PNG specification, ISO/IEC 15948).
struct PngChunk {
  std::string_view type;
  std::string_view data;
};

/// Returns the chunks of a PNG file, up to IEND. They refer to `bytes`. Checksums are not compared.
/// @throws InputError  if the file is no PNG, or truncated
std::vector<PngChunk> png_chunks(std::string_view bytes);

/// The first bytes of every PNG file.
std::string_view png_signature();

/// Appends a chunk with its length and checksum.
void append_chunk(std::string& png, std::string_view type, std::string_view data);

/// Compresses bytes by zlib. @param level  from 1, fast, to 9, small
std::string deflated(std::string const& bytes, int level);

/// Returns a number of PNG's byte order (big-endian), and the bytes of such a number.
std::uint32_t number_in(std::string_view four_bytes);
std::string bytes_of_number(std::uint32_t number);

/// Width and height in pixels.
struct PixelSize {
  int width = 0;
  int height = 0;

  bool operator==(PixelSize const&) const = default;
};

/// Returns the size in the header of a PNG file. @throws InputError  as png_chunks()
PixelSize png_size(std::string_view bytes);

}  // namespace isotherm
