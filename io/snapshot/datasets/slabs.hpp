#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "kernels/core/box.hpp"

/// Division of values into parts that are contiguous in memory, or in a file.

namespace isotherm {

/// Bytes of values that a thread processes at a time when it writes or reads. A slab fits into the
/// thread's cache between two steps, and is large enough for an efficient system call.
inline constexpr std::int64_t slab_bytes = std::int64_t{1} << 20;

/// Divides a rank's share into slabs, which threads can process independently. These are boxes of
/// at most `maximum` points, unless a row has more, in the order of memory. Each slab consists of
/// whole rows of the share; if it has several planes, of whole planes.
inline std::vector<GlobalBox> slabs(GlobalBox share, std::int64_t maximum) {
  std::vector<GlobalBox> all;
  if (share.empty()) {
    return all;
  }
  Extent3 const n = share.extent();
  // Several rows if they fit; several planes only if a whole plane fits.
  Extent3 step{n.x, std::clamp<std::int64_t>(maximum / n.x, 1, n.y), 1};
  if (step.y == n.y) {
    step.z = std::clamp<std::int64_t>(maximum / (n.x * n.y), 1, n.z);
  }
  for (std::int64_t k = share.lower.z; k < share.upper.z; k += step.z) {
    for (std::int64_t j = share.lower.y; j < share.upper.y; j += step.y) {
      Index3 const at{share.lower.x, j, k};
      all.push_back(intersection(share, GlobalBox{at, at + step}));
    }
  }
  return all;
}

/// Calls work(number of the first point in the file, number of points) for each contiguous part of
/// `box` in a file of `points` points. The parts follow one another in a dense array of the box.
template <class Work>
void for_each_run(GlobalBox box, Extent3 points, Work&& work) {
  constexpr std::int64_t any = std::numeric_limits<std::int64_t>::max();
  Extent3 const n = box.extent();
  // Rows that span the file's x axis are contiguous with the next row; planes likewise.
  bool const whole_rows = n.x == points.x;
  bool const whole_planes = whole_rows && n.y == points.y;
  Extent3 const step{n.x, whole_rows ? n.y : 1, whole_planes ? any : 1};
  for (std::int64_t k = box.lower.z; k < box.upper.z; k += std::min(step.z, n.z)) {
    for (std::int64_t j = box.lower.y; j < box.upper.y; j += step.y) {
      work(box.lower.x + points.x * (j + points.y * k), n.x * step.y * std::min(step.z, n.z));
    }
  }
}

}  // namespace isotherm
