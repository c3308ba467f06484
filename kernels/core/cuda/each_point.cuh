#pragma once

#include <span>

#include "kernels/core/box.hpp"
#include "kernels/core/cuda/check.hpp"
#include "kernels/core/cuda/launch.hpp"

namespace isotherm::cuda {

/// A list of at most `maximum` boxes, which is passed to kernels by value. One launch visits all
/// their points, box after box.
template <int maximum>
struct BoxList {
  int count = 0;
  LocalBox boxes[maximum]{};
  std::int64_t ends[maximum]{};  ///< number of points of all boxes up to this one

  /// @pre There are at most `maximum` boxes.
  explicit BoxList(std::span<LocalBox const> all) {
    for (LocalBox const& box : all) {
      boxes[count] = box;
      ends[count] = point_count() + box.point_count();
      ++count;
    }
  }
  /// Returns the number of points of all boxes.
  [[nodiscard]] std::int64_t point_count() const { return count == 0 ? 0 : ends[count - 1]; }
};

/// Calls work(i, j, k, item) for every point of all boxes. `item` numbers the points from 0, x
/// fastest, which is also their order in a packed message.
///
/// Each thread visits points in a grid-stride loop. It finds the box of a point by a linear search
/// and the indices by two divisions.
template <int maximum, class Work>
__global__ void visit_points(BoxList<maximum> list, Work work) {
  std::int64_t const stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  std::int64_t const count = list.ends[list.count - 1];
  for (std::int64_t item = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
       item < count; item += stride) {
    int n = 0;
    while (item >= list.ends[n]) ++n;
    LocalBox const& box = list.boxes[n];
    Extent3 const size = box.extent();
    std::int64_t const here = n == 0 ? item : item - list.ends[n - 1];
    std::int64_t const row = here / size.x;
    std::int64_t const plane = row / size.y;
    work(box.lower.x + (here - row * size.x), box.lower.y + (row - plane * size.y),
         box.lower.z + plane, item);
  }
}

/// Enqueues visit_points() over all boxes.
/// @param work  a device lambda or functor
/// @pre The list contains at least one point.
template <int maximum, class Work>
void for_each_point(Queue& queue, BoxList<maximum> const& list, Work const& work) {
  visit_points<<<blocks_for(list.point_count()), threads_per_block, 0, make_current(queue)>>>(list,
                                                                                              work);
  check_launch();
}

/// Enqueues work(i, j, k, item) for every point of one box.
template <class Work>
void for_each_point(Queue& queue, LocalBox const& box, Work const& work) {
  for_each_point(queue, BoxList<1>({&box, 1}), work);
}

}  // namespace isotherm::cuda
