#pragma once

#include <memory>
#include <vector>

#include "decomposition/transport/transport.hpp"

namespace isotherm {

/// MPI from and to host memory. The messages of a CPU queue lie there already; those of a CUDA
/// queue pass through pinned memory: copied down behind the work that fills them, sent while the
/// device goes on, copied up one by one as they arrive. Collective.
std::unique_ptr<Transport> make_mpi_host_transport(mpi::Communicator const& ranks, Queue& queue,
                                                   std::vector<Message> messages);

}  // namespace isotherm
