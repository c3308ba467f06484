#include "jobs/run/field_statistics.hpp"

#include <algorithm>
#include <limits>

namespace isotherm {

FieldStatistics field_statistics(mpi::Communicator const& ranks, ConstValues values) {
  double least = std::numeric_limits<double>::infinity();
  double largest = -least;
  double sum = 0.0;
  std::int64_t count = 0;
  std::visit(
      [&](auto numbers) {
        count = static_cast<std::int64_t>(numbers.size());
        for (auto const value : numbers) {
          auto const number = static_cast<double>(value);
          least = std::min(least, number);
          largest = std::max(largest, number);
          sum += number;
        }
      },
      values);
  auto const points = static_cast<double>(ranks.sum(count));
  return {ranks.min(least), ranks.max(largest), ranks.sum(sum) / points};
}

}  // namespace isotherm
