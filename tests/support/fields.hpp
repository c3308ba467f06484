#pragma once

#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "kernels/core/field.hpp"
#include "kernels/faces/faces.hpp"

namespace isotherm::test {

/// A host copy of some points, dense, x fastest, indexed in the local frame.
template <class Real>
struct HostBox {
  LocalBox box;
  std::vector<Real> values;

  explicit HostBox(LocalBox points)
      : box(points), values(static_cast<std::size_t>(points.point_count())) {}

  [[nodiscard]] std::size_t index(std::int64_t i, std::int64_t j, std::int64_t k) const {
    Extent3 const n = box.extent();
    return static_cast<std::size_t>(((k - box.lower.z) * n.y + (j - box.lower.y)) * n.x +
                                    (i - box.lower.x));
  }
  Real& operator()(std::int64_t i, std::int64_t j, std::int64_t k) {
    return values[index(i, j, k)];
  }
  Real operator()(std::int64_t i, std::int64_t j, std::int64_t k) const {
    return values[index(i, j, k)];
  }
};

/// Calls visit(i, j, k) for all points of a box.
template <class Visit>
void for_each(LocalBox const& box, Visit const& visit) {
  for (std::int64_t k = box.lower.z; k < box.upper.z; ++k) {
    for (std::int64_t j = box.lower.y; j < box.upper.y; ++j) {
      for (std::int64_t i = box.lower.x; i < box.upper.x; ++i) visit(i, j, k);
    }
  }
}

/// Returns the points of `box`, which must lie in `all`.
template <class Real>
HostBox<Real> part_of(HostBox<Real> const& all, LocalBox box) {
  HostBox<Real> part(box);
  for_each(box,
           [&](std::int64_t i, std::int64_t j, std::int64_t k) { part(i, j, k) = all(i, j, k); });
  return part;
}

template <class Real>
void write_points(Queue& queue, Field<Real>& field, HostBox<Real> const& points) {
  std::size_t const bytes = points.values.size() * sizeof(Real);
  Buffer const dense(queue, Space::device, bytes);
  copy_bytes(queue, dense.data(), points.values.data(), bytes);
  unpack(queue, dense.as<Real const>(), field.view(), points.box);
  queue.wait();
}

template <class Real>
HostBox<Real> read_points(Queue& queue, Field<Real> const& field, LocalBox box) {
  HostBox<Real> points(box);
  std::size_t const bytes = points.values.size() * sizeof(Real);
  Buffer const dense(queue, Space::device, bytes);
  pack(queue, field.view(), box, dense.as<Real>());
  copy_bytes(queue, points.values.data(), dense.data(), bytes);
  queue.wait();
  return points;
}

/// Returns random values, uniform in [−1, 1), for all points of `box`.
template <class Real>
HostBox<Real> random_points(LocalBox box, unsigned seed) {
  HostBox<Real> points(box);
  std::mt19937_64 engine(seed);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  for (Real& value : points.values) value = static_cast<Real>(uniform(engine));
  return points;
}

}  // namespace isotherm::test
