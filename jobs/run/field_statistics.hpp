#pragma once

#include "decomposition/grid/subdomain.hpp"
#include "decomposition/ranks/mpi.hpp"
#include "solver/problem/values.hpp"

namespace isotherm {

/// Extremes and mean of a field over the points of all ranks.
struct FieldStatistics {
  double least = 0.0;
  double largest = 0.0;
  /// By the trapezoidal rule: each point counts by its control volume. Its last digits depend on
  /// the number of ranks; of equal values it is that value.
  double mean = 0.0;
};

/// Extremes and mean of a field, summed in float64. Collective.
/// @param values  of the points that this rank owns, dense, x fastest
FieldStatistics field_statistics(mpi::Communicator const& ranks, Subdomain const& subdomain,
                                 ConstValues values);

}  // namespace isotherm
