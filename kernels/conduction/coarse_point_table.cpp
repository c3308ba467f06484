#include "kernels/conduction/coarse_point_table.hpp"

#include <limits>

#include "kernels/core/error.hpp"

namespace isotherm {

namespace {

/// Copies numbers to memory of the queue's backend.
Buffer on_backend(Queue& queue, std::vector<std::int32_t> const& numbers) {
  std::size_t const bytes = numbers.size() * sizeof(std::int32_t);
  Buffer buffer(queue, Space::device, bytes);
  copy_bytes(queue, buffer.data(), numbers.data(), bytes);
  queue.wait();  // the caller may free the numbers now
  return buffer;
}

}  // namespace

CoarsePointTableMemory::CoarsePointTableMemory(Queue& queue, std::int64_t points,
                                               std::vector<std::int64_t> const& coarse_points) {
  require(points <= std::numeric_limits<std::int32_t>::max(),
          "a graded axis has more than 2^31 - 1 points");
  // `coarse` has an entry for each fine point, `fine` one for each C point.
  std::vector<std::int32_t> coarse;
  std::vector<std::int32_t> fine;
  for (std::int64_t const point : coarse_points) {
    auto const next = static_cast<std::int64_t>(coarse.size());
    bool const follows = point == next || (point == next + 1 && next > 0);
    require(follows, "the first point of an axis, or two neighbours, are F points");
    auto const number = static_cast<std::int32_t>(fine.size());
    // A gap in the list is an F point. It refers to the C point before it.
    if (point != next) coarse.push_back(~(number - 1));
    coarse.push_back(number);
    fine.push_back(static_cast<std::int32_t>(point));
  }
  // The second of only two points is an F point.
  if (points == 2 && coarse.size() == 1) coarse.push_back(~0);
  require(static_cast<std::int64_t>(coarse.size()) == points,
          "the last point of an axis is an F point or outside the axis");
  coarse_ = on_backend(queue, coarse);
  fine_ = on_backend(queue, fine);
}

std::size_t CoarsePointTableMemory::footprint(Backend backend, std::int64_t points,
                                              std::int64_t coarse_points) {
  auto const bytes = [&](std::int64_t numbers) {
    return Buffer::footprint(backend, Space::device,
                             static_cast<std::size_t>(numbers) * sizeof(std::int32_t));
  };
  return bytes(points) + bytes(coarse_points);
}

}  // namespace isotherm
