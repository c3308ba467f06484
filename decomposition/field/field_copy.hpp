#pragma once

#include <optional>
#include <span>

#include "decomposition/field/drain.hpp"
#include "kernels/core/field.hpp"

namespace isotherm {

/// A rank's owned values as they were at one moment, on their way to host memory while the field
/// goes on to change. On a CUDA device they are copied within its memory, which takes the device a
/// few milliseconds; the way to the host is another thread's, beside the sweeps. On the CPU they
/// are at once where they should be.
class FieldCopy {
 public:
  /// @param bytes  of the values
  FieldCopy(Queue& queue, std::size_t bytes);

  /// Bytes that it takes at most, see Buffer::footprint.
  static std::size_t footprint(Backend backend, std::size_t bytes);

  /// Enqueues copying the points of `box`, x fastest; what is enqueued later may change them.
  /// @param dense  host memory, to which drain() takes them
  template <class Real>
  void take(Queue& queue, FieldView<Real const> field, LocalBox box, std::span<Real> dense);

  /// Returns when the values taken are in host memory. On any thread.
  void drain();

 private:
  struct Device {
    Device(Queue& queue, std::size_t bytes);
    Buffer values;
    Event taken;
    Queue queue;  ///< of its own, so that sweeps and copies pass each other
    Drain drain;
  };
  std::optional<Device> device_{};  // none on the CPU
  void* to_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace isotherm
