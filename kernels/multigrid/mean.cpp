#include "kernels/multigrid/mean.hpp"

#include <cmath>

#include "kernels/core/cpu/rows.hpp"
#include "kernels/core/error.hpp"
#include "kernels/core/queue/dispatch.hpp"
#include "kernels/multigrid/cuda/mean.hpp"

namespace isotherm {

namespace {

using Sums = FieldSums::Sums;

/// Computes the partial sums: part p sums rows p, p + most_parts, … of the box, by whichever
/// thread.
template <class Real>
void sum_parts(FieldView<Real const> field, LocalBox const& box, HalfPlanes const& halves,
               Sums* parts) {
#pragma omp parallel for schedule(static) if (box.point_count() >= cpu::smallest_parallel_work)
  for (int part = 0; part < FieldSums::most_parts; ++part) {
    Sums sums;
    std::int64_t const rows = (box.upper.y - box.lower.y) * (box.upper.z - box.lower.z);
    for (std::int64_t row = part; row < rows; row += FieldSums::most_parts) {
      std::int64_t const j = box.lower.y + row % (box.upper.y - box.lower.y);
      std::int64_t const k = box.lower.z + row / (box.upper.y - box.lower.y);
      for (std::int64_t i = box.lower.x; i < box.upper.x; ++i) {
        double const value = halves.weight(i, j, k) * static_cast<double>(field(i, j, k));
        sums.signed_sum += value;
        sums.absolute_sum += std::abs(value);
      }
    }
    parts[part] = sums;
  }
}

}  // namespace

FieldSums::FieldSums(Queue& queue)
    : parts_(queue, Space::device, most_parts * sizeof(Sums)),
      host_(queue, Space::pinned, most_parts * sizeof(Sums)) {}

std::size_t FieldSums::footprint(Backend backend) {
  return Buffer::footprint(backend, Space::device, most_parts * sizeof(Sums)) +
         Buffer::footprint(backend, Space::pinned, most_parts * sizeof(Sums));
}

template <class Real>
Sums FieldSums::sum(Queue& queue, FieldView<Real const> field, LocalBox box,
                    HalfPlanes const& halves) {
  Sums all;
  if (box.empty()) return all;
  require(field.box.contains(box), "a sum reaches past its field");
  auto* const parts = parts_.as<Sums>();
  dispatch(
      queue, [&] { sum_parts(field, box, halves, parts); },
      [&](auto) { cuda::sum_parts(queue, field, box, halves, parts); });
  copy_bytes(queue, host_.data(), parts, host_.bytes());
  queue.wait();
  // The host adds the parts in a fixed order.
  for (int part = 0; part < most_parts; ++part) {
    Sums const& one = host_.as<Sums>()[part];
    all.signed_sum += one.signed_sum;
    all.absolute_sum += one.absolute_sum;
  }
  return all;
}

template <class Real>
void add_constant(Queue& queue, FieldView<Real> field, LocalBox box, double value) {
  if (box.empty()) return;
  require(field.box.contains(box), "a constant is added outside its field");
  dispatch(
      queue,
      [&] {
        cpu::for_each_row(box, [&](std::int64_t j, std::int64_t k) {
          for (std::int64_t i = box.lower.x; i < box.upper.x; ++i) {
            Real& to = field(i, j, k);
            to = static_cast<Real>(static_cast<double>(to) + value);
          }
        });
      },
      [&](auto) { cuda::add_constant(queue, field, box, value); });
}

template Sums FieldSums::sum(Queue&, FieldView<float const>, LocalBox, HalfPlanes const&);
template Sums FieldSums::sum(Queue&, FieldView<double const>, LocalBox, HalfPlanes const&);
template void add_constant(Queue&, FieldView<float>, LocalBox, double);
template void add_constant(Queue&, FieldView<double>, LocalBox, double);

}  // namespace isotherm
