#include "app/run/output/field_statistics.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "decomposition/field/means.hpp"
#include "decomposition/grid/point_number.hpp"

namespace isotherm::app {

namespace {

/// The weights of this rank's points along each axis. The weight of a point is their product: the
/// trapezoidal rule is a tensor product, also on graded axes.
PerAxis<std::vector<double>> weights_of(Subdomain const& subdomain) {
  return trapezoidal_weights(subdomain.grid(), subdomain.owned_global());
}

/// The statistics of the points that are not excluded, by exact sums. Excluded ones whose control
/// volume reaches into the medium have a part in the mean, with their shares.
FieldStatistics statistics_of_rest(mpi::Communicator const& ranks, Subdomain const& subdomain,
                                   ConstValues values, PointMask const& excluded) {
  auto const weights = weights_of(subdomain);
  ExactTally tally;
  std::visit(
      [&](auto numbers) {
        std::size_t point = 0;
        for (double const of_z : weights[2]) {
          for (double const of_y : weights[1]) {
            for (double const of_x : weights[0]) {
              std::size_t const at = point++;
              double const weight = of_x * of_y * of_z * excluded.share(at);
              if (excluded[at] && weight == 0.0) continue;
              tally.add(weight, static_cast<double>(numbers[at]), excluded[at]);
              tally.add_weight(weight);
            }
          }
        }
      },
      values);
  double const weight = tally.weights(ranks);
  MeanAndExtremes const found = tally.over(ranks, weight, weight);
  return {found.minimum, found.largest, found.mean};
}

/// Returns the first point of the grid, x fastest, that has this value; none if no point has.
/// Excluded points with a share are found only if no other point has it. Collective.
std::optional<Index3> place_of(double value, mpi::Communicator const& ranks,
                               Subdomain const& subdomain, ConstValues values,
                               PointMask const& excluded) {
  Grid const& grid = subdomain.grid();
  double const nowhere = std::numeric_limits<double>::infinity();
  auto const first = [&](bool is_excluded) {
    return std::visit(
        [&](auto numbers) {
          for (std::size_t at = 0; at < numbers.size(); ++at) {
            if (static_cast<double>(numbers[at]) != value || excluded[at] != is_excluded) continue;
            if (is_excluded && excluded.share(at) == 0.0) continue;
            Index3 const local = point_of_number(subdomain.extent(), static_cast<std::int64_t>(at));
            return number_of_point(grid, subdomain.to_global(local));
          }
          return nowhere;
        },
        values);
  };
  double number = ranks.min(first(false));
  if (number == nowhere) number = ranks.min(first(true));
  if (number == nowhere) return std::nullopt;
  return point_of_number(grid.points, static_cast<std::int64_t>(number));
}

/// Returns the sum of the numbers, added from left to right.
double sum_of(std::vector<double> const& numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), 0.0);
}

/// The statistics of all points.
FieldStatistics statistics_of_all(mpi::Communicator const& ranks, Subdomain const& subdomain,
                                  ConstValues values) {
  // Minimum and maximum start at ±infinity, so ranks without points do not affect them.
  double minimum = std::numeric_limits<double>::infinity();
  double largest = -minimum;
  double sum = 0.0;
  auto const weights = weights_of(subdomain);
  std::vector<double> const& along_x = weights[0];
  std::vector<double> const& along_y = weights[1];
  std::vector<double> const& along_z = weights[2];
  std::visit(
      [&](auto numbers) {
        auto next = numbers.begin();
        for (double const of_z : along_z) {
          for (double const of_y : along_y) {
            // Sums of rows are added, which loses less to rounding than one long sum.
            double row = 0.0;
            for (double const of_x : along_x) {
              auto const number = static_cast<double>(*next++);
              minimum = std::min(minimum, number);
              largest = std::max(largest, number);
              row += of_x * number;
            }
            sum += of_y * of_z * row;
          }
        }
      },
      values);
  minimum = ranks.min(minimum);
  largest = ranks.max(largest);
  // The sum of all weights is the volume, and factorises per rank.
  double const weight = ranks.sum(sum_of(along_x) * sum_of(along_y) * sum_of(along_z));
  double const mean = ranks.sum(sum) / weight;
  // Equal values: exact, without rounding.
  return {minimum, largest, minimum == largest ? minimum : mean};
}

}  // namespace

FieldStatistics field_statistics(mpi::Communicator const& ranks, Subdomain const& subdomain,
                                 ConstValues values, PointMask const& excluded) {
  FieldStatistics found = excluded.empty() ? statistics_of_all(ranks, subdomain, values)
                                           : statistics_of_rest(ranks, subdomain, values, excluded);
  found.minimum_at = place_of(found.minimum, ranks, subdomain, values, excluded);
  found.largest_at = place_of(found.largest, ranks, subdomain, values, excluded);
  return found;
}

ValueRange range_over(mpi::Communicator const& ranks, Subdomain const& subdomain,
                      ConstValues values, PointMask const& excluded, PointSet const& points) {
  ValueRange range;
  std::visit(
      [&](auto numbers) {
        for (std::size_t at = 0; at < numbers.size(); ++at) {
          if (excluded[at] && excluded.share(at) == 0.0) continue;
          Index3 const local = point_of_number(subdomain.extent(), static_cast<std::int64_t>(at));
          if (points(subdomain.to_global(local))) range.add(static_cast<double>(numbers[at]));
        }
      },
      values);
  return {ranks.min(range.smallest), ranks.max(range.largest)};
}

double largest_on(mpi::Communicator const& ranks, Subdomain const& subdomain,
                  std::vector<Slice> const& slices, ConstValues values, PointMask const& excluded) {
  double largest = -std::numeric_limits<double>::infinity();
  Extent3 const n = subdomain.extent();
  auto const add = [&](auto numbers, LocalBox const& box) {
    for (std::int64_t z = box.lower.z; z < box.upper.z; ++z) {
      for (std::int64_t y = box.lower.y; y < box.upper.y; ++y) {
        for (std::int64_t x = box.lower.x; x < box.upper.x; ++x) {
          auto const at = static_cast<std::size_t>((z * n.y + y) * n.x + x);
          if (!excluded[at]) largest = std::max(largest, static_cast<double>(numbers[at]));
        }
      }
    }
  };
  for (Slice const& slice : slices) {
    GlobalBox plane = subdomain.owned_global();
    plane.lower[slice.normal] = std::max(plane.lower[slice.normal], slice.index);
    plane.upper[slice.normal] = std::min(plane.upper[slice.normal], slice.index + 1);
    std::visit([&](auto numbers) { add(numbers, subdomain.to_local(plane)); }, values);
  }
  return ranks.max(largest);
}

}  // namespace isotherm::app
