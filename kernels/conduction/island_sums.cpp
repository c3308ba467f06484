#include "kernels/conduction/island_sums.hpp"

#include <algorithm>

#include "kernels/conduction/cuda/island_sums.hpp"
#include "kernels/core/cpu/rows.hpp"
#include "kernels/core/error.hpp"
#include "kernels/core/queue/dispatch.hpp"

namespace isotherm {

namespace {

/// Calls work(part) for every part, spread over the threads.
template <class Work>
void for_each_part(std::size_t parts, std::size_t points, Work const& work) {
  auto const count = static_cast<std::int64_t>(parts);
#pragma omp parallel for schedule( \
    dynamic, 8) if (static_cast <std::int64_t>(points) >= cpu::smallest_parallel_work)
  for (std::int64_t part = 0; part < count; ++part) work(static_cast<std::size_t>(part));
}

/// Calls work(i, j, k) for the points of a row.
template <class Work>
void for_each_point(IslandRow row, Work const& work) {
  std::int64_t const end = std::int64_t{row.i} + row.count;
  for (std::int64_t i = row.i; i < end; ++i) work(i, row.j, row.k);
}

}  // namespace

IslandPoints::IslandPoints(Queue& queue, std::span<IslandRow const> rows,
                           std::span<IslandPart const> parts)
    : parts_(parts.size()),
      rows_(queue, Space::device, rows.size_bytes()),
      part_rows_(queue, Space::device, parts.size_bytes()),
      sums_(queue, Space::device, parts.size() * sizeof(double)),
      host_(queue, Space::pinned, parts.size() * sizeof(double)) {
  for (IslandRow const& row : rows) points_ += static_cast<std::size_t>(row.count);
  if (parts.empty()) return;
  copy_bytes(queue, rows_.data(), rows.data(), rows.size_bytes());
  copy_bytes(queue, part_rows_.data(), parts.data(), parts.size_bytes());
  queue.wait();  // the caller's lists may go away
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
        for_each_part(parts_, points_, [&](std::size_t part) {
          sums[part] = 0.0;
          for (std::int32_t n = parts[part].first; n < parts[part].end; ++n) {
            double sum = 0.0;
            for_each_point(rows[n], [&](std::int64_t i, std::int64_t j, std::int64_t k) {
              sum += term(i, j, k);
            });
            sums[part] += sum;
          }
        });
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
  require(values.size() == parts_, "some floating components have no value");
  if (parts_ == 0) return;
  auto const* const rows = rows_.as<IslandRow const>();
  auto const* const parts = part_rows_.as<IslandPart const>();
  dispatch(
      queue,
      [&] {
        for_each_part(parts_, points_, [&](std::size_t part) {
          if (values[part] == 0.0) return;
          for (std::int32_t n = parts[part].first; n < parts[part].end; ++n) {
            for_each_point(rows[n], [&](std::int64_t i, std::int64_t j, std::int64_t k) {
              Real& to = field(i, j, k);
              to = static_cast<Real>(static_cast<double>(to) + values[part]);
            });
          }
        });
      },
      [&](auto) {
        queue.wait();  // the numbers on the host may still be read
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
