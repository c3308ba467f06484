#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "decomposition/ranks/mpi.hpp"
#include "kernels/core/error.hpp"
#include "kernels/core/queue.hpp"

namespace isotherm {

/// What was asked for cannot carry messages here: the obstacle, and what to ask for instead.
class TransportRefusal : public InputError {
 public:
  using InputError::InputError;
};

/// How halo messages are sent between ranks.
enum class TransportKind {
  automatic,  ///< for each neighbour the fastest one that works
  staged,     ///< MPI from and to pinned host memory, to and from which a device copies
  mpi,        ///< MPI from and to the queue's own memory; on CUDA it must take device pointers
  peer,       ///< written straight into the neighbour's memory, within a host
  nccl,       ///< NVIDIA's collective communication library
};

inline constexpr std::array transport_kinds{TransportKind::automatic, TransportKind::staged,
                                            TransportKind::mpi, TransportKind::peer,
                                            TransportKind::nccl};

/// The names of the case file: "auto", "staged", "mpi", "peer", "nccl".
std::string name(TransportKind kind);
/// All of them, in the order of `transport_kinds`.
std::string transport_names(std::string_view separator);
/// @throws InputError  naming the valid ones
TransportKind transport_from_name(std::string const& name);

/// What is sent to, and received from, one neighbour in one exchange.
struct Message {
  int peer = 0;         ///< rank in the communicator; may be this rank itself
  int send_tag = 0;     ///< equal to the receive_tag of the peer's matching message
  int receive_tag = 0;  ///< no two messages from one peer have the same
  std::size_t send_bytes = 0;
  std::size_t receive_bytes = 0;
};

/// Exchanges a fixed set of messages, any number of times:
///
/// work on the queue writes outgoing(i) → begin → finish → work on the queue reads incoming(i).
///
/// All ranks call these in the same order. The queue's work can access both ranges, which lie in
/// this rank's memory or in the neighbour's, and may change from one exchange to the next.
class Transport {
 public:
  virtual ~Transport() = default;
  /// How the messages are sent, and why not in a faster way, in a few words.
  [[nodiscard]] virtual std::string description() const = 0;

  /// Where message `i` of the next begin() is to be written, aligned to 256 bytes.
  [[nodiscard]] virtual std::byte* outgoing(std::size_t i) = 0;
  /// Where message `i` of the last finish() lies until the next begin(), aligned to 256 bytes.
  [[nodiscard]] virtual std::byte const* incoming(std::size_t i) = 0;

  /// True where begin() and finish() only enqueue work, and the host never waits for messages.
  [[nodiscard]] virtual bool enqueues_only() const { return false; }

  /// Starts sending the outgoing ranges, as the work enqueued on `queue` so far leaves them.
  virtual void begin(Queue& queue) = 0;
  /// Work enqueued on `queue` from now on finds the messages of the last begin() in the incoming
  /// ranges. Returns when the host has done its part, which may be long before they arrive.
  virtual void finish(Queue& queue) = 0;
};

/// Collective. @throws InputError  on every rank, where `kind` cannot work with this backend here
void check_transport(TransportKind kind, mpi::Communicator const& ranks, Backend backend);

/// Collective. `ranks` and `queue` outlive the transport, and all ranks end it together.
/// @throws InputError  on every rank, where `kind` cannot work here: says why, and what to ask for
std::unique_ptr<Transport> make_transport(TransportKind kind, mpi::Communicator const& ranks,
                                          Queue& queue, std::vector<Message> const& messages);

/// Bytes that make_transport() takes at most, see Buffer::footprint. What libraries take for
/// themselves, NCCL above all, is not known.
std::size_t transport_footprint(TransportKind kind, Backend backend,
                                std::vector<Message> const& messages);

}  // namespace isotherm
