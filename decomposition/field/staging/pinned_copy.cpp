#include "decomposition/field/staging/pinned_copy.hpp"

#include <algorithm>
#include <cstring>
#include <omp.h>

#include "kernels/core/error.hpp"

namespace isotherm {

namespace {

/// Copies within host memory on up to four threads, which is as fast as a device delivers.
void copy_on_threads(char* to, char const* from, std::size_t bytes) {
  // Threads copy parts of 1 MiB.
  constexpr std::size_t part = std::size_t{1} << 20;
  // NOLINTNEXTLINE(clang-analyzer-deadcode.DeadStores): OpenMP reads it
  int const threads = std::min(4, omp_get_max_threads());
  auto const parts = static_cast<std::int64_t>((bytes + part - 1) / part);
#pragma omp parallel for schedule(static) num_threads(threads) if (parts > 1)
  for (std::int64_t i = 0; i < parts; ++i) {
    std::size_t const begin = static_cast<std::size_t>(i) * part;
    std::memcpy(to + begin, from + begin, std::min(part, bytes - begin));
  }
}

}  // namespace

PinnedCopy::PinnedCopy(Queue& queue, std::size_t piece_bytes)
    : pinned_buffers_{PinnedBuffer(queue, piece_bytes), PinnedBuffer(queue, piece_bytes)} {}

std::size_t PinnedCopy::footprint(Backend backend, std::size_t piece_bytes) {
  return 2 * Buffer::footprint(backend, Space::pinned, piece_bytes);
}

void PinnedCopy::push(Queue& queue, void const* from, std::size_t bytes, void* to) {
  PinnedBuffer& stage = pinned_buffers_[next_];
  next_ = 1 - next_;
  require(bytes <= stage.pinned.bytes(), "a piece is larger than its staging buffer");
  // Two pushes ago this buffer was filled; its piece must leave before it is reused.
  empty(stage);
  copy_bytes(queue, stage.pinned.data(), from, bytes);
  stage.filled.record(queue);
  stage.used = bytes;
  stage.to = to;
}

void PinnedCopy::flush() {
  empty(pinned_buffers_[next_]);  // the older piece
  empty(pinned_buffers_[1 - next_]);
}

void PinnedCopy::empty(PinnedBuffer& stage) {
  if (stage.used == 0) return;
  // The device's copy into the pinned buffer must be complete.
  stage.filled.wait();
  copy_on_threads(static_cast<char*>(stage.to), stage.pinned.as<char const>(), stage.used);
  stage.used = 0;
}

}  // namespace isotherm
