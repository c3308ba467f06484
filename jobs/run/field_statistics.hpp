#pragma once

#include "decomposition/ranks/mpi.hpp"
#include "solver/problem/values.hpp"

namespace isotherm {

/// What there is to say of a field at a glance, over the points of all ranks.
struct FieldStatistics {
  double least = 0.0;
  double largest = 0.0;
  double mean = 0.0;  ///< over points; its last digits depend on the number of ranks
};

/// The extremes and the mean of each rank's values, summed up in float64. Collective.
FieldStatistics field_statistics(mpi::Communicator const& ranks, ConstValues values);

}  // namespace isotherm
