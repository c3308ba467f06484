#pragma once

#include <cstddef>

#include "solver/solver.hpp"

namespace isotherm::app {

/// Returns the number of bytes to copy when the memory bandwidth of `backend` is measured. It is
/// the size of a rank's field, but at least 512 MiB on CUDA or 64 MiB on the CPU, to exceed the
/// caches. It is at most 1 GiB, for a short measurement. On the CPU it is also at most a quarter of
/// the host memory available to the rank, but at least 1 MiB.
/// @param field_bytes      size of the rank's part of the field
/// @param free_host_bytes  this rank's share of the free memory of its host; unused on CUDA
std::size_t bytes_to_copy(Backend backend, std::size_t field_bytes, std::size_t free_host_bytes);

/// Measures the sum of the ranks' copy bandwidths, in bytes per second read and written. Runs and
/// benchmarks compare their own rates with it: it bounds the rate of a memory-bound sweep. A field
/// that fits into caches can be swept faster. Collective.
///
/// Each rank copies as many bytes as its part of the field has, within the bounds of
/// bytes_to_copy(). The buffers are allocated in addition to the solver's memory and released
/// before the function returns.
/// @param solver  provides the queue and the size of the rank's part; its field is not changed
///
///   double const share = bytes_per_second_of_sweep / copy_rate(ranks, problem, *solver);
double copy_rate(mpi::Communicator const& ranks, Problem const& problem, Solver& solver);
/// Does the same on a queue, for fields of this size on each rank. Collective.
double copy_rate(mpi::Communicator const& ranks, Queue& queue, std::size_t field_bytes);

}  // namespace isotherm::app
