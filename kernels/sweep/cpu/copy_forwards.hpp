#pragma once

#include <algorithm>

#include "kernels/core/cpu/rows.hpp"
#include "kernels/sweep/sweep.hpp"

namespace isotherm::cpu {

/// Copies the points that a pass writes to a second place (Pass::forwards), from pass.out. The pass
/// must have ended; rows of a box are distributed over the threads.
template <class Real>
void copy_forwards(Pass<Real> const& pass) {
  for (Forward<Real> const& forward : pass.forwards) {
    LocalBox const& box = forward.box;
    for_each_row(box, [&](std::int64_t j, std::int64_t k) {
      std::copy_n(&pass.out(box.lower.x, j, k), box.extent().x, &forward.out(box.lower.x, j, k));
    });
  }
}

}  // namespace isotherm::cpu
