#pragma once

#include <cstddef>
#include <vector>

#include "decomposition/transport/transport.hpp"
#include "kernels/core/memory.hpp"

namespace isotherm {

/// Where ranges start in one block of memory, each aligned to 256 bytes.
class Packing {
 public:
  static constexpr std::size_t alignment = 256;

  explicit Packing(std::vector<std::size_t> const& sizes);
  [[nodiscard]] std::size_t offset(std::size_t i) const { return offsets_[i]; }
  [[nodiscard]] std::size_t bytes() const { return offsets_.back(); }

 private:
  std::vector<std::size_t> offsets_;  ///< and the end
};

std::vector<std::size_t> send_sizes(std::vector<Message> const& messages);
std::vector<std::size_t> receive_sizes(std::vector<Message> const& messages);

/// Memory for one range of each size.
class MessageBuffer {
 public:
  MessageBuffer(Queue& queue, Space space, std::vector<std::size_t> const& sizes)
      : packing_(sizes), memory_(queue, space, packing_.bytes()) {}

  /// See Buffer::footprint.
  static std::size_t footprint(Backend backend, Space space,
                               std::vector<std::size_t> const& sizes) {
    return Buffer::footprint(backend, space, Packing(sizes).bytes());
  }

  [[nodiscard]] std::byte* at(std::size_t i) const {
    return memory_.as<std::byte>() + packing_.offset(i);
  }

 private:
  Packing packing_;
  Buffer memory_;
};

}  // namespace isotherm
