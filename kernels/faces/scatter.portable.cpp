#include "kernels/faces/scatter.hpp"

#include <algorithm>

#include "kernels/core/error.hpp"
#include "kernels/core/for_each_point.hpp"

namespace isotherm {

namespace {

/// Returns the point of value number `n` of the array. @pre  The value belongs to the part.
ISOTHERM_INLINE Index3 point_of(DensePart const& part, std::int64_t n) {
  Extent3 const size = part.box.extent();
  std::int64_t const row = (n - part.begin) / size.x;
  std::int64_t const plane = row / size.y;
  return part.box.lower + Index3{n - part.begin - row * size.x, row - plane * size.y, plane};
}

/// Copies one value to its point. The first index of the operation numbers the value.
template <class Real>
struct ScatterValue {
  DensePart const* parts;
  std::int64_t part_count;
  std::int64_t first;
  Real const* values;
  FieldView<Real> field;

  ISOTHERM_INLINE void operator()(std::int64_t n, std::int64_t /*j*/, std::int64_t /*k*/) const {
    // Binary search for the last part that begins at the value or before it.
    std::int64_t lower = 0;
    std::int64_t upper = part_count;
    while (upper - lower > 1) {
      std::int64_t const middle = (lower + upper) / 2;
      (parts[middle].begin <= n ? lower : upper) = middle;
    }
    Index3 const point = point_of(parts[lower], n);
    field(point.x, point.y, point.z) = values[n - first];
  }
};

/// Copies the values first … last − 1 row by row.
/// @param values  the value number `first`
template <class Real>
void scatter_rows(DensePart const& part, std::int64_t first, std::int64_t last, Real const* values,
                  FieldView<Real> field) {
  std::int64_t length = 0;
  for (std::int64_t n = first; n < last; n += length) {
    Index3 const point = point_of(part, n);
    length = std::min(part.box.upper.x - point.x, last - n);
    std::copy_n(values + (n - first), length, &field(point.x, point.y, point.z));
  }
}

/// The CPU's loop: threads share the parts.
template <class Real>
void scatter_parts(std::span<DensePart const> parts, std::int64_t first, std::int64_t last,
                   Real const* values, FieldView<Real> field) {
#pragma omp parallel for schedule(static) if (parts.size() > 1)
  for (std::size_t p = 0; p < parts.size(); ++p) {
    DensePart const& part = parts[p];
    std::int64_t const begin = std::max(first, part.begin);
    std::int64_t const end = std::min(last, part.begin + part.box.point_count());
    if (begin < end) scatter_rows(part, begin, end, values + (begin - first), field);
  }
}

}  // namespace

PartTable::PartTable(Queue& queue, std::vector<LocalBox> const& boxes) {
  for (LocalBox const& box : boxes) {
    // Without empty boxes, the beginnings ascend strictly, and the search finds one part.
    if (box.empty()) continue;
    parts_.push_back({box, value_count_});
    value_count_ += box.point_count();
  }
  if (queue.backend() == Backend::cpu || parts_.empty()) return;
  std::size_t const bytes = parts_.size() * sizeof(DensePart);
  copy_ = Buffer(queue, Space::device, bytes);
  copy_bytes(queue, copy_.data(), parts_.data(), bytes);
  queue.wait();
}

std::size_t PartTable::footprint(Backend backend, std::size_t box_count) {
  if (backend == Backend::cpu) return 0;
  return Buffer::footprint(backend, Space::device, box_count * sizeof(DensePart));
}

template <class Real>
void scatter(Queue& queue, PartTable const& table, std::int64_t first, std::int64_t last,
             Real const* values, FieldView<Real> field) {
  require(0 <= first && first <= last && last <= table.value_count(),
          "the values to scatter lie outside the array");
  for (DensePart const& part : table.parts()) {
    require(field.box.contains(part.box), "the points to scatter to reach past the field");
  }
  if (first == last) return;
  dispatch(
      queue, [&] { scatter_parts(table.parts(), first, last, values, field); },
      [&](auto) {
        LocalBox const range{{first, 0, 0}, {last, 1, 1}};
        auto const count = static_cast<std::int64_t>(table.parts().size());
        cuda::run_at_points(queue, range,
                            ScatterValue<Real>{table.on_device(), count, first, values, field});
      });
}

template void scatter(Queue&, PartTable const&, std::int64_t, std::int64_t, float const*,
                      FieldView<float>);
template void scatter(Queue&, PartTable const&, std::int64_t, std::int64_t, double const*,
                      FieldView<double>);

}  // namespace isotherm
