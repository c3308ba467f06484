#pragma once

#include <algorithm>
#include <span>

#include "kernels/cpu/rows.hpp"
#include "kernels/field.hpp"

namespace isotherm::cpu {

/// The element of a dense array over `box`, x fastest, where row (j, k) starts.
inline std::int64_t dense_row(LocalBox const& box, std::int64_t j, std::int64_t k) {
  Extent3 const n = box.extent();
  return ((k - box.lower.z) * n.y + (j - box.lower.y)) * n.x;
}

template <class Real>
void pack(FieldView<Real const> field, LocalBox const& box, Real* dense) {
  for_each_row(box, [&](std::int64_t j, std::int64_t k) {
    Real* const row = dense + dense_row(box, j, k);
    for (std::int64_t i = box.lower.x; i < box.upper.x; ++i) row[i - box.lower.x] = field(i, j, k);
  });
}

template <class Real>
void unpack(Real const* dense, FieldView<Real> field, LocalBox const& box) {
  for_each_row(box, [&](std::int64_t j, std::int64_t k) {
    Real const* const row = dense + dense_row(box, j, k);
    for (std::int64_t i = box.lower.x; i < box.upper.x; ++i) field(i, j, k) = row[i - box.lower.x];
  });
}

template <class Real>
void wrap(FieldView<Real> field, std::span<LocalBox const> boxes, LocalBox const& period) {
  for (LocalBox const& box : boxes) {
    for_each_row(box, [&](std::int64_t j, std::int64_t k) {
      // A row has up to three runs, below, inside and above the period: each is a plain copy.
      for (std::int64_t i = box.lower.x; i < box.upper.x;) {
        std::int64_t const next = i < period.lower.x   ? period.lower.x
                                  : i < period.upper.x ? period.upper.x
                                                       : box.upper.x;
        std::int64_t const end = std::min(next, box.upper.x);
        Index3 const from = wrapped({i, j, k}, period);
        std::copy_n(&field(from.x, from.y, from.z), end - i, &field(i, j, k));
        i = end;
      }
    });
  }
}

template <class Real>
void reflect(FieldView<Real> field, LocalBox const& box, int axis, std::int64_t mirror) {
  for_each_row(box, [&](std::int64_t j, std::int64_t k) {
    for (std::int64_t i = box.lower.x; i < box.upper.x; ++i) {
      Index3 from{i, j, k};
      from[axis] = 2 * mirror - from[axis];
      field(i, j, k) = field(from.x, from.y, from.z);
    }
  });
}

template <class Real>
void fill(FieldView<Real> field, LocalBox const& box, Real value) {
  for_each_row(box, [&](std::int64_t j, std::int64_t k) {
    for (std::int64_t i = box.lower.x; i < box.upper.x; ++i) field(i, j, k) = value;
  });
}

}  // namespace isotherm::cpu
