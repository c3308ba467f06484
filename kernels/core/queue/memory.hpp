#pragma once

#include <cstddef>

#include "kernels/core/queue/queue.hpp"

namespace isotherm {

/// The memory that a Buffer is allocated in. `pinned` is page-locked host memory, which a CUDA
/// device copies from and to without staging. On a CPU queue it is ordinary host memory.
enum class Space { host, pinned, device };

/// Owns uninitialised memory, aligned to 256 bytes. Space::device means the memory of the queue's
/// backend, which is host memory on the CPU.
///
/// Movable but not copyable. A Buffer of 0 bytes, or one that was moved from, is empty.
class Buffer {
 public:
  Buffer() = default;
  /// Allocates `bytes` bytes; 0 gives an empty Buffer.
  /// @throws Error  if the allocation fails; the message names its size and the free memory
  Buffer(Queue& queue, Space space, std::size_t bytes);
  ~Buffer();
  Buffer(Buffer&& other) noexcept;
  Buffer& operator=(Buffer&& other) noexcept;

  /// Returns an upper bound on the memory of the backend's device that a Buffer of `bytes` bytes
  /// occupies.
  ///
  /// A Buffer in host memory occupies none of a CUDA device. On the CPU backend every Buffer
  /// occupies host memory. Sizes are rounded up as the system does, at most to uncountable_bytes.
  static std::size_t footprint(Backend backend, Space space, std::size_t bytes);

  /// Returns the address, null if the Buffer is empty.
  [[nodiscard]] void* data() const { return data_; }
  /// Returns the address as that of an array of T.
  template <class T>
  [[nodiscard]] T* as() const {
    return static_cast<T*>(data_);
  }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  /// Which function frees the memory.
  enum class Kind { empty, host, cuda_device, cuda_pinned };
  Kind kind_ = Kind::empty;
  int device_ = 0;  ///< number of the CUDA device; ignored for Kind::host
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

/// Enqueues a copy of `bytes` bytes. Either pointer may be host memory or (on CUDA) device memory.
/// The call may block if host memory is pageable.
/// @pre The two ranges do not overlap.
void copy_bytes(Queue& queue, void* to, void const* from, std::size_t bytes);

/// Enqueues setting each of `bytes` bytes to `value`. Only the low byte of `value` is used.
void fill_bytes(Queue& queue, void* to, int value, std::size_t bytes);

}  // namespace isotherm
