#include "solver/multigrid/aggregates/sparse_rows.hpp"

#include <algorithm>

#include "decomposition/field/staging/host_staging.hpp"

namespace isotherm {

template <class Value>
SparseRows<Value> transposed(SparseRows<Value> const& matrix, std::size_t columns) {
  SparseRows<Value> result;
  result.first.assign(columns + 1, 0);
  for (std::int32_t const column : matrix.column)
    ++result.first[static_cast<std::size_t>(column) + 1];
  for (std::size_t n = 0; n < columns; ++n) result.first[n + 1] += result.first[n];
  result.column.resize(matrix.column.size());
  result.value.resize(matrix.value.size());
  std::vector<std::int64_t> next(result.first.begin(), result.first.end() - 1);
  for (std::size_t row = 0; row < matrix.rows(); ++row) {
    matrix.each(row, [&](std::size_t column, Value value) {
      auto const at = static_cast<std::size_t>(next[column]++);
      result.column[at] = static_cast<std::int32_t>(row);
      result.value[at] = value;
    });
  }
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
