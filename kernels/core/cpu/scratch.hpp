#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace isotherm::cpu {

/// Working memory of the threads of a CPU operation. It belongs to the queue of the passes and
/// persists between them, because page faults in fresh memory cost more than a small pass.
class Scratch {
 public:
  /// The purposes that a thread needs separate memory for at the same time: `rings` for the
  /// intermediate levels of a Wavefront, `row` for the row that OutputRow streams to the field,
  /// `lines` for the lines that a transform has in the caches.
  enum class Place { rings, row, lines };
  /// Alignment of the memory in bytes, a cache line.
  static constexpr std::size_t alignment = 64;

  /// Prepares for `threads` threads. Call it before a parallel region: of_thread() runs
  /// concurrently and therefore must not extend the list of threads.
  void make_room_for(int threads) {
    if (parts_.size() < static_cast<std::size_t>(threads)) {
      parts_.resize(static_cast<std::size_t>(threads));
    }
  }

  /// Returns memory for at least `count` elements, aligned to 64 bytes. The thread calls this
  /// itself, so first touch places the pages near it. Growing the memory loses its content.
  /// @pre make_room_for() was called for more than `thread` threads.
  template <class Real>
  [[nodiscard]] Real* of_thread(int thread, Place place, std::int64_t count) {
    auto& bytes = parts_[static_cast<std::size_t>(thread)].bytes[static_cast<std::size_t>(place)];
    // The vector's memory may be unaligned, so reserve room for aligning it.
    std::size_t const needed = static_cast<std::size_t>(count) * sizeof(Real) + alignment;
    if (bytes.size() < needed) bytes.resize(needed);
    auto const address = reinterpret_cast<std::uintptr_t>(bytes.data());
    return reinterpret_cast<Real*>(bytes.data() + (-address % alignment));
  }

 private:
  /// A thread's memory. The alignment keeps the parts of different threads in different cache lines
  /// (no false sharing).
  struct alignas(alignment) Part {
    std::array<std::vector<std::byte>, 3> bytes;
  };
  /// One part for each thread. Only make_room_for() extends the list.
  std::vector<Part> parts_;
};

}  // namespace isotherm::cpu
