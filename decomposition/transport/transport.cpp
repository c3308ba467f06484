#include "decomposition/transport/transport.hpp"

#include <algorithm>
#include <utility>

#include "decomposition/transport/choice/fastest.hpp"
#include "decomposition/transport/choice/link_rates.hpp"
#include "decomposition/transport/mpi.hpp"
#include "decomposition/transport/nccl.hpp"
#include "decomposition/transport/peer/peer.hpp"
#include "decomposition/transport/staged.hpp"
#include "kernels/core/error.hpp"
#include "kernels/core/queue/memory.hpp"

namespace isotherm {
namespace {

/// Throws TransportRefusal with the obstacle and an alternative.
[[noreturn]] void refuse(TransportKind kind, std::string const& obstacle,
                         std::string const& instead) {
  throw TransportRefusal("transport \"" + name(kind) + "\" cannot work here: " + obstacle +
                         "; use " + instead);
}

/// The transport `nccl`, or a refusal on every rank.
std::unique_ptr<Transport> make_nccl(mpi::Communicator const& ranks, Queue& queue,
                                     std::vector<Message> const& messages) {
  std::string const obstacle = obstacle_to_nccl(ranks, queue);
  if (!obstacle.empty()) refuse(TransportKind::nccl, obstacle, R"("auto" or "staged")");
  return make_nccl_transport(ranks, queue, messages);
}

/// The transport `peer`, or a refusal on every rank if any message of any rank cannot be carried.
std::unique_ptr<Transport> make_peer(mpi::Communicator const& ranks, Queue& queue,
                                     std::vector<Message> const& messages) {
  std::string obstacle;
  auto transport = make_whole_peer(ranks, queue, messages, obstacle);
  if (transport == nullptr) refuse(TransportKind::peer, obstacle, R"("auto")");
  return transport;
}

/// Device memory that measuring the transports needs at most.
std::size_t measuring_bytes(std::vector<Message> const& messages) {
  std::size_t longest = 0;
  for (Message const& message : messages) longest = std::max(longest, message.send_bytes);
  return Buffer::footprint(Backend::cuda, Space::device, std::min(longest, max_measuring_bytes));
}

}  // namespace

std::string name(TransportKind kind) {
  switch (kind) {
    case TransportKind::automatic:
      return "auto";
    case TransportKind::staged:
      return "staged";
    case TransportKind::mpi:
      return "mpi";
    case TransportKind::peer:
      return "peer";
    case TransportKind::nccl:
      return "nccl";
  }
  throw Error("a transport kind without a name");
}

std::string transport_names(std::string_view separator) {
  std::string names;
  for (TransportKind const kind : transport_kinds) {
    names.append(names.empty() ? "" : separator).append(name(kind));
  }
  return names;
}

TransportKind transport_from_name(std::string const& wanted) {
  for (TransportKind const kind : transport_kinds) {
    if (name(kind) == wanted) return kind;
  }
  throw InputError("there is no transport \"" + wanted + "\"; the transports are \"" +
                   transport_names("\", \"") + "\"");
}

void check_transport(TransportKind kind, mpi::Communicator const& ranks, Backend backend) {
  if (kind == TransportKind::mpi) {
    std::string const obstacle = obstacle_to_mpi(ranks, backend);
    if (!obstacle.empty()) refuse(kind, obstacle, R"("auto" or "staged")");
  }
  // On devices, only make_transport() finds out if NCCL starts.
  if (kind == TransportKind::nccl && ranks.any(backend == Backend::cpu)) {
    refuse(kind, "a run on the CPU has no device memory", R"("auto" or "mpi")");
  }
}

std::unique_ptr<Transport> make_transport(TransportKind kind, mpi::Communicator const& ranks,
                                          Queue& queue, std::vector<Message> const& messages) {
  check_transport(kind, ranks, queue.backend());
  switch (kind) {
    case TransportKind::automatic:
      return make_fastest(ranks, queue, messages, default_choice(ranks, queue));
    case TransportKind::staged:
      return make_staged_transport(ranks, queue, messages);
    case TransportKind::mpi:
      return make_mpi_transport(ranks, queue, messages);
    case TransportKind::peer:
      return make_peer(ranks, queue, messages);
    case TransportKind::nccl:
      return make_nccl(ranks, queue, messages);
  }
  throw Error("an unknown transport kind");
}

std::size_t transport_footprint(TransportKind kind, Backend backend,
                                std::vector<Message> const& messages) {
  std::size_t const peer = peer_footprint(backend, messages);
  std::size_t const direct = mpi_footprint(backend, messages);  // the same for NCCL
  std::size_t const staged = staged_footprint(backend, messages);
  switch (kind) {
    case TransportKind::automatic:
      // The block of peer memory is sized for all messages, and kept even if it carries only some.
      // The others use another transport: on the CPU MPI on the queue's memory, on a device any of
      // the three.
      return peer + (backend == Backend::cpu
                         ? direct
                         : std::max(direct, staged) + measuring_bytes(messages));
    case TransportKind::staged:
      return staged;
    case TransportKind::mpi:
    case TransportKind::nccl:
      return direct;
    case TransportKind::peer:
      return peer;
  }
  throw Error("an unknown transport kind");
}

}  // namespace isotherm
