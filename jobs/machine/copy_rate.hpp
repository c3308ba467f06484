#pragma once

#include <cstddef>

#include "solver/solver.hpp"

namespace isotherm {

/// Bytes that are copied to learn how fast `backend` copies through memory: as many as a rank's
/// field has, at least so many that caches are left behind (512 MiB on CUDA, 64 MiB on the CPU), at
/// most 1 GiB, so that it stays quick. On the CPU no more than a quarter of what the rank may have
/// of the host's memory, but 1 MiB at least.
std::size_t bytes_to_copy(Backend backend, std::size_t field_bytes, std::size_t free_host_bytes);

/// Bytes per second that plain copies through memory read and write on all devices at once, in
/// memory that the solver left free: what runs and benchmarks relate their own rates to. A field
/// that caches hold can be swept faster. Collective.
double copy_rate(mpi::Communicator const& ranks, Problem const& problem, Solver& solver);

}  // namespace isotherm
