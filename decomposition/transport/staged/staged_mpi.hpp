#pragma once

#include <memory>
#include <vector>

#include "decomposition/transport/transport.hpp"

namespace isotherm {

/// Makes a transport by MPI through pinned memory of this rank. Long messages travel in pieces: a
/// piece is sent as soon as it has been copied down, and copied up as soon as it has arrived, while
/// others are on their way. Collective.
std::unique_ptr<Transport> make_staged_mpi_transport(mpi::Communicator const& ranks, Queue& queue,
                                                     std::vector<Message> const& messages);

/// Returns an upper bound on the pinned memory in bytes that it allocates for a message, without
/// that of the MPI library; see Buffer::footprint.
std::size_t staged_mpi_footprint(Backend backend, Message const& message);

}  // namespace isotherm
