#include "io/surface/stl_file.hpp"

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <fmt/format.h>
#include <string>
#include <string_view>

#include "io/values/value_source.hpp"

namespace isotherm {
namespace {

constexpr std::uint64_t header_bytes = 84, triangle_bytes = 50, max_triangles = 5'000'000;

/// Returns the little-endian 32-bit number at an address.
std::uint32_t number_at(std::string_view bytes, std::size_t offset) {
  std::uint32_t number = 0;
  for (std::size_t i = 4; i > 0; --i) {
    number = number << 8 | static_cast<unsigned char>(bytes[offset + i - 1]);
  }
  return number;
}

/// Reads the triangles of a binary file: after 80 bytes the number of triangles, then for each one
/// the normal and three corners in float32, and two more bytes.
std::vector<Triangle> binary_triangles(std::string_view bytes) {
  std::vector<Triangle> triangles;
  triangles.reserve((bytes.size() - header_bytes) / triangle_bytes);
  for (std::size_t at = header_bytes; at < bytes.size(); at += triangle_bytes) {
    Triangle& triangle = triangles.emplace_back();
    for (std::size_t corner = 0; corner < 3; ++corner) {
      for (int axis = 0; axis < 3; ++axis) {
        std::size_t const number = 3 + 3 * corner + static_cast<std::size_t>(axis);
        triangle[corner][axis] =
            static_cast<double>(std::bit_cast<float>(number_at(bytes, at + 4 * number)));
      }
    }
  }
  return triangles;
}

/// The words of a text, one after the other; empty at its end.
class Words {
 public:
  explicit Words(std::string_view text) : rest_(text) {}
  std::string_view next() {
    constexpr std::string_view blanks = " \t\r\n";
    rest_.remove_prefix(std::min(rest_.find_first_not_of(blanks), rest_.size()));
    std::string_view const word = rest_.substr(0, rest_.find_first_of(blanks));
    rest_.remove_prefix(word.size());
    return word;
  }

 private:
  std::string_view rest_;
};

/// Reads the triangles of a text file: three lines "vertex x y z" for each one.
std::vector<Triangle> text_triangles(std::string const& path, std::string_view text) {
  std::vector<Triangle> triangles;
  std::size_t corner = 0;
  Words words(text);
  for (std::string_view word = words.next(); !word.empty(); word = words.next()) {
    if (word == "endfacet" && corner != 0) {
      throw InputError(
          fmt::format("{} is damaged: facet {} has not three corners", path, triangles.size()));
    }
    if (word != "vertex") continue;
    if (corner == 0) triangles.emplace_back();
    for (int axis = 0; axis < 3; ++axis) {
      std::string_view number = words.next();
      if (number.starts_with('+')) number.remove_prefix(1);
      auto const result = std::from_chars(number.data(), number.data() + number.size(),
                                          triangles.back()[corner][axis]);
      if (result.ec == std::errc() && result.ptr == number.data() + number.size()) continue;
      throw InputError(fmt::format("{} is damaged: {} in facet {} is not a number", path,
                                   quoted_text(number), triangles.size()));
    }
    corner = (corner + 1) % 3;
  }
  if (corner != 0) throw InputError(path + " is truncated: the last facet is not complete");
  return triangles;
}

std::string contents_of(std::filesystem::path const& path) {
  constexpr std::uint64_t max_bytes = max_triangles * 300;  // a facet of a text file
  Descriptor const file = open_values(path);
  std::uint64_t const size = size_of(file, path);
  if (size > max_bytes) {
    throw InputError(fmt::format("{} has {} bytes (needs at most {} triangles: simplify it)",
                                 path.string(), size, max_triangles));
  }
  std::string bytes(size, '\0');
  read_or_refuse(file, 0, bytes.data(), bytes.size(), path);
  return bytes;
}

/// Text files may not begin with "solid", and binary ones may, so the size decides.
std::vector<Triangle> triangles_in(std::string const& path, std::string_view bytes) {
  std::uint64_t const stated = bytes.size() < header_bytes ? 0 : number_at(bytes, 80);
  std::uint64_t const size = header_bytes + stated * triangle_bytes;
  bool const is_binary = bytes.size() >= header_bytes && bytes.size() == size;
  if (!is_binary && bytes.find("facet") == std::string_view::npos) {
    throw InputError(bytes.size() < header_bytes
                         ? path + " is not an STL file"
                         : fmt::format("{} is truncated, or not an STL file: for its {} triangles "
                                       "it should have {} bytes, it has {}",
                                       path, stated, size, bytes.size()));
  }
  if (is_binary && stated > max_triangles) {
    throw InputError(fmt::format("{} has {} triangles (needs at most {}: simplify it)", path,
                                 stated, max_triangles));
  }
  auto triangles = is_binary ? binary_triangles(bytes) : text_triangles(path, bytes);
  if (triangles.empty()) throw InputError(path + " contains no triangle");
  return triangles;
}

}  // namespace

std::vector<Triangle> read_stl(std::filesystem::path const& path, double scale,
                               PerAxis<double> const& offset) {
  auto triangles = triangles_in(path.string(), contents_of(path));
  for (Triangle& triangle : triangles) {
    for (auto& corner : triangle) {
      for (int axis = 0; axis < 3; ++axis) {
        // Equal corners have equal bits: the sum with 0 turns -0 into 0.
        corner[axis] = scale * corner[axis] + offset[axis] + 0.0;
        if (std::isfinite(corner[axis])) continue;
        throw InputError(path.string() + " is damaged: a coordinate is not a finite number");
      }
    }
  }
  return triangles;
}

}  // namespace isotherm
