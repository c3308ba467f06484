#pragma once

#include <memory>
#include <vector>

#include "decomposition/transport/transport.hpp"

namespace isotherm {

/// How the transport `auto` chooses among those that work.
enum class Choice {
  by_order,  ///< peer memory, MPI on the queue's memory, NCCL, MPI through host memory
  by_rate,   ///< the fastest, as measured
};

/// Returns by_rate for several ranks on devices. Otherwise nothing is measured: peer memory
/// precedes MPI. Collective.
Choice default_choice(mpi::Communicator const& ranks, Queue const& queue);

/// Makes the transport `auto`: a transport that works, separately for messages within a host, as
/// far as peer memory carries them, and for the others. Collective.
///
/// By rate, the transports that work are measured, with the messages at hand and with short ones.
/// That takes less than a third of a second. The rates are remembered for the communicator. Later
/// exchanges are chosen by them, unless they are more than twice as large. Within a host NCCL is
/// not tried if peer memory works, because it uses the same links and takes a second to start.
std::unique_ptr<Transport> make_fastest(mpi::Communicator const& ranks, Queue& queue,
                                        std::vector<Message> const& messages, Choice choice);

}  // namespace isotherm
