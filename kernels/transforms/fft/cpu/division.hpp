#pragma once

#include <algorithm>

#include "kernels/transforms/fft/cpu/lines.hpp"
#include "kernels/transforms/spectrum.hpp"

namespace isotherm::cpu {

/// The division of a group of lines by eigenvalues, with the arithmetic of Spectrum::inverse.
template <class Real>
class Division {
 public:
  /// @param corner  the first point of the box, which has mode (0, 0, 0)
  Division(Spectrum<Real> const& spectrum, LineGroup const& group, Index3 corner)
      : spectrum_(spectrum), axis_(group.axis) {
    mode_ = group.first - corner;
    std::int64_t const first = mode_[group.across()];
    for (int line = 0; line < lines_at_once<Real>; ++line) {
      // Missing lines repeat the last one, so their zeros remain zeros.
      lines_[line] = static_cast<int>(first) + std::min(line, group.lines - 1);
    }
    Real const* const across = axis_ == 0 ? spectrum.y : spectrum.x;
    Real values[lines_at_once<Real>];  // NOLINT(modernize-avoid-c-arrays): two registers
    for (int line = 0; line < lines_at_once<Real>; ++line) values[line] = across[lines_[line]];
    across_ = paired(Lanes<Real>::load(values), Lanes<Real>::load(values + Lanes<Real>::width));
  }

  /// Divides the values of mode `mode` along the lines.
  void operator()(int mode, LineValues<Real>& values) const {
    if (spectrum_.drop_constant && along(mode) == Real{0}) return divide_each(mode, values);
    Lanes<Real> const one = Lanes<Real>::all(Real{1});
    values.re = values.re * (one / eigenvalues(mode, across_.re));
    values.im = values.im * (one / eigenvalues(mode, across_.im));
  }

 private:
  [[nodiscard]] Real along(int mode) const {
    return axis_ == 0 ? spectrum_.x[mode] : axis_ == 1 ? spectrum_.y[mode] : spectrum_.z[mode];
  }

  /// Returns the sums of eigenvalues in the order of Spectrum::inverse.
  [[nodiscard]] Lanes<Real> eigenvalues(int mode, Lanes<Real> across) const {
    using Values = Lanes<Real>;
    Real const* const y = spectrum_.y;
    Real const* const z = spectrum_.z;
    Values const shift = Values::all(spectrum_.shift);
    if (axis_ == 0)
      return Values::all(spectrum_.x[mode]) + (across + Values::all(z[mode_.z])) + shift;
    Real const rest = axis_ == 1 ? y[mode] + z[mode_.z] : y[mode_.y] + z[mode];
    return across + Values::all(rest) + shift;
  }

  /// Divides line by line, with the rule for the constant mode.
  void divide_each(int mode, LineValues<Real>& values) const {
    for (int lane = 0; lane < Lanes<Real>::width; ++lane) {
      values.re.v[lane] *= inverse(mode, lines_[2 * lane]);
      values.im.v[lane] *= inverse(mode, lines_[2 * lane + 1]);
    }
  }

  [[nodiscard]] Real inverse(int mode, int line) const {
    int const j = static_cast<int>(mode_.y);
    if (axis_ == 0) return spectrum_.inverse(mode, line, static_cast<int>(mode_.z));
    if (axis_ == 1) return spectrum_.inverse(line, mode, static_cast<int>(mode_.z));
    return spectrum_.inverse(line, j, mode);
  }

  Spectrum<Real> spectrum_;
  int axis_;
  Index3 mode_;                     ///< of the group's first line
  int lines_[lines_at_once<Real>];  // NOLINT(modernize-avoid-c-arrays): modes across the axis
  Complex<Lanes<Real>> across_;     ///< their eigenvalues
};

}  // namespace isotherm::cpu
