#include "decomposition/transport/transport.hpp"

#include <array>
#include <utility>

#include "decomposition/transport/mpi_device.hpp"
#include "decomposition/transport/mpi_host.hpp"
#include "kernels/error.hpp"

namespace isotherm {
namespace {

constexpr std::array all_kinds{TransportKind::automatic, TransportKind::mpi_host,
                               TransportKind::mpi_device};

/// Why device memory cannot be sent here; empty where it can. The same on every rank. Collective.
std::string obstacle_to_mpi_device(mpi::Communicator const& ranks, Backend backend) {
  if (ranks.any(backend == Backend::cpu)) {
    return "a run on the CPU has no device memory";
  }
  if (ranks.any(!mpi::accepts_device_memory())) {
    return mpi::library_version() + " does not take pointers to device memory";
  }
  return {};
}

}  // namespace

std::string name(TransportKind kind) {
  switch (kind) {
    case TransportKind::automatic:
      return "auto";
    case TransportKind::mpi_host:
      return "mpi";
    case TransportKind::mpi_device:
      return "mpi-device";
  }
  throw Error("a transport kind without a name");
}

TransportKind transport_from_name(std::string const& wanted) {
  std::string valid;
  for (TransportKind const kind : all_kinds) {
    if (name(kind) == wanted) {
      return kind;
    }
    valid += (valid.empty() ? "\"" : ", \"") + name(kind) + "\"";
  }
  throw InputError("there is no transport \"" + wanted + "\"; the transports are " + valid);
}

void check_transport(TransportKind kind, mpi::Communicator const& ranks, Backend backend) {
  if (kind != TransportKind::mpi_device) {
    return;
  }
  std::string const obstacle = obstacle_to_mpi_device(ranks, backend);
  if (!obstacle.empty()) {
    throw InputError("transport \"" + name(kind) + "\" cannot work here: " + obstacle +
                     R"(; ask for "auto" or "mpi")");
  }
}

std::unique_ptr<Transport> make_transport(TransportKind kind, mpi::Communicator const& ranks,
                                          Queue& queue, std::vector<Message> messages) {
  if (kind == TransportKind::mpi_host) {
    return make_mpi_host_transport(ranks, queue, std::move(messages));
  }
  check_transport(kind, ranks, queue.backend());
  bool const direct = obstacle_to_mpi_device(ranks, queue.backend()).empty();
  return direct ? make_mpi_device_transport(ranks, queue, std::move(messages))
                : make_mpi_host_transport(ranks, queue, std::move(messages));
}

}  // namespace isotherm
