#include "decomposition/transport/nccl.hpp"
#include "kernels/core/error.hpp"

// Stands in for nccl.cpp in builds without CUDA, or without NCCL's header.

namespace isotherm {

// The same text on every rank, as in nccl.cpp: all ranks run the same build.
std::string obstacle_to_nccl(mpi::Communicator const&, Queue&) { return "this build has no NCCL"; }

std::unique_ptr<Transport> make_nccl_transport(mpi::Communicator const&, Queue&,
                                               std::vector<Message> const&) {
  throw Error("NCCL was requested, but this build has no NCCL (configure with nccl.h installed)");
}

}  // namespace isotherm
