#pragma once

#include <algorithm>
#include <span>

#include "kernels/core/cpu/rows.hpp"
#include "kernels/faces/faces.hpp"

namespace isotherm::cpu {

/// Returns the index of row (j, k) in a contiguous array over `box`, x fastest.
inline std::int64_t dense_row(LocalBox const& box, std::int64_t j, std::int64_t k) {
  Extent3 const n = box.extent();
  return ((k - box.lower.z) * n.y + (j - box.lower.y)) * n.x;
}

/// Packs row by row. See kernels/faces/faces.hpp.
template <class Real>
void pack(FieldView<Real const> field, std::span<PackedBox<Real> const> packed_boxes) {
  for (PackedBox<Real> const& packed_box : packed_boxes) {
    LocalBox const& box = packed_box.box;
    for_each_row(box, [&](std::int64_t j, std::int64_t k) {
      std::copy_n(&field(box.lower.x, j, k), box.extent().x,
                  packed_box.dense + dense_row(box, j, k));
    });
  }
}

/// Unpacks row by row.
template <class Real>
void unpack(std::span<PackedBox<Real const> const> packed_boxes, FieldView<Real> field) {
  for (PackedBox<Real const> const& packed_box : packed_boxes) {
    LocalBox const& box = packed_box.box;
    for_each_row(box, [&](std::int64_t j, std::int64_t k) {
      std::copy_n(packed_box.dense + dense_row(box, j, k), box.extent().x,
                  &field(box.lower.x, j, k));
    });
  }
}

/// Fills ghost points of a periodic grid, by copies of contiguous runs.
template <class Real>
void wrap(FieldView<Real> field, std::span<LocalBox const> boxes, LocalBox const& period) {
  for (LocalBox const& box : boxes) {
    for_each_row(box, [&](std::int64_t j, std::int64_t k) {
      // A row has up to three runs: below, inside and above the period. Each is a plain copy.
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

}  // namespace isotherm::cpu
