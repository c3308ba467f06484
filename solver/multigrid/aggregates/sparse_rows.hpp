#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <vector>

#include "kernels/aggregates/node_rows.hpp"
#include "solver/multigrid/aggregates/lists/host_list.hpp"

namespace isotherm {

/// A sparse matrix in compressed rows (CSR): row i has the entries first[i] … first[i + 1] − 1.
template <class Value>
struct SparseRows {
  HostList<std::int64_t> first{0};
  HostList<std::int32_t> column{};
  HostList<Value> value{};

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

/// The number of numbers in a part of for_each_part(), except the last.
constexpr std::size_t numbers_of_part = 2048;

/// Calls work(begin, end) for parts of the numbers 0 … count − 1, distributed among all threads.
/// The parts do not depend on the number of threads.
void for_each_part(std::size_t count, std::function<void(std::size_t, std::size_t)> const& work);
/// Calls work(n) for the numbers 0 … count − 1, distributed among all threads.
template <class Work>
void for_each_number(std::size_t count, Work const& work) {
  for_each_part(count, [&](std::size_t begin, std::size_t end) {
    for (std::size_t n = begin; n < end; ++n) work(n);
  });
}
/// Returns the sum of term(n) for the numbers 0 … count − 1. It is the same for any number of
/// threads.
template <class Term>
double sum_of_numbers(std::size_t count, Term const& term) {
  std::vector<double> sums((count + numbers_of_part - 1) / numbers_of_part);
  for_each_part(count, [&](std::size_t begin, std::size_t end) {
    double sum = 0.0;
    for (std::size_t n = begin; n < end; ++n) sum += term(n);
    sums[begin / numbers_of_part] = sum;
  });
  return std::accumulate(sums.begin(), sums.end(), 0.0);
}

/// Makes a matrix on all threads: each(row, visit) calls visit(column, value) for the entries of a
/// row. It is called twice for each row.
template <class Value, class Each>
SparseRows<Value> made_by_rows(std::size_t rows, Each const& each) {
  SparseRows<Value> result;
  result.first.assign(rows + 1, 0);
  for_each_number(
      rows, [&](std::size_t row) { each(row, [&](auto, auto) { ++result.first[row + 1]; }); });
  std::partial_sum(result.first.begin(), result.first.end(), result.first.begin());
  result.column.resize(static_cast<std::size_t>(result.first.back()));
  result.value.resize(result.column.size());
  for_each_number(rows, [&](std::size_t row) {
    auto at = static_cast<std::size_t>(result.first[row]);
    each(row, [&](auto column, auto value) {
      result.column[at] = static_cast<std::int32_t>(column);
      result.value[at++] = static_cast<Value>(value);
    });
  });
  return result;
}

/// Returns the transpose of a matrix with this number of columns. The entries of a row are in
/// ascending order. Cost: O(entries + columns), on all threads.
template <class Value>
SparseRows<Value> transposed(SparseRows<Value> const& matrix, std::size_t columns);

}  // namespace isotherm
