#include "jobs/run/field_statistics.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "decomposition/field/means.hpp"

namespace isotherm {

namespace {

double sum_of(std::vector<double> const& numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), 0.0);
}

}  // namespace

FieldStatistics field_statistics(mpi::Communicator const& ranks, Subdomain const& subdomain,
                                 ConstValues values) {
  double least = std::numeric_limits<double>::infinity();
  double largest = -least;
  double sum = 0.0;
  auto const [along_x, along_y, along_z] =
      trapezoidal_weights(subdomain.grid(), subdomain.owned_global()).values;
  std::visit(
      [&](auto numbers) {
        auto next = numbers.begin();
        for (double const of_z : along_z) {
          for (double const of_y : along_y) {
            double row = 0.0;
            for (double const of_x : along_x) {
              auto const number = static_cast<double>(*next++);
              least = std::min(least, number);
              largest = std::max(largest, number);
              row += of_x * number;
            }
            sum += of_y * of_z * row;
          }
        }
      },
      values);
  least = ranks.min(least);
  largest = ranks.max(largest);
  double const weights = ranks.sum(sum_of(along_x) * sum_of(along_y) * sum_of(along_z));
  double const mean = ranks.sum(sum) / weights;
  return {least, largest, least == largest ? least : mean};  // no rounding of equal values
}

}  // namespace isotherm
