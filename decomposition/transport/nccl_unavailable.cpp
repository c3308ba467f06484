#include "decomposition/transport/nccl.hpp"
#include "kernels/core/error.hpp"

// Stands in for nccl.cpp in builds without CUDA, or without NCCL's header.

namespace isotherm {

// The same text on every rank, as in nccl.cpp: all ranks run the same build.
std::string obstacle_to_nccl(mpi::Communicator const&, Queue&) {
  return "this build does not know NCCL";
}

std::unique_ptr<Transport> make_nccl_transport(mpi::Communicator const&, Queue&,
                                               std::vector<Message> const&) {
  throw Error("NCCL was asked for, but this build does not know it (configure where nccl.h is)");
}

}  // namespace isotherm
