#pragma once

#include <array>
#include <cstddef>

#include "kernels/core/queue/memory.hpp"

namespace isotherm {

/// Copies bytes from a device to pageable host memory, at the full speed of the link. The device
/// cannot write to pageable memory directly, so the bytes pass through two pinned buffers. While
/// the device fills one buffer, host threads empty the other (double buffering).
///
///     PinnedCopy copy(queue, piece_bytes);
///     for (Piece const& piece : pieces) copy.push(queue, piece.device, piece.bytes, piece.host);
///     copy.flush();                            // all bytes have arrived
///
/// All calls must come from one thread at a time.
class PinnedCopy {
 public:
  /// @param piece_bytes  maximum number of bytes per push()
  PinnedCopy(Queue& queue, std::size_t piece_bytes);

  /// Returns an upper bound on its memory in bytes; see Buffer::footprint.
  static std::size_t footprint(Backend backend, std::size_t piece_bytes);

  /// Enqueues copying `bytes` bytes from the device. They are complete at `to` after flush(). Waits
  /// for the piece before the last one, whose buffer it reuses.
  /// @throws Error  if the piece exceeds piece_bytes
  void push(Queue& queue, void const* from, std::size_t bytes, void* to);
  /// Waits until all pushed bytes have arrived at their destinations.
  void flush();

 private:
  /// One of the two pinned buffers, with the piece that it carries.
  struct PinnedBuffer {
    PinnedBuffer(Queue& queue, std::size_t bytes)
        : pinned(queue, Space::pinned, bytes), filled(queue) {}
    Buffer pinned;         ///< page-locked host memory
    Event filled;          ///< recorded behind the device's copy into `pinned`
    std::size_t used = 0;  ///< bytes of the piece; 0 if the buffer is empty
    void* to = nullptr;    ///< destination of the piece
  };
  /// Waits for the device's copy and moves the piece to its destination.
  static void empty(PinnedBuffer& stage);

  std::array<PinnedBuffer, 2> pinned_buffers_;
  std::size_t next_ = 0;  ///< index of the buffer that the next push() uses
};

}  // namespace isotherm
