#pragma once

#include <cstddef>

#include "kernels/core/queue.hpp"

namespace isotherm {

/// Where a Buffer's bytes lie. `pinned` is host memory that a CUDA device copies from and to
/// without staging; on a CPU-only queue it is ordinary host memory.
enum class Space { host, pinned, device };

/// Owns bytes, aligned to 256, uninitialised. `device` means the queue's own memory: host memory
/// on the CPU backend.
class Buffer {
 public:
  Buffer() = default;
  /// @throws Error  naming the size and what is free, when the memory cannot be had
  Buffer(Queue& queue, Space space, std::size_t bytes);
  ~Buffer();
  Buffer(Buffer&& other) noexcept;
  Buffer& operator=(Buffer&& other) noexcept;

  /// Bytes that a Buffer takes at most of the memory that `device` stands for: none where it lies
  /// on the host of a device, and on the CPU always its own. Rounded up as the system does, at
  /// most to uncountable_bytes.
  static std::size_t footprint(Backend backend, Space space, std::size_t bytes);

  [[nodiscard]] void* data() const { return data_; }
  template <class T>
  [[nodiscard]] T* as() const {
    return static_cast<T*>(data_);
  }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  enum class Kind { empty, host, cuda_device, cuda_pinned };
  Kind kind_ = Kind::empty;
  int device_ = 0;
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

/// Enqueues a copy of `bytes` bytes. Either pointer may be host or (on cuda) device memory; the
/// ranges must not overlap. With pageable host memory the call may wait.
void copy_bytes(Queue& queue, void* to, void const* from, std::size_t bytes);

/// Enqueues setting `bytes` bytes to `value`.
void fill_bytes(Queue& queue, void* to, int value, std::size_t bytes);

}  // namespace isotherm
