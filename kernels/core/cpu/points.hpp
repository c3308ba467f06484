#pragma once

#include "kernels/core/cpu/rows.hpp"

namespace isotherm::cpu {

/// Calls operation(i, j, k) for every point of `box`, row by row. Points must be independent of
/// each other. Small boxes are processed by the calling thread; see for_each_row().
template <class Operation>
void for_each_point(LocalBox const& box, Operation const& operation) {
  for_each_row(box, [&](std::int64_t j, std::int64_t k) {
    // The copy is local, so stores to a field cannot alias its members, and they stay in registers.
    Operation const of_row = operation;
    for (std::int64_t i = box.lower.x; i < box.upper.x; ++i) of_row(i, j, k);
  });
}

/// Reduces the points of `box` to partial results: part p takes rows p, p + part_count, … in order,
/// and calls accumulate(part, i, j, k) for each of their points. The parts are independent of the
/// number of threads, so results are reproducible bit for bit.
/// @param parts  `part_count` results, which are overwritten
/// @tparam Value  a partial result, whose default value is neutral
template <class Value, class Accumulate>
void reduce_points(LocalBox const& box, Accumulate const& accumulate, Value* parts,
                   int part_count) {
  std::int64_t const height = box.upper.y - box.lower.y;
  std::int64_t const rows = height * (box.upper.z - box.lower.z);
#pragma omp parallel for schedule(static) if (box.point_count() >= smallest_parallel_work)
  for (int part = 0; part < part_count; ++part) {
    Value value;
    // Which thread computes a part does not matter: each part has a fixed order.
    for (std::int64_t row = part; row < rows; row += part_count) {
      std::int64_t const j = box.lower.y + row % height;
      std::int64_t const k = box.lower.z + row / height;
      for (std::int64_t i = box.lower.x; i < box.upper.x; ++i) accumulate(value, i, j, k);
    }
    parts[part] = value;
  }
}

}  // namespace isotherm::cpu
