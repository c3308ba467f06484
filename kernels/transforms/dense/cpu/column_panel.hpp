#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "kernels/transforms/dense/cpu/dense_packing.hpp"
#include "kernels/transforms/dense/dense_tables.hpp"

namespace isotherm::cpu {

/// Lines along y or z that are transformed together, in strips of as many lines as a register tile
/// has columns. A strip has a row for each point or mode, so vectors run across the lines.
template <class Real>
class ColumnPanel {
 public:
  using Tile = RegisterTile<Real>;
  static constexpr int width = Tile::columns;  ///< lines of a strip

  /// Returns the number of lines whose values are within `bytes` bytes, at least one strip.
  static std::int64_t lines_within(std::int64_t bytes, int count) {
    std::int64_t const strip =
        std::int64_t{count} * width * static_cast<std::int64_t>(sizeof(Real));
    return std::clamp(bytes / strip, std::int64_t{1}, std::int64_t{8}) * width;
  }
  /// Returns the number of elements that a panel needs.
  static std::int64_t elements(int count, std::int64_t lines) {
    return 2 * (lines + width - 1) / width * width * height(count);
  }
  /// Returns the matrices in the layout of this class.
  static std::array<Real const*, 2> blocks_of(DenseMatrix<Real> const& matrix) {
    return matrix.across;
  }

  /// @param memory  elements() elements, aligned to 64 bytes
  /// @param first  number of the first line
  /// @param lines  number of lines
  ColumnPanel(Real* memory, DenseTables<Real> const& tables, std::int64_t first, std::int64_t lines)
      : tables_(tables),
        first_(first),
        lines_(lines),
        strip_elements_(height(tables.count) * width),
        values_(memory),
        results_(memory + strips() * strip_elements_) {}

  void load(LineSet<Real const> const& from) {
    for (std::int64_t s = 0; s < strips(); ++s) load_strip(from, s);
  }
  void store(LineSet<Real> const& to) const {
    for (std::int64_t s = 0; s < strips(); ++s) store_strip(to, s);
  }
  /// Replaces values at mirrored points by their sums and differences; see pack_dense().
  void fold() {
    for (std::int64_t s = 0; s < strips(); ++s) {
      for (int p = 0; p < tables_.size(1); ++p) {
        Real* const lower = row(values_, s, p);
        Real* const upper = row(values_, s, tables_.count - 1 - p);
#pragma omp simd
        for (int lane = 0; lane < width; ++lane) {
          Real const a = lower[lane];
          Real const b = upper[lane];
          lower[lane] = a + b;
          upper[lane] = a - b;
        }
      }
    }
  }
  /// Multiplies the values of a block by a matrix of its size.
  /// @param pass  the pass if these are its last products, else null. The products then overlap
  ///   with fetching the lines of the next panel and those of the results.
  void multiply(int block, Real const* matrix, DensePass<Real> const* pass) {
    int const terms = tables_.size(block);
    int const begin = block == 0 ? 0 : tables_.size(0);
    for (int m = 0; m < terms; m += Tile::rows) {
      Multipliers<Real> const multipliers{matrix + std::ptrdiff_t{m} * terms, 1, Tile::rows};
      for (std::int64_t s = 0; s < strips(); ++s) {
        if (pass != nullptr) prefetch(*pass, s, begin + m);
        multiply_tile(terms, multipliers, row(values_, s, begin), row(results_, s, begin + m),
                      width);
      }
    }
  }
  /// Makes the results of the last products the values of the next ones.
  void advance() { std::swap(values_, results_); }
  /// Multiplies modes by the inverses of their eigenvalues.
  void scale(LineSet<Real const> const& from, LineSpectrum<Real> const& by) {
    for (std::int64_t s = 0; s < strips(); ++s) scale_strip(from, by, s);
  }

 private:
  /// Rows of a strip. A register tile may write past the last row.
  static std::int64_t height(int count) { return count + Tile::rows; }
  [[nodiscard]] std::int64_t strips() const { return (lines_ + width - 1) / width; }
  [[nodiscard]] Real* row(Real* of, std::int64_t strip, int number) const {
    return of + strip * strip_elements_ + std::int64_t{number} * width;
  }
  /// Returns the number of lines in a strip.
  [[nodiscard]] int lanes(std::int64_t strip) const {
    return static_cast<int>(std::min<std::int64_t>(width, lines_ - strip * width));
  }
  /// Returns true if a strip is full and its lines are adjacent in memory.
  template <class T>
  [[nodiscard]] bool is_contiguous(LineSet<T> const& lines, std::int64_t strip) const {
    std::int64_t const first = first_ + strip * width;
    return lanes(strip) == width && lines.a(first) + width <= lines.width;
  }

  /// Fetches some rows of the lines that the next panel loads and of those that this one stores.
  void prefetch(DensePass<Real> const& pass, std::int64_t strip, int first_row) const {
    int const end = std::min(first_row + Tile::rows, tables_.count);
    std::int64_t const line = first_ + strip * width;
    Real const* const next = pass.from.first_of(std::min(line + lines_, pass.lines - 1));
    Real const* const result = pass.to.first_of(line);
    for (int p = first_row; p < end; ++p) {
      __builtin_prefetch(next + p * pass.from.step, 0, 2);
      __builtin_prefetch(result + p * pass.to.step, 1, 2);
    }
  }
  /// Copies the rows of a full strip.
  void copy_rows(Real const* from, std::int64_t from_step, Real* to, std::int64_t to_step) const {
    using Values = Vector<Real>;
    for (int p = 0; p < tables_.count; ++p) {
      for (int v = 0; v < width; v += Values::width) Values::load(from + v).store(to + v);
      from += from_step;
      to += to_step;
    }
  }
  void load_strip(LineSet<Real const> const& from, std::int64_t s) {
    Real* const to = row(values_, s, 0);
    std::int64_t const first = first_ + s * width;
    if (is_contiguous(from, s)) {
      copy_rows(from.first_of(first), from.step, to, width);
      return;
    }
    for (int lane = 0; lane < width; ++lane) {
      // Lanes without a line compute zeros.
      Real const* const line = lane < lanes(s) ? from.first_of(first + lane) : nullptr;
      for (int p = 0; p < tables_.count; ++p) {
        to[p * width + lane] = line == nullptr ? Real{0} : line[p * from.step];
      }
    }
  }
  void store_strip(LineSet<Real> const& to, std::int64_t s) const {
    Real const* const from = row(values_, s, 0);
    std::int64_t const first = first_ + s * width;
    if (is_contiguous(to, s)) {
      copy_rows(from, width, to.first_of(first), to.step);
      return;
    }
    for (int lane = 0; lane < lanes(s); ++lane) {
      Real* const line = to.first_of(first + lane);
      for (int p = 0; p < tables_.count; ++p) line[p * to.step] = from[p * width + lane];
    }
  }
  void scale_strip(LineSet<Real const> const& from, LineSpectrum<Real> const& by, std::int64_t s) {
    // Lanes without a line repeat the last one.
    Real a[width];  // NOLINT(modernize-avoid-c-arrays): a vector in registers
    Real b[width];  // NOLINT(modernize-avoid-c-arrays): a vector in registers
    for (int lane = 0; lane < width; ++lane) {
      std::int64_t const line = first_ + s * width + std::min(lane, lanes(s) - 1);
      a[lane] = by.a[from.a(line)];
      b[lane] = by.b[from.b(line)];
    }
    for (int m = 0; m < tables_.count; ++m) {
      Real* const modes = row(values_, s, m);
      Real const own = by.own[m];
#pragma omp simd
      for (int lane = 0; lane < width; ++lane) {
        modes[lane] *= by.spectrum.inverse_of(own, a[lane], b[lane]);
      }
    }
  }

  DenseTables<Real> tables_;
  std::int64_t first_;
  std::int64_t lines_;
  std::int64_t strip_elements_;
  Real* values_;
  Real* results_;
};

}  // namespace isotherm::cpu
