#pragma once

#include <mpi.h>

#include <type_traits>

namespace isotherm::mpi {

/// Returns MPI's name for float or double.
template <class Real>
MPI_Datatype real_type() {
  return std::is_same_v<Real, float> ? MPI_FLOAT : MPI_DOUBLE;
}

}  // namespace isotherm::mpi
