#pragma once

#include <climits>
#include <cstdint>

#include "kernels/sweep/sweep.hpp"

namespace isotherm::cuda {

/// Pass::forwards as a kernel wants them: the ends, along its last axis, of what is written twice.
struct Forwards {
  int lower_end = INT_MIN;
  int upper_begin = INT_MAX;
  std::int64_t to_lower = 0;  ///< elements from a point of `out` to its second place
  std::int64_t to_upper = 0;

  /// For what is written at coordinate c; 0 where it is written once.
  __device__ std::int64_t offset(int c) const {
    return c < lower_end ? to_lower : c >= upper_begin ? to_upper : 0;
  }
  /// Whether some of [lower, upper) is written twice.
  __device__ bool touches(int lower, int upper) const {
    return lower < lower_end || upper > upper_begin;
  }
};

/// Elements from one point to another, whoever owns them: both are memory of this process's address
/// space, so it fits.
template <class Real>
std::int64_t distance(Real const* from, Real const* to) {
  return static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(to) -
                                   reinterpret_cast<std::uintptr_t>(from)) /
         static_cast<std::int64_t>(sizeof(Real));
}

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
