#pragma once

#include <optional>
#include <vector>

#include "decomposition/field/point_mask.hpp"
#include "decomposition/grid/subdomain.hpp"
#include "decomposition/ranks/mpi.hpp"
#include "io/picture/slice_sampling.hpp"
#include "kernels/multigrid/value_range.hpp"
#include "solver/problem/values.hpp"

namespace isotherm::app {

/// Minimum, maximum and mean of a field over the points of all ranks that are not excluded; NaN if
/// all are.
struct FieldStatistics {
  double minimum = 0.0;  ///< minimum
  double largest = 0.0;  ///< maximum
  /// Mean by the trapezoidal rule: each point is weighted by its control volume. If no point can be
  /// excluded, its last digits depend on the number of ranks, since the order of summation does.
  /// Otherwise the sums are exact. The mean of equal values is exactly that value.
  double mean = 0.0;
  /// Global indices of the first points, x fastest, that have these values; none if all points are
  /// excluded.
  std::optional<Index3> minimum_at{};
  std::optional<Index3> largest_at{};
};

/// Computes minimum, maximum, their places, and the mean of a field; sums are in float64.
/// Collective. Cost: up to three serial passes over the rank's values, and six reductions over the
/// ranks.
/// @param values  values of the points that this rank owns, dense, x fastest
/// @param excluded  which of these points are left out; empty on all ranks or on none
FieldStatistics field_statistics(mpi::Communicator const& ranks, Subdomain const& subdomain,
                                 ConstValues values, PointMask const& excluded = {});

/// Returns the range of the values at the points of a set that take part in the heat flow; empty if
/// no point of any rank does. Collective.
ValueRange range_over(mpi::Communicator const& ranks, Subdomain const& subdomain,
                      ConstValues values, PointMask const& excluded, PointSet const& points);

/// Returns the largest value at the points of some slices; −∞ if all of them are excluded.
/// Collective.
double largest_on(mpi::Communicator const& ranks, Subdomain const& subdomain,
                  std::vector<Slice> const& slices, ConstValues values, PointMask const& excluded);

}  // namespace isotherm::app
