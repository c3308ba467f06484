#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/core/cpu/rows.hpp"
#include "kernels/core/cpu/vector.hpp"
#include "kernels/core/queue/queue.hpp"
#include "kernels/filters/weights.hpp"

// A convolution with register tiles: sums are held in registers while the values that they consist
// of are loaded one after the other.
//
// Along x a tile is a few vectors of a row. Along y and z it is a few vectors of a few rows, so
// each loaded value contributes to all of these rows. A column of rows is narrow: all values that
// one row reads remain in the cache until the last row has read them. Values therefore come from
// memory only once.

namespace isotherm::cpu {

/// Input and output of a part of a row.
template <class Real>
struct RowPart {
  Real const* from;  ///< the first value of the first sum
  /// From a sum's value to its next one, and from a row's values to the next row's.
  std::int64_t step;
  Real* to;
  std::int64_t to_step;  ///< from a row to the next one
  std::int64_t count;    ///< number of points
};

/// Computes a register tile of `rows` × `vectors` vectors of sums, which begins `at` points after
/// the part's beginning.
///
/// Each sum begins with −0, the neutral element of addition.
/// @tparam streamed  use streaming stores, which neither evict data from the cache nor read the
///   memory that they overwrite
template <int rows, int vectors, bool streamed, class Real>
[[gnu::always_inline]] inline void sum_vectors(RowPart<Real> const& part, std::int64_t at,
                                               Weights<Real> const& weights) {
  using Values = Vector<Real>;
  // Value number `tap` has weight tap − row in row `row`, if that exists.
  int const taps = 2 * weights.radius + 1;
  // Plain arrays of vectors and loops of constant length become registers.
  Values sums[rows][vectors];  // NOLINT(modernize-avoid-c-arrays)
#pragma GCC unroll 16
  for (int row = 0; row < rows; ++row) {
#pragma GCC unroll 16
    for (int n = 0; n < vectors; ++n) sums[row][n] = Values::all(Real{-0.0});
  }
  // Loads the values `tap` steps from the first one and adds them to the rows first <= row < last.
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
  // With constant bounds for the first and last values, the branch on the row vanishes when the
  // loops are unrolled.
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

/// Computes a part that is shorter than a vector, point by point. The sums have the order of
/// sum_vectors().
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

/// Computes a part of `rows` rows. The last vector ends at the part's end; the points that it
/// shares with the previous vector are computed twice.
template <int rows, int vectors, bool streamed, class Real>
void sum_part(RowPart<Real> const& part, Weights<Real> const& weights) {
  constexpr std::int64_t width = Vector<Real>::width;
  // No vector fits.
  if (part.count < width) return sum_points<rows>(part, weights);
  std::int64_t at = 0;
  for (; at + vectors * width <= part.count; at += vectors * width) {
    sum_vectors<rows, vectors, streamed>(part, at, weights);
  }
  for (; at + width <= part.count; at += width) {
    sum_vectors<rows, 1, streamed>(part, at, weights);
  }
  // The overlapping vector is not aligned in general, so it is not streamed.
  if (at < part.count) sum_vectors<rows, 1, false>(part, part.count - width, weights);
}

/// Returns true if every vector of a part has an address that can be streamed to.
template <class Real>
bool is_aligned(RowPart<Real> const& part) {
  constexpr std::int64_t width = Vector<Real>::width;
  constexpr auto bytes = static_cast<std::uintptr_t>(width) * sizeof(Real);
  return reinterpret_cast<std::uintptr_t>(part.to) % bytes == 0 && part.to_step % width == 0;
}

/// Computes a part, with streaming stores if requested and possible.
template <int rows, int vectors, class Real>
void sum_part(RowPart<Real> const& part, Weights<Real> const& weights, bool streamed) {
  if (streamed && is_aligned(part)) {
    sum_part<rows, vectors, true>(part, weights);
  } else {
    sum_part<rows, vectors, false>(part, weights);
  }
}

/// Returns true if the output exceeds the cache. It would then be evicted before it is read again.
template <class Real>
bool leaves_the_cache(LocalBox const& box) {
  constexpr std::int64_t cached_bytes = std::int64_t{24} << 20;
  return box.point_count() > cached_bytes / static_cast<std::int64_t>(sizeof(Real));
}

/// Convolves along x, row by row.
template <class Real>
void convolve_rows(FieldView<Real const> from, FieldView<Real> to, LocalBox const& box,
                   Weights<Real> const& weights) {
  bool const streamed = leaves_the_cache<Real>(box);
  for_each_row(box, [&](std::int64_t j, std::int64_t k) {
    Real const* const first = &from(box.lower.x, j, k) - weights.radius;
    RowPart<Real> const part{first, 1, &to(box.lower.x, j, k), 0, box.extent().x};
    sum_part<1, 8>(part, weights, streamed);
    // Other threads read the output after the parallel region.
    if (streamed) end_vector_streams();
  });
}

/// Division of a box into columns along y or z. Each is processed by one thread.
struct Columns {
  int axis;             ///< direction of the columns
  int other;            ///< the third axis, neither this nor x
  std::int64_t width;   ///< points along x per column
  std::int64_t height;  ///< points along the axis per column
  Extent3 count;        ///< number of columns along each axis

  [[nodiscard]] std::int64_t all() const { return count.x * count.y * count.z; }

  /// Returns the points of a column, cut off at the box's end.
  [[nodiscard]] LocalBox column(LocalBox const& box, std::int64_t number) const {
    // Columns are numbered with x fastest.
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

/// Returns columns that are narrow enough for the cache: the rows that a sum reaches fit a quarter
/// of the second-level cache. They are short enough that every thread has columns.
inline Columns columns_of(LocalBox const& box, int axis, int radius, std::size_t value_bytes) {
  // Widths are multiples of 64 points, which are whole cache lines.
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
  // Each cut makes a column read 2 · radius rows again, so pieces are at least that high.
  std::int64_t const cuts =
      std::min(pieces(wanted, columns.all()), std::max<std::int64_t>(extent[axis] / reached, 1));
  columns.height = pieces(extent[axis], cuts);
  columns.count[axis] = pieces(extent[axis], columns.height);
  return columns;
}

/// Convolves one column, four rows at a time.
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
  // Full register tiles first, then single rows.
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

/// Convolves along y or z, distributing columns to threads.
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

/// Convolves along an axis.
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
