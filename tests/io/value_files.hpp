#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>
#include <zlib.h>

// Small files of the formats in which other programs store values and surfaces, byte by byte from
// their specifications.

namespace isotherm::test {

/// Returns a number in little-endian order, or the bytes of an array.
template <class Number>
std::string bytes_of(Number number) {
  return {reinterpret_cast<char const*>(&number), sizeof number};
}
template <class Number>
std::string bytes_of(std::vector<Number> const& numbers) {
  return {reinterpret_cast<char const*>(numbers.data()), numbers.size() * sizeof(Number)};
}

/// Returns the bytes in reverse order, item by item.
inline std::string swapped(std::string const& bytes, std::size_t item) {
  std::string result = bytes;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    result[i / item * item + item - 1 - i % item] = bytes[i];
  }
  return result;
}

/// Returns a file of numpy.save().
/// @param type  as NumPy names it, "<f8" @param shape  "(3, 4)"
inline std::string npy(std::string const& type, std::string const& shape, std::string const& values,
                       bool fortran = false) {
  std::string header = "{'descr': '" + type +
                       "', 'fortran_order': " + (fortran ? "True" : "False") +
                       ", 'shape': " + shape + ", }";
  header.resize((10 + header.size()) / 64 * 64 + 64 - 10 - 1, ' ');
  header += '\n';
  return "\x93NUMPY" + std::string("\1\0", 2) +
         bytes_of(static_cast<std::uint16_t>(header.size())) + header + values;
}

inline std::uint32_t crc_of(std::string const& bytes) {
  return static_cast<std::uint32_t>(
      crc32(0, reinterpret_cast<Bytef const*>(bytes.data()), static_cast<uInt>(bytes.size())));
}

/// Returns deflated bytes. @param window  of zlib: negative for bytes without a header
inline std::string deflated(std::string const& bytes, int window) {
  std::string result(compressBound(bytes.size()) + 64, '\0');
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, window, 8, Z_DEFAULT_STRATEGY);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(result.data());
  stream.avail_out = static_cast<uInt>(result.size());
  deflate(&stream, Z_FINISH);
  result.resize(stream.total_out);
  deflateEnd(&stream);
  return result;
}

/// A file in an archive.
struct Packed {
  std::string name, contents;
  bool compressed = false;
};

/// Returns a file of numpy.savez() or numpy.savez_compressed().
inline std::string npz(std::vector<Packed> const& files) {
  auto const u16 = [](std::size_t n) { return bytes_of(static_cast<std::uint16_t>(n)); };
  auto const u32 = [](std::size_t n) { return bytes_of(static_cast<std::uint32_t>(n)); };
  std::string archive, directory;
  for (Packed const& file : files) {
    std::string const stored =
        file.compressed ? deflated(file.contents, -MAX_WBITS) : file.contents;
    std::string const common = u16(20) + u16(0) + u16(file.compressed ? 8 : 0) + u32(0) +
                               u32(crc_of(file.contents)) + u32(stored.size()) +
                               u32(file.contents.size()) + u16(file.name.size());
    std::size_t const begin = archive.size();
    archive += "PK\3\4" + common + u16(0) + file.name + stored;
    directory += "PK\1\2" + u16(20) + common + u16(0) + u16(0) + u16(0) + u16(0) + u32(0) +
                 u32(begin) + file.name;
  }
  return archive + directory + "PK\5\6" + u32(0) + u16(files.size()) + u16(files.size()) +
         u32(directory.size()) + u32(archive.size()) + u16(0);
}

/// Returns a picture, with the rows that `pixels` has. @param channels  1: grey, 2: grey and alpha,
/// 3: colours
inline std::string png(std::uint32_t width, std::uint32_t height, std::string const& pixels,
                       std::size_t channels = 1, int bits = 8) {
  auto const big = [](std::uint32_t n) { return swapped(bytes_of(n), 4); };
  auto const chunk = [&](std::string const& kind, std::string const& data) {
    return big(static_cast<std::uint32_t>(data.size())) + kind + data + big(crc_of(kind + data));
  };
  std::size_t const row = width * channels * static_cast<std::size_t>(bits) / 8;
  std::string lines;
  for (std::size_t y = 0; y * row < pixels.size(); ++y) lines += '\0' + pixels.substr(y * row, row);
  std::string const kinds = std::string("\0\4\2", 3);
  std::string header = big(width) + big(height) + static_cast<char>(bits) + kinds[channels - 1];
  header += std::string(3, '\0');
  return "\x89PNG\r\n\x1a\n" + chunk("IHDR", header) + chunk("IDAT", deflated(lines, MAX_WBITS)) +
         chunk("IEND", "");
}

using Corners = std::array<std::array<double, 3>, 3>;

/// Returns the 12 triangles of a box, seen from outside counter-clockwise.
inline std::vector<Corners> box_triangles(std::array<double, 3> lower,
                                          std::array<double, 3> upper) {
  std::vector<Corners> triangles;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    std::size_t const u = (axis + 1) % 3, v = (axis + 2) % 3;
    for (bool const is_upper : {false, true}) {
      auto const corner = [&](bool at_u, bool at_v) {
        std::array<double, 3> place{};
        place[axis] = is_upper ? upper[axis] : lower[axis];
        place[u] = at_u ? upper[u] : lower[u];
        place[v] = at_v ? upper[v] : lower[v];
        return place;
      };
      auto const a = corner(false, false), b = corner(true, false), c = corner(true, true),
                 d = corner(false, true);
      if (is_upper) triangles.insert(triangles.end(), {{a, b, c}, {a, c, d}});
      if (!is_upper) triangles.insert(triangles.end(), {{a, c, b}, {a, d, c}});
    }
  }
  return triangles;
}

/// Returns a binary STL file.
inline std::string stl(std::vector<Corners> const& triangles) {
  std::string file = std::string(80, ' ');
  file += bytes_of(static_cast<std::uint32_t>(triangles.size()));
  for (Corners const& triangle : triangles) {
    file += std::string(12, '\0');
    for (auto const& corner : triangle) {
      for (double const number : corner) file += bytes_of(static_cast<float>(number));
    }
    file += std::string(2, '\0');
  }
  return file;
}

/// Returns a text STL file.
inline std::string stl_text(std::vector<Corners> const& triangles) {
  std::string file = "solid part\n";
  for (Corners const& triangle : triangles) {
    file += " facet normal 0 0 0\n  outer loop\n";
    for (auto const& [x, y, z] : triangle) {
      file += "   vertex " + std::to_string(x) + ' ' + std::to_string(y) + ' ' + std::to_string(z) +
              '\n';
    }
    file += "  endloop\n endfacet\n";
  }
  return file + "endsolid part\n";
}

/// Writes a file and returns its path.
inline std::string written(std::filesystem::path const& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
  return path.string();
}

}  // namespace isotherm::test
