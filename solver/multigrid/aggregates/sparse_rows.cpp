#include "solver/multigrid/aggregates/sparse_rows.hpp"

#include <algorithm>
#include <atomic>

#include "decomposition/field/staging/host_staging.hpp"

namespace isotherm {

namespace {

/// Sorts the entries of a row by column. Threads have appended them, each in ascending order.
template <class Value>
void sort_row(SparseRows<Value>& matrix, std::size_t row) {
  auto const begin = static_cast<std::size_t>(matrix.first[row]);
  auto const end = static_cast<std::size_t>(matrix.first[row + 1]);
  for (std::size_t n = begin + 1; n < end; ++n) {
    std::int32_t const column = matrix.column[n];
    Value const value = matrix.value[n];
    std::size_t at = n;
    for (; at > begin && matrix.column[at - 1] > column; --at) {
      matrix.column[at] = matrix.column[at - 1];
      matrix.value[at] = matrix.value[at - 1];
    }
    matrix.column[at] = column;
    matrix.value[at] = value;
  }
}

}  // namespace

template <class Value>
SparseRows<Value> transposed(SparseRows<Value> const& matrix, std::size_t columns) {
  SparseRows<Value> result;
  result.first.assign(columns + 1, 0);
  auto const count_one = [&](std::size_t column) {
    std::atomic_ref(result.first[column]).fetch_add(1, std::memory_order_relaxed);
  };
  for_each_number(matrix.rows(), [&](std::size_t row) {
    matrix.each(row, [&](std::size_t column, Value) { count_one(column + 1); });
  });
  std::partial_sum(result.first.begin(), result.first.end(), result.first.begin());
  result.column.resize(matrix.column.size());
  result.value.resize(matrix.value.size());
  HostList<std::int64_t> next(result.first.begin(), result.first.end() - 1);
  for_each_number(matrix.rows(), [&](std::size_t row) {
    matrix.each(row, [&](std::size_t column, Value value) {
      auto const at = static_cast<std::size_t>(
          std::atomic_ref(next[column]).fetch_add(1, std::memory_order_relaxed));
      result.column[at] = static_cast<std::int32_t>(row);
      result.value[at] = value;
    });
  });
  for_each_number(columns, [&](std::size_t row) { sort_row(result, row); });
  return result;
}

void for_each_part(std::size_t count, std::function<void(std::size_t, std::size_t)> const& work) {
  std::size_t const parts = (count + numbers_of_part - 1) / numbers_of_part;
  auto const run = [&](std::size_t part) {
    work(part * numbers_of_part, std::min(count, (part + 1) * numbers_of_part));
  };
  if (parts <= 1) {
    if (parts == 1) run(0);
    return;
  }
  for_each_row({{0, 0, 0}, {1, static_cast<std::int64_t>(parts), 1}},
               [&](std::int64_t part, std::int64_t) { run(static_cast<std::size_t>(part)); });
}

template SparseRows<float> transposed(SparseRows<float> const&, std::size_t);
template SparseRows<double> transposed(SparseRows<double> const&, std::size_t);

}  // namespace isotherm
