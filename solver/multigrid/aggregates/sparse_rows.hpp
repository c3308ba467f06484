#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "kernels/aggregates/node_rows.hpp"

namespace isotherm {

/// A sparse matrix in compressed rows (CSR): row i has the entries first[i] … first[i + 1] − 1.
template <class Value>
struct SparseRows {
  std::vector<std::int64_t> first{0};
  std::vector<std::int32_t> column{};
  std::vector<Value> value{};

  [[nodiscard]] std::size_t rows() const { return first.size() - 1; }
  /// Returns the allocated bytes.
  [[nodiscard]] std::size_t bytes() const {
    return first.capacity() * sizeof(std::int64_t) + column.capacity() * sizeof(std::int32_t) +
           value.capacity() * sizeof(Value);
  }
  /// Calls visit(column, value) for the entries of a row, in the order of storage.
  template <class Visit>
  void each(std::size_t row, Visit const& visit) const {
    auto const end = static_cast<std::size_t>(first[row + 1]);
    for (auto n = static_cast<std::size_t>(first[row]); n < end; ++n) {
      visit(static_cast<std::size_t>(column[n]), value[n]);
    }
  }
};

/// Returns a view of a matrix in host memory.
template <class Real>
RowsView<Real> view_of(SparseRows<Real> const& matrix) {
  return {static_cast<std::int64_t>(matrix.rows()), matrix.first.data(), matrix.column.data(),
          matrix.value.data()};
}

/// Returns the transpose of a matrix with this number of columns. The entries of a row are in
/// ascending order. Cost: O(entries + columns).
template <class Value>
SparseRows<Value> transposed(SparseRows<Value> const& matrix, std::size_t columns);

/// Calls work(begin, end) for parts of the numbers 0 … count − 1, distributed among all threads.
/// The parts do not depend on the number of threads.
void for_each_part(std::size_t count, std::function<void(std::size_t, std::size_t)> const& work);

/// The number of numbers in a part of for_each_part(), except the last.
constexpr std::size_t numbers_of_part = 2048;

}  // namespace isotherm
