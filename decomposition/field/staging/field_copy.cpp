#include "decomposition/field/staging/field_copy.hpp"

#include <algorithm>

#include "decomposition/field/staging/host_staging.hpp"
#include "kernels/core/error.hpp"
#include "kernels/faces/faces.hpp"

namespace isotherm {

namespace {

constexpr std::size_t piece_bytes = std::size_t{16} << 20;      // through pinned memory
constexpr std::int64_t points_at_once = std::int64_t{1} << 28;  // limit of one packing kernel

}  // namespace

FieldCopy::Device::Device(Queue& of_field, std::size_t bytes)
    : values(of_field, Space::device, bytes),
      taken(of_field),
      queue(of_field.backend(), of_field.device()),
      pinned_copy(queue, std::min(bytes, piece_bytes)) {}

FieldCopy::FieldCopy(Queue& queue, std::size_t bytes) {
  if (queue.backend() != Backend::cpu) device_.emplace(queue, bytes);
}

std::size_t FieldCopy::footprint(Backend backend, std::size_t bytes) {
  if (backend == Backend::cpu) return 0;
  return Buffer::footprint(backend, Space::device, bytes) +
         PinnedCopy::footprint(backend, std::min(bytes, piece_bytes));
}

template <class Real>
void FieldCopy::take(Queue& queue, FieldView<Real const> field, LocalBox box,
                     std::span<Real> dense) {
  // On the CPU the queue works immediately, so the values are copied when take() returns.
  if (!device_) return pack(queue, field, box, dense.data());
  require(dense.size_bytes() <= device_->values.bytes(),
          "the buffer of a copy is too small for the field");
  auto* packed = device_->values.as<Real>();
  for (LocalBox const part : chunks(box, points_at_once)) {
    pack(queue, field, part, packed);
    packed += part.point_count();
  }
  // move_to_host() starts behind this event; the field may change after it.
  device_->taken.record(queue);
  to_ = dense.data();
  bytes_ = dense.size_bytes();
}

void FieldCopy::move_to_host() {
  if (!device_) return;
  // The transfer queue, not the host, waits for the copy within the device.
  device_->taken.enqueue_wait(device_->queue);
  // push() waits for the piece before the last one, so the loop runs at the speed of the link.
  for (std::size_t at = 0; at < bytes_; at += piece_bytes) {
    device_->pinned_copy.push(device_->queue, device_->values.as<char const>() + at,
                              std::min(piece_bytes, bytes_ - at), static_cast<char*>(to_) + at);
  }
  device_->pinned_copy.flush();
}

template void FieldCopy::take(Queue&, FieldView<float const>, LocalBox, std::span<float>);
template void FieldCopy::take(Queue&, FieldView<double const>, LocalBox, std::span<double>);

}  // namespace isotherm
