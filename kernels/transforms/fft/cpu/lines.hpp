#pragma once

#include <algorithm>

#include "kernels/core/field.hpp"
#include "kernels/transforms/fft/cpu/stages.hpp"
#include "kernels/transforms/fft/line_steps.hpp"

namespace isotherm::cpu {

/// Number of adjacent lines that a thread transforms at a time.
template <class Real>
constexpr int lines_at_once = 2 * Lanes<Real>::width;

/// A group of adjacent lines of a box along `axis`, at most lines_at_once. Its first points are
/// adjacent along y if `axis` is x, else along x.
struct LineGroup {
  int axis;
  Index3 first;  ///< first point of the first line
  int lines;

  /// Returns the axis along which the first points are adjacent.
  [[nodiscard]] int across() const { return axis == 0 ? 1 : 0; }
};

/// Division of a box into groups of lines. Groups do not extend from one plane to the next, so the
/// lines of a pair do not depend on where the planes of a box begin and end.
template <class Real>
class LineGroups {
 public:
  LineGroups(LocalBox const& box, int axis)
      : box_(box),
        axis_(axis),
        in_plane_((box.extent()[axis == 0 ? 1 : 0] + lines_at_once<Real> - 1) /
                  lines_at_once<Real>) {}

  [[nodiscard]] std::int64_t count() const { return in_plane_ * box_.extent()[third_axis()]; }

  [[nodiscard]] LineGroup operator[](std::int64_t number) const {
    LineGroup group{axis_, box_.lower, 0};
    int const across = group.across();
    group.first[across] += number % in_plane_ * lines_at_once<Real>;
    group.first[third_axis()] += number / in_plane_;
    group.lines = static_cast<int>(
        std::min<std::int64_t>(lines_at_once<Real>, box_.upper[across] - group.first[across]));
    return group;
  }

 private:
  [[nodiscard]] int third_axis() const { return axis_ == 2 ? 1 : 2; }

  LocalBox box_;
  int axis_;
  std::int64_t in_plane_;
};

/// Copies columns, which lie along y or z: `lines` values of adjacent lines are contiguous.
template <class Real>
struct ColumnCopy {
  static constexpr int width = Lanes<Real>::width;

  static void gather(Real const* from, std::int64_t stride, int lines, int count,
                     LineValues<Real>* to, std::int64_t step) {
    for (int n = 0; n < count; ++n, from += stride, to += step) {
      if (lines == 2 * width) {
        *to = paired(Lanes<Real>::load(from), Lanes<Real>::load(from + width));
      } else {
        Real row[2 * width] = {};  // NOLINT(modernize-avoid-c-arrays): two registers
        std::copy_n(from, lines, row);
        *to = paired(Lanes<Real>::load(row), Lanes<Real>::load(row + width));
      }
    }
  }

  static void scatter(LineValues<Real> const* from, std::int64_t step, Real* to,
                      std::int64_t stride, int lines, int count) {
    for (int n = 0; n < count; ++n, to += stride, from += step) {
      Lanes<Real> const lower = alternated<false>(from->re, from->im);
      Lanes<Real> const upper = alternated<true>(from->re, from->im);
      if (lines == 2 * width) {
        lower.store(to);
        upper.store(to + width);
      } else {
        Real row[2 * width];  // NOLINT(modernize-avoid-c-arrays): two registers
        lower.store(row);
        upper.store(row + width);
        std::copy_n(row, lines, to);
      }
    }
  }
};

/// Copies rows, which lie along x and are transposed on the way.
template <class Real>
struct RowCopy {
  static constexpr int width = Lanes<Real>::width;

  /// Transposes `width` points of every second line, from line `parity` on. Missing lines are 0.
  static void load_square(Real const* from, std::int64_t row_stride, int lines, int points,
                          int parity, Lanes<Real>* square) {
    for (int n = 0; n < width; ++n) {
      int const line = 2 * n + parity;
      Real const* const row = from + line * row_stride;
      square[n] = line >= lines     ? Lanes<Real>::all(Real{0})
                  : points == width ? Lanes<Real>::load(row)
                                    : Lanes<Real>::load_some(row, points);
    }
    transpose(square);
  }

  static void store_square(Lanes<Real>* square, Real* to, std::int64_t row_stride, int lines,
                           int points, int parity) {
    transpose(square);
    for (int n = 0; n < width; ++n) {
      int const line = 2 * n + parity;
      if (line >= lines) return;
      Real* const row = to + line * row_stride;
      if (points == width) {
        square[n].store(row);
      } else {
        square[n].store_some(row, points);
      }
    }
  }

  static void gather(Real const* from, std::int64_t row_stride, int lines, int count,
                     LineValues<Real>* to, std::int64_t step) {
    Lanes<Real> re[width];  // NOLINT(modernize-avoid-c-arrays): registers
    Lanes<Real> im[width];  // NOLINT(modernize-avoid-c-arrays): registers
    for (int first = 0; first < count; first += width) {
      int const points = std::min(width, count - first);
      load_square(from + first, row_stride, lines, points, 0, re);
      load_square(from + first, row_stride, lines, points, 1, im);
      for (int n = 0; n < points; ++n) to[(first + n) * step] = {re[n], im[n]};
    }
  }

  static void scatter(LineValues<Real> const* from, std::int64_t step, Real* to,
                      std::int64_t row_stride, int lines, int count) {
    Lanes<Real> re[width];  // NOLINT(modernize-avoid-c-arrays): registers
    Lanes<Real> im[width];  // NOLINT(modernize-avoid-c-arrays): registers
    for (int first = 0; first < count; first += width) {
      int const points = std::min(width, count - first);
      for (int n = 0; n < width; ++n) {
        LineValues<Real> const& value = from[(first + std::min(n, points - 1)) * step];
        re[n] = value.re;
        im[n] = value.im;
      }
      store_square(re, to + first, row_stride, lines, points, 0);
      store_square(im, to + first, row_stride, lines, points, 1);
    }
  }
};

template <class T>
std::int64_t stride_along(FieldView<T> const& field, int axis) {
  return axis == 0 ? 1 : axis == 1 ? field.stride_y : field.stride_z;
}

/// Copies the values of a group of lines to their nodes. Nodes 0 and N that have no value get 0.
template <class Real>
void gather(FieldView<Real const> from, LineGroup const& group, LineSteps<Real> const& steps,
            LineValues<Real>* nodes) {
  LineValues<Real> const zero{Lanes<Real>::all(Real{0}), Lanes<Real>::all(Real{0})};
  nodes[0] = zero;
  nodes[steps.length] = zero;
  Real const* const first = &from(group.first.x, group.first.y, group.first.z);
  LineValues<Real>* const to = nodes + steps.from.first;
  if (group.axis == 0) {
    RowCopy<Real>::gather(first, from.stride_y, group.lines, steps.count, to, steps.from.step);
  } else {
    ColumnCopy<Real>::gather(first, stride_along(from, group.axis), group.lines, steps.count, to,
                             steps.from.step);
  }
  nodes[0] = scaled(nodes[0], steps.end_scale);
  nodes[steps.length] = scaled(nodes[steps.length], steps.end_scale);
}

/// Copies the values at the nodes of a group of lines to the field.
template <class Real>
void scatter(LineValues<Real> const* nodes, LineGroup const& group, LineSteps<Real> const& steps,
             FieldView<Real> to) {
  Real* const first = &to(group.first.x, group.first.y, group.first.z);
  LineValues<Real> const* const from = nodes + steps.to.first;
  if (group.axis == 0) {
    RowCopy<Real>::scatter(from, steps.to.step, first, to.stride_y, group.lines, steps.count);
  } else {
    ColumnCopy<Real>::scatter(from, steps.to.step, first, stride_along(to, group.axis), group.lines,
                              steps.count);
  }
}

}  // namespace isotherm::cpu
