#include "decomposition/field/staging/host_staging.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <exception>
#include <utility>

#include "kernels/core/error.hpp"
#include "kernels/faces/faces.hpp"

namespace isotherm {

namespace {

constexpr std::int64_t chunk_bytes = std::int64_t{16} << 20;  // of each of the two buffers

/// Points of a chunk: as many as fit in chunk_bytes or as the box has, but at least one row with
/// its halo.
template <class Real>
std::int64_t capacity_for(Extent3 owned) {
  std::int64_t const points = chunk_bytes / static_cast<std::int64_t>(sizeof(Real));
  constexpr std::int64_t halo = 128;  // exceeds the halo of any row
  // chunks() never divides a row, so one row must fit.
  return std::max(owned.x + halo, std::min(points, owned.x * owned.y * owned.z));
}

}  // namespace

void for_each_row(LocalBox box, RowWork const& work) {
  std::exception_ptr failure;
#pragma omp parallel for collapse(2) schedule(static)
  for (std::int64_t k = box.lower.z; k < box.upper.z; ++k) {
    for (std::int64_t j = box.lower.y; j < box.upper.y; ++j) {
      // No exception may leave the parallel region; the last one caught is rethrown behind it.
      try {
        work(j, k);
      } catch (...) {
#pragma omp critical(isotherm_staging)
        failure = std::current_exception();
      }
    }
  }
  if (failure) std::rethrow_exception(failure);
}

std::vector<LocalBox> chunks(LocalBox box, std::int64_t max_points) {
  std::int64_t const points = box.point_count();
  if (points == 0) return {};
  if (points <= std::max<std::int64_t>(max_points, 1)) return {box};
  Extent3 const n = box.extent();
  // Cutting the slowest axis keeps each part contiguous in the dense array.
  int const axis = n.z > 1 ? 2 : 1;
  if (n[axis] <= 1) return {box};  // a single row
  // Planes per chunk. If a single plane is too large, the recursion divides it into rows.
  std::int64_t const slabs = std::max<std::int64_t>(1, max_points * n[axis] / points);
  std::vector<LocalBox> all;
  for (std::int64_t at = box.lower[axis]; at < box.upper[axis]; at += slabs) {
    LocalBox part = box;
    part.lower[axis] = at;
    part.upper[axis] = std::min(at + slabs, box.upper[axis]);
    std::ranges::copy(chunks(part, max_points), std::back_inserter(all));
  }
  return all;
}

std::size_t largest_chunk(LocalBox box, std::int64_t max_points) {
  Extent3 const n = box.extent();
  // Of r rows in p planes, enlargement makes (r + 1)(p + 1), which is at most 4 r p.
  std::int64_t const whole = (n.x + 1) * (n.y + 1) * (n.z + 1);
  std::int64_t const points = 8 * std::max(max_points, n.x);
  return static_cast<std::size_t>(std::min(whole, points));
}

template <class Real>
HostStaging<Real>::HostStaging(Queue& queue, Extent3 owned)
    : capacity_(capacity_for<Real>(owned)),
      host_(queue, Space::pinned, static_cast<std::size_t>(capacity_) * sizeof(Real)),
      device_(queue, Space::device, host_.bytes()),
      uploaded_(queue) {}

template <class Real>
std::size_t HostStaging<Real>::footprint(Backend backend, Extent3 owned) {
  std::size_t const bytes = static_cast<std::size_t>(capacity_for<Real>(owned)) * sizeof(Real);
  return Buffer::footprint(backend, Space::pinned, bytes) +
         Buffer::footprint(backend, Space::device, bytes);
}

namespace {

/// Sets row_at(j, k)[i − box.lower.x] = value({i, j, k}), rounded once to Real, for the points of
/// `box`.
/// @returns  as evaluate_dense()
template <class Real, class RowAt>
std::optional<Index3> evaluate_rows(LocalBox box, PointFunction const& value, RowAt const& row_at) {
  std::optional<Index3> not_finite;
  for_each_row(box, [&](std::int64_t j, std::int64_t k) {
    std::array<double, PointFunction::maximum>
        values;  // NOLINT(*-member-init): set before it is read
    Real* row = row_at(j, k);
    Index3 first{box.lower.x, j, k};
    while (first.x < box.upper.x) {
      auto const left = static_cast<std::size_t>(box.upper.x - first.x);
      // Long rows are evaluated in pieces, so the buffer fits on the stack.
      std::span const piece(values.data(), std::min(left, PointFunction::maximum));
      value(first, piece);
      // Checks the rounded values: a float64 value may overflow in float32.
      // The sum is NaN if there is infinity or NaN, which times 0 are NaN. It needs no branch.
      Real sum{0};
      Real* const target = row;
#pragma omp simd reduction(+ : sum)
      for (std::size_t i = 0; i < piece.size(); ++i) {
        target[i] = static_cast<Real>(piece[i]);
        sum += target[i] * Real{0};
      }
      if (sum != Real{0}) {
        auto const fault = std::find_if(row, row + piece.size(),
                                        [](Real rounded) { return !std::isfinite(rounded); });
#pragma omp critical(isotherm_staging)
        not_finite = first + Index3{fault - row, 0, 0};
      }
      row += piece.size();
      first.x += static_cast<std::int64_t>(piece.size());
    }
  });
  return not_finite;
}

}  // namespace

template <class Real>
std::optional<Index3> evaluate_dense(LocalBox box, PointFunction const& value, Real* dense) {
  Extent3 const n = box.extent();
  return evaluate_rows<Real>(box, value, [&](std::int64_t j, std::int64_t k) {
    return dense + ((k - box.lower.z) * n.y + j - box.lower.y) * n.x;
  });
}

template <class Real>
void HostStaging<Real>::evaluate(Queue& queue, FieldView<Real> field, LocalBox box,
                                 PointFunction const& value) {
  if (box.empty()) return;
  // The CPU evaluates into the field itself.
  if (queue.backend() == Backend::cpu) {
    require(field.box.contains(box), "the points to evaluate extend beyond the field");
    auto const row_at = [&](std::int64_t j, std::int64_t k) { return &field(box.lower.x, j, k); };
    if (auto const point = evaluate_rows<Real>(box, value, row_at)) not_finite_ = point;
    return;
  }
  for (LocalBox const chunk : chunks(box, capacity_)) {
    // The copy of the chunk before may still read host_.
    uploaded_.wait();
    if (auto const point = evaluate_dense(chunk, value, host_.as<Real>())) not_finite_ = point;
    auto const used = static_cast<std::size_t>(chunk.point_count()) * sizeof(Real);
    copy_bytes(queue, device_.data(), host_.data(), used);
    // The next chunk may overwrite host_ when this event has passed.
    uploaded_.record(queue);
    unpack(queue, device_.as<Real const>(), field, chunk);
  }
}

template <class Real>
void HostStaging<Real>::write(Queue& queue, FieldView<Real> field, LocalBox box,
                              Real const* dense) {
  if (queue.backend() == Backend::cpu) return unpack(queue, dense, field, box);
  for (LocalBox const chunk : chunks(box, capacity_)) {
    auto const points = chunk.point_count();
    // Reuses device_ for every chunk: the queue's order protects it.
    copy_bytes(queue, device_.data(), dense, static_cast<std::size_t>(points) * sizeof(Real));
    unpack(queue, device_.as<Real const>(), field, chunk);
    dense += points;
  }
  // The copies may still read the caller's array.
  queue.wait();
}

template <class Real>
void HostStaging<Real>::read(Queue& queue, FieldView<Real const> field, LocalBox box, Real* dense) {
  if (queue.backend() == Backend::cpu) return pack(queue, field, box, dense);
  // Many stagings never read, so the pinned buffers are allocated late.
  if (!pinned_copy_) pinned_copy_.emplace(queue, device_.bytes());
  for (LocalBox const chunk : chunks(box, capacity_)) {
    auto const points = chunk.point_count();
    pack(queue, field, chunk, device_.as<Real>());
    // Enqueued behind the packing; the next packing waits for this copy on the same queue.
    pinned_copy_->push(queue, device_.data(), static_cast<std::size_t>(points) * sizeof(Real),
                       dense);
    dense += points;
  }
  pinned_copy_->flush();
}

template <class Real>
void HostStaging<Real>::change(Queue& queue, FieldView<Real> field, LocalBox box,
                               std::function<void(LocalBox chunk, Real* dense)> const& change) {
  for (LocalBox const chunk : chunks(box, capacity_)) {
    uploaded_.wait();
    FieldView<Real const> const before = field;
    read(queue, before, chunk, host_.as<Real>());
    change(chunk, host_.as<Real>());
    write(queue, field, chunk, host_.as<Real>());
  }
}

template <class Real>
std::optional<Index3> HostStaging<Real>::take_not_finite() {
  return std::exchange(not_finite_, std::nullopt);
}

template std::optional<Index3> evaluate_dense(LocalBox, PointFunction const&, float*);
template std::optional<Index3> evaluate_dense(LocalBox, PointFunction const&, double*);
template class HostStaging<float>;
template class HostStaging<double>;

}  // namespace isotherm
