#pragma once

#include <memory>
#include <string>
#include <vector>

#include "decomposition/transport/transport.hpp"

namespace isotherm {

/// Returns the reason why NCCL cannot be used; empty if it works on every rank. It requires a build
/// with NCCL's header, an installed library, and one GPU per rank. The text is the same on every
/// rank. Collective.
///
/// If nothing obstructs it, the call starts NCCL for these ranks, which may take a second. All
/// later transports of the same ranks share the communicator.
std::string obstacle_to_nccl(mpi::Communicator const& ranks, Queue& queue);

/// Makes a transport by NCCL's send and receive, which are enqueued on the queue: the host never
/// waits for messages. Collective.
/// @pre  obstacle_to_nccl() has returned an empty text for the same ranks and queue
std::unique_ptr<Transport> make_nccl_transport(mpi::Communicator const& ranks, Queue& queue,
                                               std::vector<Message> const& messages);

}  // namespace isotherm
