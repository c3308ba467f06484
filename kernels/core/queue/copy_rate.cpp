#include "kernels/core/queue/copy_rate.hpp"

#include <algorithm>
#include <vector>

#include "kernels/core/error.hpp"
#include "kernels/core/queue/memory.hpp"

namespace isotherm {

namespace {

/// The source and the destination of the measured copies.
struct Pair {
  Buffer from, to;
};

/// Allocates two buffers of `bytes` bytes, or of the largest half, quarter … of that size that
/// fits.
/// @throws Error  if not even 1 MiB fits
Pair allocate_pair(Queue& queue, std::size_t bytes) {
  constexpr std::size_t min_bytes = std::size_t{1} << 20;
  for (;; bytes /= 2) {
    try {
      return {Buffer(queue, Space::device, bytes), Buffer(queue, Space::device, bytes)};
    } catch (Error const&) {
      // Not even small buffers fit.
      if (bytes <= min_bytes) throw;
    }
  }
}

/// Times one copy by events on the queue.
double seconds_of_one_copy(Queue& queue, Pair const& pair) {
  Event before(queue);
  Event after(queue);
  before.record(queue);
  copy_bytes(queue, pair.to.data(), pair.from.data(), pair.to.bytes());
  after.record(queue);
  after.wait();
  return after.seconds_since(before);
}

}  // namespace

double measure_copy_rate(Queue& queue, std::size_t bytes) {
  Pair const pair = allocate_pair(queue, std::max<std::size_t>(bytes, 1));
  fill_bytes(queue, pair.from.data(), 0x3b, pair.from.bytes());
  seconds_of_one_copy(queue, pair);  // touches every page once, so page faults are not measured
  std::vector<double> seconds(7);
  for (double& s : seconds) s = seconds_of_one_copy(queue, pair);
  // The median of the seven times.
  std::nth_element(seconds.begin(), seconds.begin() + 3, seconds.end());
  return 2.0 * static_cast<double>(pair.to.bytes()) / seconds[3];
}

}  // namespace isotherm
