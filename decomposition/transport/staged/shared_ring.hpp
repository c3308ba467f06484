#pragma once

#include <memory>
#include <string>
#include <vector>

#include "decomposition/transport/mixed.hpp"

namespace isotherm {

/// The part of an exchange that host memory of one host can carry.
struct SharedShare {
  PartialTransport share;  ///< messages between ranks of a host; possibly none
  std::string obstacle;    ///< why some messages are missing; empty if none is
};

/// Makes a transport through pinned host memory that the ranks of a host share, without MPI.
///
/// A message travels in pieces through a ring of slots in the receiver's block. While the
/// receiver's device copies one piece up, the sender's copies the next one down. The hosts pass two
/// counters: how many pieces have been copied down, and how many have been copied up. Collective.
///
///     sender's device              receiver's block                     receiver's device
///     copy a piece down ─────────> slot (piece number mod 4)
///     host: filled += 1 ─────────> filled
///                                  slot ──────────────────────────────> copy it up
///                                  emptied <─────────── host: emptied += 1
SharedShare make_shared_transport(mpi::Communicator const& ranks, Queue& queue,
                                  std::vector<Message> const& messages);

/// Returns an upper bound on the memory in bytes that it allocates for a message that it carries;
/// see Buffer::footprint.
std::size_t shared_footprint(Backend backend, Message const& message);

}  // namespace isotherm
