#pragma once

#include <array>
#include <cstddef>

#include "kernels/core/memory.hpp"

namespace isotherm {

/// Copies a device's bytes to ordinary host memory, which the device cannot reach by itself,
/// through two pinned buffers in turn: one is filled while the other is emptied.
class Drain {
 public:
  /// @param piece_bytes  at most that push() is given at once
  Drain(Queue& queue, std::size_t piece_bytes);

  /// Bytes that it takes at most, see Buffer::footprint.
  static std::size_t footprint(Backend backend, std::size_t piece_bytes);

  /// Enqueues copying `bytes` from the device; they are at `to` after flush().
  void push(Queue& queue, void const* from, std::size_t bytes, void* to);
  /// Returns when all that was pushed is where it should be.
  void flush();

 private:
  struct Stage {
    Stage(Queue& queue, std::size_t bytes) : pinned(queue, Space::pinned, bytes), filled(queue) {}
    Buffer pinned;
    Event filled;
    std::size_t used = 0;  ///< bytes; 0: empty
    void* to = nullptr;
  };
  static void empty(Stage& stage);

  std::array<Stage, 2> stages_;
  std::size_t next_ = 0;
};

}  // namespace isotherm
