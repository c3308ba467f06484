#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "decomposition/mpi.hpp"
#include "kernels/queue.hpp"

namespace isotherm {

/// How halo bytes travel between ranks.
enum class TransportKind {
  automatic,   ///< the fastest that works here
  mpi_host,    ///< MPI from and to host memory; on CUDA staged through pinned memory
  mpi_device,  ///< MPI from and to device memory; needs an MPI library that takes it
};

/// The names of the case file: "auto", "mpi", "mpi-device".
std::string name(TransportKind kind);
/// @throws InputError  naming the valid ones
TransportKind transport_from_name(std::string const& name);

/// What goes to and comes from one neighbour in one exchange; both ranges lie in the queue's
/// memory (host memory on the CPU) and stay where they are for the transport's life.
struct Message {
  int peer = 0;      ///< rank in the communicator
  int send_tag = 0;  ///< equal to the receive_tag of the peer's matching message
  int receive_tag = 0;
  std::byte const* send = nullptr;
  std::byte* receive = nullptr;
  std::size_t send_bytes = 0;
  std::size_t receive_bytes = 0;
};

/// Moves a fixed set of messages, again and again.
class Transport {
 public:
  virtual ~Transport() = default;
  [[nodiscard]] virtual std::string description() const = 0;
  /// Starts sending what the work enqueued on `queue` so far has put into the send ranges.
  virtual void begin(Queue& queue) = 0;
  /// Waits until the messages of the last begin() have arrived; work enqueued on `queue` from now
  /// on sees them in the receive ranges.
  virtual void finish(Queue& queue) = 0;
};

/// Collective. @throws InputError  on every rank, where `kind` cannot work with this backend here
void check_transport(TransportKind kind, mpi::Communicator const& ranks, Backend backend);

/// @throws InputError  where `kind` cannot work here (says why, and what to ask for instead)
std::unique_ptr<Transport> make_transport(TransportKind kind, mpi::Communicator const& ranks,
                                          Queue& queue, std::vector<Message> messages);

}  // namespace isotherm
