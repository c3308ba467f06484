#include "io/picture/film/animated_png.hpp"

#include <cmath>

#include "io/picture/film/png_chunks.hpp"
#include "kernels/core/error.hpp"

namespace isotherm {
namespace {

std::string short_number(unsigned number) {
  return {static_cast<char>(static_cast<std::uint8_t>(number >> 8U)),
          static_cast<char>(static_cast<std::uint8_t>(number))};
}

/// The data of a chunk fcTL: the whole picture is replaced.
std::string frame_control(std::uint32_t sequence, PixelSize size, double seconds) {
  constexpr unsigned per_second = 1000;
  auto const delay = static_cast<unsigned>(std::lround(seconds * per_second));
  return bytes_of_number(sequence) + bytes_of_number(static_cast<std::uint32_t>(size.width)) +
         bytes_of_number(static_cast<std::uint32_t>(size.height)) + bytes_of_number(0) +
         bytes_of_number(0) + short_number(delay) + short_number(per_second) +
         std::string(2, '\0');  // neither cleared afterwards nor blended
}

}  // namespace

std::string animated_png(std::vector<std::string> const& frames, double seconds, double last_s) {
  require(!frames.empty(), "a film needs a frame");
  std::string_view const header = png_chunks(frames.front()).front().data;
  PixelSize const size = png_size(frames.front());
  std::string film(png_signature());
  append_chunk(film, "IHDR", header);
  append_chunk(film, "acTL",
               bytes_of_number(static_cast<std::uint32_t>(frames.size())) + bytes_of_number(0));
  std::uint32_t sequence = 0;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    bool const is_last = i + 1 == frames.size();
    append_chunk(film, "fcTL", frame_control(sequence++, size, is_last ? last_s : seconds));
    for (PngChunk const& chunk : png_chunks(frames[i])) {
      if (chunk.type == "IHDR" && chunk.data != header) {
        throw InputError("the pictures of a film differ in size or type");
      }
      if (chunk.type != "IDAT") continue;
      // The first frame is also the picture that other programs show.
      if (i == 0) {
        append_chunk(film, "IDAT", chunk.data);
      } else {
        append_chunk(film, "fdAT", bytes_of_number(sequence++) + std::string(chunk.data));
      }
    }
  }
  append_chunk(film, "IEND", "");
  return film;
}

}  // namespace isotherm
