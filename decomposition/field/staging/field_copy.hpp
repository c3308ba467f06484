#pragma once

#include <optional>
#include <span>

#include "decomposition/field/staging/pinned_copy.hpp"
#include "kernels/core/field.hpp"

namespace isotherm {

/// An asynchronous copy of a rank's owned values, as they are at one moment, to host memory. The
/// field may change while the copy is on its way.
///
/// On a CUDA device take() copies the values within device memory, which occupies the device for a
/// few milliseconds. move_to_host() then moves them to the host on another thread and on a queue of
/// its own, while sweeps continue. On the CPU take() copies directly to the destination.
///
///     copy.take(queue, field.view(), field.owned(), std::span(values));   // main thread, enqueued
///     std::thread writer([&] { copy.move_to_host(); write_snapshot(values); });
///     solver.advance(100);                                                // changes the field
class FieldCopy {
 public:
  /// @param bytes  maximum size of the values
  FieldCopy(Queue& queue, std::size_t bytes);

  /// Returns an upper bound on its memory in bytes; see Buffer::footprint.
  static std::size_t footprint(Backend backend, std::size_t bytes);

  /// Enqueues copying the points of `box`, x fastest. Work that is enqueued later may change the
  /// field.
  /// @param dense  the destination in host memory; complete after move_to_host()
  /// @throws Error  if the values exceed the size given to the constructor
  /// @pre  move_to_host() has returned for the copy before
  template <class Real>
  void take(Queue& queue, FieldView<Real const> field, LocalBox box, std::span<Real> dense);

  /// Returns when the copied values have arrived in host memory. May be called on any thread.
  void move_to_host();

 private:
  /// The intermediate storage on a CUDA device.
  struct Device {
    Device(Queue& queue, std::size_t bytes);
    Buffer values;  ///< device memory for all values
    Event taken;    ///< recorded behind the copy into `values`
    Queue queue;    ///< separate, so sweeps and transfers overlap
    PinnedCopy pinned_copy;
  };
  std::optional<Device> device_{};  // none on the CPU
  void* to_ = nullptr;              ///< destination on the host
  std::size_t bytes_ = 0;
};

}  // namespace isotherm
