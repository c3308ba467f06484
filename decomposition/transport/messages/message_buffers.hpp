#pragma once

#include <cstddef>
#include <vector>

#include "decomposition/transport/transport.hpp"
#include "kernels/core/queue/memory.hpp"

namespace isotherm {

/// Assigns offsets to ranges in one block of memory. Each range starts at a multiple of 256 bytes,
/// so it never shares a cache line with another, and vector loads are aligned.
class RangeLayout {
 public:
  static constexpr std::size_t alignment = 256;

  explicit RangeLayout(std::vector<std::size_t> const& sizes);
  /// Offset of range i in bytes.
  [[nodiscard]] std::size_t offset(std::size_t i) const { return offsets_[i]; }
  /// Size of the block.
  [[nodiscard]] std::size_t bytes() const { return offsets_.back(); }

 private:
  std::vector<std::size_t> offsets_;  ///< one per range, then the end
};

/// Returns the number of bytes that each message sends.
std::vector<std::size_t> send_sizes(std::vector<Message> const& messages);
/// Returns the number of bytes that each message receives.
std::vector<std::size_t> receive_sizes(std::vector<Message> const& messages);

/// Owns memory for one range of each size, in a single allocation.
class MessageBuffer {
 public:
  MessageBuffer(Queue& queue, Space space, std::vector<std::size_t> const& sizes)
      : ranges_in_block_(sizes), memory_(queue, space, ranges_in_block_.bytes()) {}

  /// Returns an upper bound on its memory in bytes; see Buffer::footprint.
  static std::size_t footprint(Backend backend, Space space,
                               std::vector<std::size_t> const& sizes) {
    return Buffer::footprint(backend, space, RangeLayout(sizes).bytes());
  }

  /// The start of range i, aligned to 256 bytes.
  [[nodiscard]] std::byte* at(std::size_t i) const {
    return memory_.as<std::byte>() + ranges_in_block_.offset(i);
  }

 private:
  RangeLayout ranges_in_block_;
  Buffer memory_;
};

}  // namespace isotherm
