#include "kernels/multigrid/value_range.hpp"

#include "kernels/core/cpu/rows.hpp"
#include "kernels/core/error.hpp"
#include "kernels/core/queue/dispatch.hpp"
#include "kernels/multigrid/cuda/value_range.hpp"

namespace isotherm {

namespace {

/// Computes the partial ranges: part p covers rows p, p + part_count, … of the box.
template <class Real>
void range_parts(FieldView<Real const> field, LocalBox const& box, Links<Real> const& links,
                 ValueRange* parts) {
#pragma omp parallel for schedule(static) if (box.point_count() >= cpu::smallest_parallel_work)
  for (int part = 0; part < RangeMeter::part_count; ++part) {
    ValueRange range;
    std::int64_t const height = box.upper.y - box.lower.y;
    std::int64_t const rows = height * (box.upper.z - box.lower.z);
    for (std::int64_t row = part; row < rows; row += RangeMeter::part_count) {
      std::int64_t const j = box.lower.y + row % height;
      std::int64_t const k = box.lower.z + row / height;
      for (std::int64_t i = box.lower.x; i < box.upper.x; ++i) {
        if (links.takes_part(i, j, k)) range.add(static_cast<double>(field(i, j, k)));
      }
    }
    parts[part] = range;
  }
}

}  // namespace

RangeMeter::RangeMeter(Queue& queue)
    : parts_(queue, Space::device, part_count * sizeof(ValueRange)),
      host_(queue, Space::pinned, part_count * sizeof(ValueRange)) {}

std::size_t RangeMeter::footprint(Backend backend) {
  return Buffer::footprint(backend, Space::device, part_count * sizeof(ValueRange)) +
         Buffer::footprint(backend, Space::pinned, part_count * sizeof(ValueRange));
}

template <class Real>
ValueRange RangeMeter::measure(Queue& queue, FieldView<Real const> field, LocalBox box,
                               Links<Real> const& links) {
  ValueRange all;
  if (box.empty()) return all;
  require(field.box.contains(box), "a range of values reaches past its field");
  auto* const parts = parts_.as<ValueRange>();
  dispatch(
      queue, [&] { range_parts(field, box, links, parts); },
      [&](auto) { cuda::range_parts(queue, field, box, links, parts); });
  copy_bytes(queue, host_.data(), parts, host_.bytes());
  queue.wait();
  // Parts without points have an empty range, which changes nothing.
  for (int part = 0; part < part_count; ++part) all.add(host_.as<ValueRange>()[part]);
  return all;
}

template ValueRange RangeMeter::measure(Queue&, FieldView<float const>, LocalBox,
                                        Links<float> const&);
template ValueRange RangeMeter::measure(Queue&, FieldView<double const>, LocalBox,
                                        Links<double> const&);

}  // namespace isotherm
