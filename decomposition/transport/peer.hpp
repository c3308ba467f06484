#pragma once

#include <memory>
#include <string>
#include <vector>

#include "decomposition/transport/mixed.hpp"

namespace isotherm {

/// What peer memory can carry of an exchange.
struct PeerShare {
  PartialTransport share;  ///< of the messages that a test message proved to arrive; maybe none
  std::string obstacle;    ///< why it is not all of them; empty where it is
};

/// Messages that the sender's work writes straight into memory of the receiver's, inside a host: on
/// CUDA through NVLink or PCIe, on the CPU in memory that the processes share. Flags beside the
/// messages say that they are whole; on CUDA it is the devices that set and await them, so the host
/// waits for nothing. Collective: neighbours agree on what is carried.
PeerShare make_peer_transport(mpi::Communicator const& ranks, Queue& queue,
                              std::vector<Message> const& messages);

/// What it takes at most, see Buffer::footprint; also where it carries some messages only.
std::size_t peer_footprint(Backend backend, std::vector<Message> const& messages);

}  // namespace isotherm
