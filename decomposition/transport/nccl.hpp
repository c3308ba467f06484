#pragma once

#include <memory>
#include <string>
#include <vector>

#include "decomposition/transport/transport.hpp"

namespace isotherm {

/// Why NCCL cannot be used here; empty where it can, on every rank: this build knows it, its
/// library is installed, and each rank has a GPU of its own. Where nothing speaks against it,
/// starts NCCL for these ranks, which may take a second; what was started serves all transports of
/// the same ranks from then on. The same text on every rank. Collective.
std::string obstacle_to_nccl(mpi::Communicator const& ranks, Queue& queue);

/// NCCL's send and receive, enqueued on the queue: the host waits for nothing. Collective; only
/// where obstacle_to_nccl() is empty, for the same ranks and queue.
std::unique_ptr<Transport> make_nccl_transport(mpi::Communicator const& ranks, Queue& queue,
                                               std::vector<Message> const& messages);

}  // namespace isotherm
