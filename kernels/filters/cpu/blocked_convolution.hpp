#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/core/cpu/rows.hpp"
#include "kernels/core/queue.hpp"
#include "kernels/filters/cpu/vector.hpp"
#include "kernels/filters/weights.hpp"

// Sums stay in registers while the values that they are made of pass by. Along x these are a few
// vectors of a row. Along y and z they are a few vectors of a few rows, so that each value that is
// loaded counts for all of these rows; and a column of rows is so narrow that what one row reads
// stays in the cache until the last row that reads it, so values come from memory once.

namespace isotherm::cpu {

/// Where the sums of a row's part are taken and left.
template <class Real>
struct RowPart {
  Real const* from;   ///< the first value of the first sum
  std::int64_t step;  ///< from one of its values to the next, and from a row's to the next row's
  Real* to;
  std::int64_t to_step;  ///< to the next row
  std::int64_t count;    ///< of points
};

/// `rows` times `vectors` vectors of sums, which begin `at` points after the part. Each begins with
/// −0, to which a product adds up as it is. Where they are streamed they do not take the cache from
/// what is still to be read, and what they replace is not read first.
template <int rows, int vectors, bool streamed, class Real>
[[gnu::always_inline]] inline void sum_vectors(RowPart<Real> const& part, std::int64_t at,
                                               Weights<Real> const& weights) {
  using Values = Vector<Real>;
  int const taps = 2 * weights.radius + 1;
  // Plain arrays of vectors and loops of known lengths become registers.
  Values sums[rows][vectors];  // NOLINT(modernize-avoid-c-arrays)
#pragma GCC unroll 16
  for (int row = 0; row < rows; ++row) {
#pragma GCC unroll 16
    for (int n = 0; n < vectors; ++n) sums[row][n] = Values::all(Real{-0.0});
  }
  // The values `tap` steps from the first; they count for the rows first <= row < last.
  auto const add = [&](int tap, int first, int last) __attribute__((always_inline)) {
    Values values[vectors];  // NOLINT(modernize-avoid-c-arrays)
#pragma GCC unroll 16
    for (int n = 0; n < vectors; ++n) {
      values[n] = Values::load(part.from + at + tap * part.step + n * Values::width);
    }
#pragma GCC unroll 16
    for (int row = 0; row < rows; ++row) {
      if (row < first || row >= last) continue;
      Values const weight = Values::all(weights.values[tap - row]);
#pragma GCC unroll 16
      for (int n = 0; n < vectors; ++n) {
        sums[row][n] = multiply_add_each(weight, values[n], sums[row][n]);
      }
    }
  };
  if (taps < rows) {
    for (int tap = 0; tap < taps + rows - 1; ++tap) add(tap, tap - taps + 1, tap + 1);
  } else {
#pragma GCC unroll 16
    for (int tap = 0; tap < rows - 1; ++tap) add(tap, 0, tap + 1);
    for (int tap = rows - 1; tap < taps; ++tap) add(tap, 0, rows);
#pragma GCC unroll 16
    for (int n = 0; n < rows - 1; ++n) add(taps + n, n + 1, rows);
  }
#pragma GCC unroll 16
  for (int row = 0; row < rows; ++row) {
#pragma GCC unroll 16
    for (int n = 0; n < vectors; ++n) {
      Real* const to = part.to + at + row * part.to_step + n * Values::width;
      if constexpr (streamed) {
        sums[row][n].stream(to);
      } else {
        sums[row][n].store(to);
      }
    }
  }
}

/// The points of a part that are fewer than a vector.
template <int rows, class Real>
void sum_points(RowPart<Real> const& part, Weights<Real> const& weights) {
  for (int row = 0; row < rows; ++row) {
    for (std::int64_t i = 0; i < part.count; ++i) {
      Real const* value = part.from + i + row * part.step;
      Real sum = weights.values[0] * *value;
      for (int m = 1; m <= 2 * weights.radius; ++m) {
        value += part.step;
        sum = multiply_add(weights.values[m], *value, sum);
      }
      part.to[i + row * part.to_step] = sum;
    }
  }
}

/// A part of `rows` rows. Its last vector ends where it does; what that shares with the one before
/// is computed twice.
template <int rows, int vectors, bool streamed, class Real>
void sum_part(RowPart<Real> const& part, Weights<Real> const& weights) {
  constexpr std::int64_t width = Vector<Real>::width;
  if (part.count < width) return sum_points<rows>(part, weights);
  std::int64_t at = 0;
  for (; at + vectors * width <= part.count; at += vectors * width) {
    sum_vectors<rows, vectors, streamed>(part, at, weights);
  }
  for (; at + width <= part.count; at += width) {
    sum_vectors<rows, 1, streamed>(part, at, weights);
  }
  if (at < part.count) sum_vectors<rows, 1, false>(part, part.count - width, weights);
}

/// Whether every vector of a part lies where it can be streamed to.
template <class Real>
bool is_aligned(RowPart<Real> const& part) {
  constexpr std::int64_t width = Vector<Real>::width;
  constexpr auto bytes = static_cast<std::uintptr_t>(width) * sizeof(Real);
  return reinterpret_cast<std::uintptr_t>(part.to) % bytes == 0 && part.to_step % width == 0;
}

template <int rows, int vectors, class Real>
void sum_part(RowPart<Real> const& part, Weights<Real> const& weights, bool streamed) {
  if (streamed && is_aligned(part)) {
    sum_part<rows, vectors, true>(part, weights);
  } else {
    sum_part<rows, vectors, false>(part, weights);
  }
}

/// A field of which more is written leaves the cache before it is read again.
template <class Real>
bool leaves_the_cache(LocalBox const& box) {
  constexpr std::int64_t cached_bytes = std::int64_t{24} << 20;
  return box.point_count() > cached_bytes / static_cast<std::int64_t>(sizeof(Real));
}

template <class Real>
void convolve_rows(FieldView<Real const> from, FieldView<Real> to, LocalBox const& box,
                   Weights<Real> const& weights) {
  bool const streamed = leaves_the_cache<Real>(box);
  for_each_row(box, [&](std::int64_t j, std::int64_t k) {
    Real const* const first = &from(box.lower.x, j, k) - weights.radius;
    RowPart<Real> const part{first, 1, &to(box.lower.x, j, k), 0, box.extent().x};
    sum_part<1, 8>(part, weights, streamed);
    if (streamed) end_vector_streams();
  });
}

/// How a box falls into columns along y or z, each for a thread.
struct Columns {
  int axis;             ///< along which they stand
  int other;            ///< the third axis, neither this nor x
  std::int64_t width;   ///< of a column, in points along x
  std::int64_t height;  ///< of a column, along its axis
  Extent3 count;        ///< of columns, along each axis

  [[nodiscard]] std::int64_t all() const { return count.x * count.y * count.z; }

  [[nodiscard]] LocalBox column(LocalBox const& box, std::int64_t number) const {
    Index3 const place{number % count.x, number / count.x % count.y, number / count.x / count.y};
    Index3 const size = sizes();
    LocalBox part;
    for (int a = 0; a < 3; ++a) {
      part.lower[a] = box.lower[a] + place[a] * size[a];
      part.upper[a] = std::min(part.lower[a] + size[a], box.upper[a]);
    }
    return part;
  }

 private:
  [[nodiscard]] Extent3 sizes() const {
    Extent3 size{width, 1, 1};
    size[axis] = height;
    return size;
  }
};

/// Columns so narrow that the rows that a sum reaches fill a quarter of the second cache, and so
/// short that all threads have some.
inline Columns columns_of(LocalBox const& box, int axis, int radius, std::size_t value_bytes) {
  constexpr std::int64_t line = 64;
  auto const pieces = [](std::int64_t all, std::int64_t size) { return (all + size - 1) / size; };
  std::int64_t const reached = 2 * static_cast<std::int64_t>(radius) + 1;
  std::int64_t const fitting = second_level_cache_bytes() / 4 / reached /
                               static_cast<std::int64_t>(value_bytes) / line * line;
  Extent3 const extent = box.extent();
  Columns columns{
      axis, 3 - axis, std::clamp<std::int64_t>(fitting, line, 4096), extent[axis], {1, 1, 1}};
  columns.count.x = pieces(extent.x, columns.width);
  columns.count[columns.other] = extent[columns.other];
  std::int64_t const wanted = 4 * static_cast<std::int64_t>(cpu_threads());
  std::int64_t const cuts =
      std::min(pieces(wanted, columns.all()), std::max<std::int64_t>(extent[axis] / reached, 1));
  columns.height = pieces(extent[axis], cuts);
  columns.count[axis] = pieces(extent[axis], columns.height);
  return columns;
}

template <class Real>
void convolve_column(FieldView<Real const> from, FieldView<Real> to, LocalBox const& column,
                     int axis, Weights<Real> const& weights, bool streamed) {
  constexpr int rows = 4;
  RowPart<Real> part{nullptr, stride_of(from, axis), nullptr, stride_of(to, axis),
                     column.extent().x};
  Index3 const first = column.lower;
  auto const go_to = [&](std::int64_t n) {
    part.from = &from(first.x, first.y, first.z) + (n - weights.radius) * part.step;
    part.to = &to(first.x, first.y, first.z) + n * part.to_step;
  };
  std::int64_t const height = column.extent()[axis];
  std::int64_t n = 0;
  for (; n + rows <= height; n += rows) {
    go_to(n);
    sum_part<rows, 2>(part, weights, streamed);
  }
  for (; n < height; ++n) {
    go_to(n);
    sum_part<1, 8>(part, weights, streamed);
  }
  if (streamed) end_vector_streams();
}

template <class Real>
void convolve_columns(FieldView<Real const> from, FieldView<Real> to, LocalBox const& box, int axis,
                      Weights<Real> const& weights) {
  Columns const columns = columns_of(box, axis, weights.radius, sizeof(Real));
  bool const streamed = leaves_the_cache<Real>(box);
#pragma omp parallel for schedule(static) if (box.point_count() >= smallest_parallel_work)
  for (std::int64_t number = 0; number < columns.all(); ++number) {
    convolve_column(from, to, columns.column(box, number), axis, weights, streamed);
  }
}

template <class Real>
void convolve_blocked(FieldView<Real const> from, FieldView<Real> to, LocalBox const& box, int axis,
                      Weights<Real> const& weights) {
  if (axis == 0) {
    convolve_rows(from, to, box, weights);
  } else {
    convolve_columns(from, to, box, axis, weights);
  }
}

}  // namespace isotherm::cpu
