#pragma once

#include <cstdint>

#include "kernels/core/host_device.hpp"
#include "kernels/transforms/line_set.hpp"
#include "kernels/transforms/line_spectrum.hpp"

// What the CPU and the CUDA implementation of TridiagonalSolve have in common.

namespace isotherm {

/// Points that a thread of a device eliminates. The tables of TridiagonalTables have a multiple of
/// it: behind the last point nothing is linked, and conductances to the ground are 1.
constexpr int points_of_part = 32;

/// TridiagonalRows in the queue's memory.
template <class Real>
struct TridiagonalTables {
  int count = 0;  ///< points of a line
  Real const* conductance = nullptr;
  Real const* ground = nullptr;
  Real const* weight = nullptr;
  Real const* singular = nullptr;  ///< singular_line_factors(); null if no line is singular
  Real pin = 0;                    ///< additional conductance of the last point of a singular line
  Real const* pinned_ground = nullptr;  ///< `ground` with the pin; null if no line is singular
  Real first_factor = 1;
  Real last_factor = 1;
  /// True if all conductances are equal, and all other numbers but those of the first and the last
  /// point. There are at least four points then.
  bool is_uniform = false;

  /// Returns the part of row p that is not a flow to neighbours, c_p + μ w_p.
  [[nodiscard]] ISOTHERM_INLINE Real excess(std::int64_t p, Real mu) const {
    return ground[p] + mu * weight[p];
  }
  /// Returns the factor of the right-hand side at point p.
  [[nodiscard]] ISOTHERM_INLINE Real factor(std::int64_t p) const {
    Real const first = p == 0 ? first_factor : Real{1};
    return p == count - 1 ? first * last_factor : first;
  }
};

/// The numbers of a line.
template <class Real>
struct TridiagonalLine {
  Real mu = 0;
  bool is_singular = false;
};

/// A pass over lines.
template <class Real>
struct TridiagonalPass {
  TridiagonalTables<Real> tables{};
  LineSet<Real const> from{};
  LineSet<Real> to{};
  std::int64_t lines = 0;  ///< number of lines
  LineSpectrum<Real> spectrum{};
  bool ends_only = false;  ///< only the first and the last value of each line are needed

  [[nodiscard]] ISOTHERM_INLINE bool may_have_singular_lines() const {
    return spectrum.spectrum.drop_constant && tables.singular != nullptr;
  }
  /// Returns the numbers of a line.
  [[nodiscard]] ISOTHERM_INLINE TridiagonalLine<Real> line(std::int64_t number) const {
    Real const a = spectrum.a[from.a(number)];
    Real const b = spectrum.b[from.b(number)];
    Real const mu = a + b + spectrum.spectrum.shift;
    return {mu, may_have_singular_lines() && mu == Real{0}};
  }
};

}  // namespace isotherm
