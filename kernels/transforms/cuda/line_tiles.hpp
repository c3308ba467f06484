#pragma once

#include <cstdint>

#include "kernels/core/host_device.hpp"
#include "kernels/transforms/line_set.hpp"

// How kernels divide the lines of a pass among thread blocks.

namespace isotherm::cuda {

/// The lines of a thread block: line first + lane of a LineSet for each lane from lower to upper
/// − 1. Other lanes have no line.
struct LineTile {
  std::int64_t first;
  int lower;
  int upper;

  [[nodiscard]] ISOTHERM_INLINE bool has(int lane) const { return lane >= lower && lane < upper; }
  /// Returns the line of a lane, or another line of the tile if the lane has none.
  [[nodiscard]] ISOTHERM_INLINE std::int64_t line(int lane) const {
    return first + (has(lane) ? lane : lower);
  }
};

/// The division of a LineSet into tiles of adjacent lines.
///
/// Lines along y or z whose first points lie in rows of memory have tiles that begin at multiples
/// of a tile in memory. Blocks then read and write whole sectors. In short rows tiles extend from
/// one row to the next.
struct LineTiles {
  int size;                ///< lanes of a tile
  int of_row = 0;          ///< tiles of a row; 0 if tiles extend from row to row
  int shift = 0;           ///< lanes before the first line of a row
  std::int64_t lines = 0;  ///< number of lines
  std::int64_t width = 1;  ///< lines of a row

  /// Returns the number of tiles.
  [[nodiscard]] std::int64_t count() const {
    return of_row > 0 ? lines / width * of_row : (lines + size - 1) / size;
  }
  [[nodiscard]] ISOTHERM_INLINE LineTile operator[](std::int64_t number) const {
    if (of_row == 0) {
      std::int64_t const first = number * size;
      std::int64_t const left = lines - first;
      return {first, 0, left < size ? static_cast<int>(left) : size};
    }
    std::int64_t const row = number / of_row;
    std::int64_t const place = number % of_row * size - shift;
    std::int64_t const left = width - place;
    return {row * width + place, place < 0 ? static_cast<int>(-place) : 0,
            left < size ? static_cast<int>(left) : size};
  }
};

/// Returns how the lines of a pass are divided.
/// @param size  lanes of a tile
template <class Value>
LineTiles tiles_of_lines(LineSet<Value> const& lines, std::int64_t count, int size) {
  LineTiles tiles{size, 0, 0, count, lines.width};
  // Tiles at the ends of a row are in part empty.
  bool const has_long_rows = lines.stride_a == 1 && lines.width >= 4 * size;
  if (!has_long_rows || count % lines.width != 0) return tiles;
  auto const place = reinterpret_cast<std::uintptr_t>(lines.origin) / sizeof(Value);
  tiles.shift = static_cast<int>(place % static_cast<unsigned>(size));
  tiles.of_row = static_cast<int>((lines.width + tiles.shift + size - 1) / size);
  return tiles;
}

}  // namespace isotherm::cuda
