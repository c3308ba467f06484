#pragma once

#include <memory>
#include <string>
#include <vector>

#include "decomposition/transport/mixed.hpp"

namespace isotherm {

/// The part of an exchange that peer memory can carry.
struct PeerShare {
  PartialTransport share;  ///< messages whose test message arrived; possibly none
  std::string obstacle;    ///< why some messages are missing; empty if none is
};

/// Makes a transport whose sender writes directly into the receiver's memory, within one host. On
/// CUDA it uses NVLink or PCIe, on the CPU memory that the processes share.
///
/// A flag next to each message signals that the message is complete. On CUDA the devices raise and
/// await the flags, so the host never waits. Both ends of a message agree on the transport that
/// carries it. Collective.
///
///     sender                                  receiver's block
///     pack ──────────────────────────────────> range (n mod 2) of message i
///     raise the flag to n ───────────────────> flag of message i
///                                              await flag >= n, then unpack
PeerShare make_peer_transport(mpi::Communicator const& ranks, Queue& queue,
                              std::vector<Message> const& messages);

/// Makes such a transport for all messages. If it cannot carry any message of any rank, it returns
/// null and sets `obstacle` on every rank. Collective.
std::unique_ptr<Transport> make_whole_peer(mpi::Communicator const& ranks, Queue& queue,
                                           std::vector<Message> const& messages,
                                           std::string& obstacle);

/// Returns an upper bound on its memory in bytes, which does not depend on how many messages it
/// carries; see Buffer::footprint.
std::size_t peer_footprint(Backend backend, std::vector<Message> const& messages);

}  // namespace isotherm
