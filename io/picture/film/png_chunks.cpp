#include "io/picture/film/png_chunks.hpp"

#include <memory>
#include <zlib.h>

#include "kernels/core/error.hpp"

namespace isotherm {
namespace {

constexpr std::string_view signature{"\x89PNG\r\n\x1a\n", 8};
constexpr std::size_t number_bytes = 4;  // of length, type and checksum

}  // namespace

std::string_view png_signature() { return signature; }

std::uint32_t number_in(std::string_view four_bytes) {
  std::uint32_t number = 0;
  for (char const byte : four_bytes.substr(0, number_bytes)) {
    number = number << 8U | static_cast<std::uint8_t>(byte);
  }
  return number;
}

std::string bytes_of_number(std::uint32_t number) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) {
    bytes += static_cast<char>(static_cast<std::uint8_t>(number >> static_cast<unsigned>(shift)));
  }
  return bytes;
}

std::vector<PngChunk> png_chunks(std::string_view bytes) {
  if (!bytes.starts_with(signature)) throw InputError("it is no PNG file");
  bytes.remove_prefix(signature.size());
  std::vector<PngChunk> chunks;
  while (chunks.empty() || chunks.back().type != "IEND") {
    // Length, type, data, checksum.
    std::size_t const frame = 3 * number_bytes;
    std::size_t const length = bytes.size() < frame ? 0 : number_in(bytes);
    if (bytes.size() < frame || bytes.size() - frame < length) {
      throw InputError("the PNG file is truncated");
    }
    chunks.push_back(
        {bytes.substr(number_bytes, number_bytes), bytes.substr(2 * number_bytes, length)});
    bytes.remove_prefix(frame + length);
  }
  return chunks;
}

void append_chunk(std::string& png, std::string_view type, std::string_view data) {
  std::string const content = std::string(type) + std::string(data);
  auto const* const first = reinterpret_cast<Bytef const*>(content.data());
  auto const checksum = crc32(crc32(0, nullptr, 0), first, static_cast<uInt>(content.size()));
  png += bytes_of_number(static_cast<std::uint32_t>(data.size())) + content +
         bytes_of_number(static_cast<std::uint32_t>(checksum));
}

std::string deflated(std::string const& bytes, int level) {
  uLongf size = compressBound(bytes.size());
  // NOLINTNEXTLINE(modernize-avoid-c-arrays): memory that is not filled with zeros
  auto const result = std::make_unique_for_overwrite<Bytef[]>(size);
  int const code = compress2(result.get(), &size, reinterpret_cast<Bytef const*>(bytes.data()),
                             bytes.size(), level);
  require(code == Z_OK, "zlib cannot compress a picture");
  return {reinterpret_cast<char const*>(result.get()), size};
}

PixelSize png_size(std::string_view bytes) {
  std::string_view const header = png_chunks(bytes).front().data;
  if (header.size() < 2 * number_bytes) throw InputError("the PNG file has no header");
  return {static_cast<int>(number_in(header)),
          static_cast<int>(number_in(header.substr(number_bytes)))};
}

}  // namespace isotherm
