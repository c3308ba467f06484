#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace isotherm::cpu {

/// Memory that the threads of a sweep work in, some for each. It stays from one pass to the next,
/// since fresh pages cost more than a small pass, and belongs to the queue that the passes are
/// enqueued on.
class Scratch {
 public:
  /// What a thread needs at a time has a place each.
  enum class Place { rings, row };
  static constexpr std::size_t alignment = 64;

  /// Before threads ask for memory.
  void make_room_for(int threads) {
    if (parts_.size() < static_cast<std::size_t>(threads)) {
      parts_.resize(static_cast<std::size_t>(threads));
    }
  }

  /// `count` or more elements for one thread, which calls this itself: then the pages lie near it.
  /// What was there before is lost if it was less.
  template <class Real>
  [[nodiscard]] Real* of_thread(int thread, Place place, std::int64_t count) {
    auto& bytes = parts_[static_cast<std::size_t>(thread)].bytes[static_cast<std::size_t>(place)];
    std::size_t const needed = static_cast<std::size_t>(count) * sizeof(Real) + alignment;
    if (bytes.size() < needed) bytes.resize(needed);
    auto const address = reinterpret_cast<std::uintptr_t>(bytes.data());
    return reinterpret_cast<Real*>(bytes.data() + (-address % alignment));
  }

 private:
  /// Apart from each other, so that threads do not take turns at a cache line.
  struct alignas(alignment) Part {
    std::array<std::vector<std::byte>, 2> bytes;
  };
  std::vector<Part> parts_;
};

}  // namespace isotherm::cpu
