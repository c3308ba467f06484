#include "kernels/multigrid/directions.hpp"

#include "kernels/core/cpu/rows.hpp"
#include "kernels/core/error.hpp"
#include "kernels/core/queue/dispatch.hpp"
#include "kernels/multigrid/cuda/directions.hpp"
#include "kernels/multigrid/instances.hpp"

namespace isotherm {

namespace {

/// Computes the partial products: part p sums rows p, p + most_parts, … of the box, by whichever
/// thread.
template <class Correction, class Real>
void sum_parts(FieldView<Correction const> a, FieldView<Real const> b, FieldView<Real const> c,
               LocalBox const& box, Products* parts) {
#pragma omp parallel for schedule(static) if (box.point_count() >= cpu::smallest_parallel_work)
  for (int part = 0; part < FieldProducts::most_parts; ++part) {
    Products sums;
    // Which thread computes a part does not matter: each part has a fixed order.
    std::int64_t const height = box.upper.y - box.lower.y;
    std::int64_t const rows = height * (box.upper.z - box.lower.z);
    for (std::int64_t row = part; row < rows; row += FieldProducts::most_parts) {
      std::int64_t const j = box.lower.y + row % height;
      std::int64_t const k = box.lower.z + row / height;
      for (std::int64_t i = box.lower.x; i < box.upper.x; ++i) {
        auto const value = static_cast<double>(b(i, j, k));
        sums.ab += static_cast<double>(a(i, j, k)) * value;
        if (c) sums.bc += value * static_cast<double>(c(i, j, k));
      }
    }
    parts[part] = sums;
  }
}

}  // namespace

FieldProducts::FieldProducts(Queue& queue)
    : parts_(queue, Space::device, most_parts * sizeof(Products)),
      host_(queue, Space::pinned, most_parts * sizeof(Products)) {}

std::size_t FieldProducts::footprint(Backend backend) {
  return Buffer::footprint(backend, Space::device, most_parts * sizeof(Products)) +
         Buffer::footprint(backend, Space::pinned, most_parts * sizeof(Products));
}

template <class Correction, class Real>
Products FieldProducts::of(Queue& queue, FieldView<Correction const> a, FieldView<Real const> b,
                           FieldView<Real const> c, LocalBox box) {
  Products all;
  if (box.empty()) return all;
  require(a.box.contains(box) && b.box.contains(box) && (!c || c.box.contains(box)),
          "a product reaches past its fields");
  auto* const parts = parts_.as<Products>();
  dispatch(
      queue, [&] { sum_parts(a, b, c, box, parts); },
      [&](auto) { cuda::sum_products(queue, a, b, c, box, parts); });
  copy_bytes(queue, host_.data(), parts, host_.bytes());
  queue.wait();
  // The host adds the parts in a fixed order.
  for (int part = 0; part < most_parts; ++part) {
    Products const& one = host_.as<Products>()[part];
    all.ab += one.ab;
    all.bc += one.bc;
  }
  return all;
}

template <class Correction, class Real>
void set_direction(Queue& queue, FieldView<Correction const> correction, double scale,
                   FieldView<Real> direction, double keep, LocalBox box) {
  if (box.empty()) return;
  require(correction.box.contains(box) && direction.box.contains(box),
          "a search direction extends beyond its fields");
  dispatch(
      queue,
      [&] {
        cpu::for_each_row(box, [&](std::int64_t j, std::int64_t k) {
          for (std::int64_t i = box.lower.x; i < box.upper.x; ++i) {
            Real& to = direction(i, j, k);
            to = directed(scale * static_cast<double>(correction(i, j, k)), keep, to);
          }
        });
      },
      [&](auto) { cuda::set_direction(queue, correction, scale, direction, keep, box); });
}

#define ISOTHERM_INSTANTIATE(Correction, Real)                                                    \
  template Products FieldProducts::of(Queue&, FieldView<Correction const>, FieldView<Real const>, \
                                      FieldView<Real const>, LocalBox);                           \
  template void set_direction(Queue&, FieldView<Correction const>, double, FieldView<Real>,       \
                              double, LocalBox);
ISOTHERM_FOR_EACH_CORRECTION(ISOTHERM_INSTANTIATE)
#undef ISOTHERM_INSTANTIATE

}  // namespace isotherm
