#include "jobs/run/field_statistics.hpp"

#include <algorithm>
#include <limits>

#include "solver/problem/with_precision.hpp"

namespace isotherm {

FieldStatistics field_statistics(mpi::Communicator const& ranks, Precision precision,
                                 void const* values, std::size_t count) {
  double least = std::numeric_limits<double>::infinity();
  double largest = -least;
  double sum = 0.0;
  with_precision(precision, [&]<class Real>(Real) {
    auto const* const first = static_cast<Real const*>(values);
    std::for_each(first, first + count, [&](Real value) {
      auto const number = static_cast<double>(value);
      least = std::min(least, number);
      largest = std::max(largest, number);
      sum += number;
    });
  });
  auto const points = static_cast<double>(ranks.sum(static_cast<std::int64_t>(count)));
  return {ranks.min(least), ranks.max(largest), ranks.sum(sum) / points};
}

}  // namespace isotherm
