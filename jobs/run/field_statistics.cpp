#include "jobs/run/field_statistics.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <vector>

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
  std::array<std::vector<double>, 3> const weights =
      trapezoidal_weights(subdomain.grid(), subdomain.owned_global()).values;
  std::vector<double> const& along_x = weights[0];
  std::vector<double> const& along_y = weights[1];
  std::vector<double> const& along_z = weights[2];
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
  double const weight = ranks.sum(sum_of(along_x) * sum_of(along_y) * sum_of(along_z));
  double const mean = ranks.sum(sum) / weight;
  return {least, largest, least == largest ? least : mean};  // no rounding of equal values
}

}  // namespace isotherm
