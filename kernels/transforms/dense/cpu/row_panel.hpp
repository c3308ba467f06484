#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "kernels/transforms/dense/cpu/dense_packing.hpp"
#include "kernels/transforms/dense/dense_tables.hpp"

namespace isotherm::cpu {

/// Lines along x that are transformed together. A line is a row, so vectors run along the modes:
/// the values multiply whole vectors of the matrix, and no transposition is necessary.
template <class Real>
class RowPanel {
 public:
  using Tile = RegisterTile<Real>;

  /// Returns the number of lines whose values are within `bytes` bytes, at least one register tile.
  static std::int64_t lines_within(std::int64_t bytes, int count) {
    std::int64_t const tile =
        std::int64_t{count} * Tile::rows * static_cast<std::int64_t>(sizeof(Real));
    return std::clamp(bytes / tile, std::int64_t{1}, std::int64_t{8}) * Tile::rows;
  }
  /// Returns the number of elements that a panel needs.
  static std::int64_t elements(int count, std::int64_t lines) {
    return 2 * padded(lines) * pitch(count);
  }
  /// Returns the matrices in the layout of this class.
  static std::array<Real const*, 2> blocks_of(DenseMatrix<Real> const& matrix) {
    return matrix.along;
  }

  /// @param memory  elements() elements, aligned to 64 bytes
  /// @param first  number of the first line
  /// @param lines  number of lines
  RowPanel(Real* memory, DenseTables<Real> const& tables, std::int64_t first, std::int64_t lines)
      : tables_(tables),
        first_(first),
        lines_(lines),
        pitch_(pitch(tables.count)),
        values_(memory),
        results_(memory + padded(lines) * pitch_) {}

  void load(LineSet<Real const> const& from) {
    for (std::int64_t n = 0; n < lines_; ++n) {
      std::copy_n(from.first_of(first_ + n), tables_.count, row(values_, n));
    }
    // Rows without a line compute zeros.
    std::fill(row(values_, lines_), row(values_, padded(lines_)), Real{0});
  }
  void store(LineSet<Real> const& to) const {
    for (std::int64_t n = 0; n < lines_; ++n) {
      std::copy_n(row(values_, n), tables_.count, to.first_of(first_ + n));
    }
  }
  /// Replaces values at mirrored points by their sums and differences; see pack_dense().
  void fold() {
    int const last = tables_.count - 1;
    for (std::int64_t n = 0; n < lines_; ++n) {
      Real* const values = row(values_, n);
#pragma omp simd
      for (int p = 0; p < tables_.size(1); ++p) {
        Real const a = values[p];
        Real const b = values[last - p];
        values[p] = a + b;
        values[last - p] = a - b;
      }
    }
  }
  /// Multiplies the values of a block by a matrix of its size. The processor itself fetches the
  /// next lines, since they are contiguous.
  void multiply(int block, Real const* matrix, DensePass<Real> const* /*pass*/) {
    int const terms = tables_.size(block);
    int const begin = block == 0 ? 0 : tables_.size(0);
    for (int m = 0; m < terms; m += Tile::columns) {
      Real const* const columns = matrix + std::ptrdiff_t{m} * terms;
      for (std::int64_t n = 0; n < lines_; n += Tile::rows) {
        multiply_tile(terms, Multipliers<Real>{row(values_, n) + begin, pitch_, 1}, columns,
                      row(results_, n) + begin + m, pitch_);
      }
    }
  }
  /// Makes the results of the last products the values of the next ones.
  void advance() { std::swap(values_, results_); }
  /// Multiplies modes by the inverses of their eigenvalues.
  void scale(LineSet<Real const> const& from, LineSpectrum<Real> const& by) {
    for (std::int64_t n = 0; n < lines_; ++n) {
      Real* const modes = row(values_, n);
      Real const a = by.a[from.a(first_ + n)];
      Real const b = by.b[from.b(first_ + n)];
#pragma omp simd
      for (int m = 0; m < tables_.count; ++m) {
        modes[m] *= by.spectrum.inverse_of(by.own[m], a, b);
      }
    }
  }

 private:
  /// Returns the elements from one row to the next. A register tile may write past the last mode.
  /// An odd number of cache lines distributes the rows over the sets of the caches.
  static std::int64_t pitch(int count) {
    constexpr int line = 64 / sizeof(Real);
    auto const lines = static_cast<std::int64_t>(rounded_up(count + Tile::columns, line) / line);
    return (lines | 1) * line;
  }
  static std::int64_t padded(std::int64_t lines) {
    return (lines + Tile::rows - 1) / Tile::rows * Tile::rows;
  }
  [[nodiscard]] Real* row(Real* of, std::int64_t number) const { return of + number * pitch_; }

  DenseTables<Real> tables_;
  std::int64_t first_;
  std::int64_t lines_;
  std::int64_t pitch_;
  Real* values_;
  Real* results_;
};

}  // namespace isotherm::cpu
