#pragma once

#include "decomposition/grid/subdomain.hpp"
#include "decomposition/ranks/mpi.hpp"
#include "solver/problem/values.hpp"

namespace isotherm {

/// Minimum, maximum and mean of a field over the points of all ranks.
struct FieldStatistics {
  double minimum = 0.0;  ///< minimum
  double largest = 0.0;  ///< maximum
  /// Mean by the trapezoidal rule: each point is weighted by its control volume. Its last digits
  /// depend on the number of ranks, since the order of summation does. The mean of equal values is
  /// exactly that value.
  double mean = 0.0;
};

/// Computes minimum, maximum and mean of a field; sums are in float64. Collective. Cost: one serial
/// pass over the rank's values, and four reductions over the ranks.
/// @param values  values of the points that this rank owns, dense, x fastest
FieldStatistics field_statistics(mpi::Communicator const& ranks, Subdomain const& subdomain,
                                 ConstValues values);

}  // namespace isotherm
