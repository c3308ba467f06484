#pragma once

#include <memory>
#include <vector>

#include "decomposition/transport/transport.hpp"

namespace isotherm {

/// MPI through pinned host memory, on any queue: copied down behind the work that fills the
/// messages, sent while the device goes on, copied up one by one as they arrive. Collective.
std::unique_ptr<Transport> make_staged_transport(mpi::Communicator const& ranks, Queue& queue,
                                                 std::vector<Message> const& messages);

/// See Buffer::footprint. Without what the MPI library takes.
std::size_t staged_footprint(Backend backend, std::vector<Message> const& messages);

}  // namespace isotherm
