#pragma once

#include <cstdint>

#include "kernels/core/field.hpp"

namespace isotherm::cpu {

/// Loops over fewer points run on one thread, since waking others would take longer.
constexpr std::int64_t smallest_parallel_work = 1 << 14;

/// Calls work(j, k) for every row of `box`, distributed over the threads. Rows must be independent
/// of each other.
///
/// The distribution is static. With the same box and number of threads, a thread therefore gets the
/// same rows in each sweep. First touch then keeps their pages near its core.
template <class Work>
void for_each_row(LocalBox const& box, Work const& work) {
#pragma omp parallel for collapse(2) \
    schedule(static) if (box.point_count() >= smallest_parallel_work)
  for (std::int64_t k = box.lower.z; k < box.upper.z; ++k) {
    for (std::int64_t j = box.lower.y; j < box.upper.y; ++j) {
      work(j, k);
    }
  }
}

/// Returns row (j, k) of a field as a pointer to i = 0. Valid indices are those of field.box along
/// x; j and k are not checked.
template <class T>
T* row_of(FieldView<T> const& field, std::int64_t j, std::int64_t k) {
  return &field(0, j, k);
}

}  // namespace isotherm::cpu
