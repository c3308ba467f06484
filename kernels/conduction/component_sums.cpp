#include "kernels/conduction/component_sums.hpp"

#include <algorithm>

#include "kernels/conduction/cuda/component_sums.hpp"
#include "kernels/core/cpu/rows.hpp"
#include "kernels/core/error.hpp"
#include "kernels/core/queue/dispatch.hpp"

namespace isotherm {

namespace {

/// Calls work(part) for every part, distributed over the threads. The schedule is dynamic, since
/// parts differ in size; the order within a part is fixed.
template <class Work>
void for_each_part(std::size_t parts, std::size_t points, Work const& work) {
  auto const count = static_cast<std::int64_t>(parts);
#pragma omp parallel for schedule( \
    dynamic, 8) if (static_cast <std::int64_t>(points) >= cpu::smallest_parallel_work)
  for (std::int64_t part = 0; part < count; ++part) work(static_cast<std::size_t>(part));
}

/// Sums a term over the points of a part, row by row. The order is that of the lists.
template <class Term>
double sum_part(ComponentRow const* rows, ComponentPart part, Term const& term) {
  double sum = 0.0;
  for (std::int32_t n = part.first; n < part.end; ++n) {
    ComponentRow const row = rows[n];
    double row_sum = 0.0;
    for (std::int32_t at = 0; at < row.count; ++at) {
      row_sum += term(std::int64_t{row.i} + at, row.j, row.k);
    }
    sum += row_sum;
  }
  return sum;
}

/// Adds a value to a field at the points of a part.
template <class Real>
void add_to_part(ComponentRow const* rows, ComponentPart part, FieldView<Real> field,
                 double value) {
  for (std::int32_t n = part.first; n < part.end; ++n) {
    ComponentRow const row = rows[n];
    Real* const first = &field(row.i, row.j, row.k);
    for (std::int32_t at = 0; at < row.count; ++at) {
      first[at] = static_cast<Real>(static_cast<double>(first[at]) + value);
    }
  }
}

}  // namespace

ComponentPoints::ComponentPoints(Queue& queue, std::span<ComponentRow const> rows,
                                 std::span<ComponentPart const> parts)
    : parts_(parts.size()),
      rows_(queue, Space::device, rows.size_bytes()),
      part_rows_(queue, Space::device, parts.size_bytes()),
      sums_(queue, Space::device, parts.size() * sizeof(double)),
      host_(queue, Space::pinned, parts.size() * sizeof(double)) {
  // The number of points decides whether other threads are worth waking.
  for (ComponentRow const& row : rows) points_ += static_cast<std::size_t>(row.count);
  if (parts.empty()) return;
  copy_bytes(queue, rows_.data(), rows.data(), rows.size_bytes());
  copy_bytes(queue, part_rows_.data(), parts.data(), parts.size_bytes());
  queue.wait();  // the caller may free the lists now
}

std::size_t ComponentPoints::footprint(Backend backend, std::size_t rows, std::size_t parts) {
  return Buffer::footprint(backend, Space::device, rows * sizeof(ComponentRow)) +
         Buffer::footprint(backend, Space::device, parts * sizeof(ComponentPart)) +
         Buffer::footprint(backend, Space::device, parts * sizeof(double)) +
         Buffer::footprint(backend, Space::pinned, parts * sizeof(double));
}

template <class Real, int dimension>
std::span<double const> ComponentPoints::sums(Queue& queue,
                                              ComponentTerm<Real, dimension> const& term) {
  std::span<double> const sums(host_.as<double>(), parts_);
  if (parts_ == 0) return sums;
  auto const* const rows = rows_.as<ComponentRow const>();
  auto const* const parts = part_rows_.as<ComponentPart const>();
  dispatch(
      queue,
      [&] {
        for_each_part(parts_, points_,
                      [&](std::size_t part) { sums[part] = sum_part(rows, parts[part], term); });
      },
      [&](auto) {
        cuda::sum_components(queue, term, rows, parts, parts_, sums_.as<double>());
        copy_bytes(queue, host_.data(), sums_.data(), host_.bytes());
      });
  queue.wait();
  return sums;
}

template <class Real>
void ComponentPoints::add(Queue& queue, FieldView<Real> field, std::span<double const> values) {
  require(values.size() == parts_, "each part of the islands needs one value");
  if (parts_ == 0) return;
  auto const* const rows = rows_.as<ComponentRow const>();
  auto const* const parts = part_rows_.as<ComponentPart const>();
  dispatch(
      queue,
      [&] {
        for_each_part(parts_, points_, [&](std::size_t part) {
          if (values[part] != 0.0) add_to_part(rows, parts[part], field, values[part]);
        });
      },
      [&](auto) {
        queue.wait();  // an earlier copy may still read the numbers on the host
        std::ranges::copy(values, host_.as<double>());
        copy_bytes(queue, sums_.data(), host_.data(), host_.bytes());
        cuda::add_to_components(queue, field, rows, parts, parts_, sums_.as<double const>());
      });
}

#define ISOTHERM_INSTANTIATE(Real, dimension)                    \
  template std::span<double const> ComponentPoints::sums(Queue&, \
                                                         ComponentTerm<Real, dimension> const&);
ISOTHERM_INSTANTIATE(float, 2)
ISOTHERM_INSTANTIATE(float, 3)
ISOTHERM_INSTANTIATE(double, 2)
ISOTHERM_INSTANTIATE(double, 3)
#undef ISOTHERM_INSTANTIATE

template void ComponentPoints::add(Queue&, FieldView<float>, std::span<double const>);
template void ComponentPoints::add(Queue&, FieldView<double>, std::span<double const>);

}  // namespace isotherm
