#pragma once

#include <memory>
#include <vector>

#include "decomposition/transport/transport.hpp"

namespace isotherm {

/// MPI from and to the queue's own memory, whatever its kind: the MPI library must take such
/// pointers. Collective.
std::unique_ptr<Transport> make_mpi_transport(mpi::Communicator const& ranks, Queue& queue,
                                              std::vector<Message> const& messages);

/// See Buffer::footprint. Without what the MPI library takes.
std::size_t mpi_footprint(Backend backend, std::vector<Message> const& messages);

}  // namespace isotherm
