#pragma once

#include <cstdint>

#include "kernels/filters/beyond.hpp"

namespace isotherm::test {

/// Returns the point of an axis of n points that replaces `at`, found by stepping there point by
/// point; -1 if there is none.
inline std::int64_t walked_to(std::int64_t at, std::int64_t n, Beyond beyond) {
  std::int64_t here = 0;
  std::int64_t step = at < 0 ? -1 : 1;
  bool left = false;
  for (std::int64_t gone = 0; gone != at; gone += at < 0 ? -1 : 1) {
    std::int64_t next = here + step;
    if (next < 0 || next >= n) {
      left = true;
      if (beyond == Beyond::wrap) next = next < 0 ? n - 1 : 0;
      if (beyond == Beyond::clamp || beyond == Beyond::zero) next = here;
      if (beyond == Beyond::mirror) {
        step = -step;
        next = n == 1 ? here : here + step;
      }
    }
    here = next;
  }
  return left && beyond == Beyond::zero ? -1 : here;
}

}  // namespace isotherm::test
