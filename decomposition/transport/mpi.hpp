#pragma once

#include <memory>
#include <string>
#include <vector>

#include "decomposition/transport/transport.hpp"

namespace isotherm {

/// Returns the reason why MPI cannot be given the queue's own memory; empty if it can. The same on
/// every rank. Collective.
std::string obstacle_to_mpi(mpi::Communicator const& ranks, Backend backend);

/// Makes a transport that passes the queue's own memory to MPI. On a device the MPI library must
/// accept device pointers (CUDA-aware MPI). Collective.
std::unique_ptr<Transport> make_mpi_transport(mpi::Communicator const& ranks, Queue& queue,
                                              std::vector<Message> const& messages);

/// Returns an upper bound on its memory in bytes, without that of the MPI library; see
/// Buffer::footprint.
std::size_t mpi_footprint(Backend backend, std::vector<Message> const& messages);

}  // namespace isotherm
