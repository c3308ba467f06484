#include "kernels/conduction/island_sums.hpp"

#include <algorithm>

#include "kernels/conduction/cuda/island_sums.hpp"
#include "kernels/core/cpu/rows.hpp"
#include "kernels/core/error.hpp"
#include "kernels/core/queue/dispatch.hpp"

namespace isotherm {

namespace {

/// Calls work(part) for every part, distributed over the threads.
template <class Work>
void for_each_part(std::size_t parts, std::size_t points, Work const& work) {
  auto const count = static_cast<std::int64_t>(parts);
#pragma omp parallel for schedule( \
    dynamic, 8) if (static_cast <std::int64_t>(points) >= cpu::smallest_parallel_work)
  for (std::int64_t part = 0; part < count; ++part) work(static_cast<std::size_t>(part));
}

/// Sums a term over the points of a part, row by row. The order is that of the lists.
template <class Term>
double sum_part(IslandRow const* rows, IslandPart part, Term const& term) {
  double sum = 0.0;
  for (std::int32_t n = part.first; n < part.end; ++n) {
    IslandRow const row = rows[n];
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
void add_to_part(IslandRow const* rows, IslandPart part, FieldView<Real> field, double value) {
  for (std::int32_t n = part.first; n < part.end; ++n) {
    IslandRow const row = rows[n];
    Real* const first = &field(row.i, row.j, row.k);
    for (std::int32_t at = 0; at < row.count; ++at) {
      first[at] = static_cast<Real>(static_cast<double>(first[at]) + value);
    }
  }
}

}  // namespace

IslandPoints::IslandPoints(Queue& queue, std::span<IslandRow const> rows,
                           std::span<IslandPart const> parts)
    : parts_(parts.size()),
      rows_(queue, Space::device, rows.size_bytes()),
      part_rows_(queue, Space::device, parts.size_bytes()),
      sums_(queue, Space::device, parts.size() * sizeof(double)),
      host_(queue, Space::pinned, parts.size() * sizeof(double)) {
  // The number of points decides how many threads are worth waking.
  for (IslandRow const& row : rows) points_ += static_cast<std::size_t>(row.count);
  if (parts.empty()) return;
  copy_bytes(queue, rows_.data(), rows.data(), rows.size_bytes());
  copy_bytes(queue, part_rows_.data(), parts.data(), parts.size_bytes());
  queue.wait();  // the caller may free the lists now
}

std::size_t IslandPoints::footprint(Backend backend, std::size_t rows, std::size_t parts) {
  return Buffer::footprint(backend, Space::device, rows * sizeof(IslandRow)) +
         Buffer::footprint(backend, Space::device, parts * sizeof(IslandPart)) +
         Buffer::footprint(backend, Space::device, parts * sizeof(double)) +
         Buffer::footprint(backend, Space::pinned, parts * sizeof(double));
}

template <class Real, int dimension>
std::span<double const> IslandPoints::sums(Queue& queue, IslandTerm<Real, dimension> const& term) {
  std::span<double> const sums(host_.as<double>(), parts_);
  if (parts_ == 0) return sums;
  auto const* const rows = rows_.as<IslandRow const>();
  auto const* const parts = part_rows_.as<IslandPart const>();
  dispatch(
      queue,
      [&] {
        for_each_part(parts_, points_,
                      [&](std::size_t part) { sums[part] = sum_part(rows, parts[part], term); });
      },
      [&](auto) {
        cuda::sum_islands(queue, term, rows, parts, parts_, sums_.as<double>());
        copy_bytes(queue, host_.data(), sums_.data(), host_.bytes());
      });
  queue.wait();
  return sums;
}

template <class Real>
void IslandPoints::add(Queue& queue, FieldView<Real> field, std::span<double const> values) {
  require(values.size() == parts_, "each part of the islands needs one value");
  if (parts_ == 0) return;
  auto const* const rows = rows_.as<IslandRow const>();
  auto const* const parts = part_rows_.as<IslandPart const>();
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
        cuda::add_to_islands(queue, field, rows, parts, parts_, sums_.as<double const>());
      });
}

#define ISOTHERM_INSTANTIATE(Real, dimension) \
  template std::span<double const> IslandPoints::sums(Queue&, IslandTerm<Real, dimension> const&);
ISOTHERM_INSTANTIATE(float, 2)
ISOTHERM_INSTANTIATE(float, 3)
ISOTHERM_INSTANTIATE(double, 2)
ISOTHERM_INSTANTIATE(double, 3)
#undef ISOTHERM_INSTANTIATE

template void IslandPoints::add(Queue&, FieldView<float>, std::span<double const>);
template void IslandPoints::add(Queue&, FieldView<double>, std::span<double const>);

}  // namespace isotherm
