#pragma once

#include <cstdint>

#include "kernels/filters/edge_mode.hpp"

namespace isotherm::test {

/// Returns the point of an axis of n points that replaces `at`, found by stepping there point by
/// point; -1 if there is none.
inline std::int64_t walked_to(std::int64_t at, std::int64_t n, EdgeMode edge_mode) {
  std::int64_t here = 0;
  std::int64_t step = at < 0 ? -1 : 1;
  bool left = false;
  for (std::int64_t gone = 0; gone != at; gone += at < 0 ? -1 : 1) {
    std::int64_t next = here + step;
    if (next < 0 || next >= n) {
      left = true;
      if (edge_mode == EdgeMode::wrap) next = next < 0 ? n - 1 : 0;
      if (edge_mode == EdgeMode::clamp || edge_mode == EdgeMode::zero) next = here;
      if (edge_mode == EdgeMode::mirror) {
        step = -step;
        next = n == 1 ? here : here + step;
      }
    }
    here = next;
  }
  return left && edge_mode == EdgeMode::zero ? -1 : here;
}

}  // namespace isotherm::test
