#pragma once

#include <memory>
#include <vector>

#include "decomposition/transport/transport.hpp"

namespace isotherm {

/// Makes a transport by MPI through pinned host memory (host staging), for any queue. Messages are
/// copied to the host behind the work that fills them, and sent while the device continues. They
/// are copied to the device one by one as they arrive. Collective.
std::unique_ptr<Transport> make_staged_transport(mpi::Communicator const& ranks, Queue& queue,
                                                 std::vector<Message> const& messages);

/// Returns an upper bound on its memory in bytes, without that of the MPI library; see
/// Buffer::footprint.
std::size_t staged_footprint(Backend backend, std::vector<Message> const& messages);

}  // namespace isotherm
