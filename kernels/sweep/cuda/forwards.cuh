#pragma once

#include <climits>
#include <cstdint>

#include "kernels/sweep/sweep.hpp"

namespace isotherm::cuda {

/// Pass::forwards as kernels need them: the two ends, along the rule's last axis, that are written
/// twice.
struct Forwards {
  int lower_end = INT_MIN;    ///< points with smaller coordinates belong to the lower end
  int upper_begin = INT_MAX;  ///< points from this coordinate on belong to the upper end
  /// Elements from a point of `out` to its second destination, for each end.
  std::int64_t to_lower = 0;
  std::int64_t to_upper = 0;

  /// Returns the distance to the second destination of points at coordinate c; 0 if there is none.
  __device__ std::int64_t offset(int c) const {
    return c < lower_end ? to_lower : c >= upper_begin ? to_upper : 0;
  }
  /// Returns true if points in [lower, upper) are written twice.
  __device__ bool touches(int lower, int upper) const {
    return lower < lower_end || upper > upper_begin;
  }
};

/// Returns the distance between two points in elements, in any two fields. Both belong to this
/// process's (unified) address space, so the difference fits.
/// @pre The two addresses differ by a multiple of sizeof(Real).
template <class Real>
std::int64_t distance(Real const* from, Real const* to) {
  return static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(to) -
                                   reinterpret_cast<std::uintptr_t>(from)) /
         static_cast<std::int64_t>(sizeof(Real));
}

/// Returns the forwards of a pass.
/// @param axis  the rule's last axis
template <class Real>
Forwards forwards_of(Pass<Real> const& pass, int axis) {
  Forwards forwards;
  auto const& [lower, upper] = pass.forwards;
  if (!lower.box.empty()) {
    forwards.lower_end = static_cast<int>(lower.box.upper[axis]);
    forwards.to_lower = distance(pass.out.origin, lower.out.origin);
  }
  if (!upper.box.empty()) {
    forwards.upper_begin = static_cast<int>(upper.box.lower[axis]);
    forwards.to_upper = distance(pass.out.origin, upper.out.origin);
  }
  return forwards;
}

}  // namespace isotherm::cuda
