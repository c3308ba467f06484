#pragma once

#include <memory>
#include <vector>

#include "decomposition/transport/transport.hpp"

namespace isotherm {

/// Makes the transport `auto`: the fastest that works, separately for messages within a host, as
/// far as peer memory carries them, and for the others. Collective.
///
/// On devices the transports that work are measured, with the messages at hand and with short ones.
/// That takes approximately 10 ms each. The rates are remembered for the communicator. Later
/// exchanges are chosen by them, unless they are more than twice as large. Within a host NCCL is
/// not tried if peer memory works, because it uses the same links and takes a second to start. On
/// CPUs nothing is measured: peer memory precedes MPI.
std::unique_ptr<Transport> make_fastest(mpi::Communicator const& ranks, Queue& queue,
                                        std::vector<Message> const& messages);

}  // namespace isotherm
