#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "decomposition/ranks/mpi.hpp"
#include "decomposition/transport/transport_description.hpp"
#include "kernels/core/error.hpp"
#include "kernels/core/queue/queue.hpp"

namespace isotherm {

/// Thrown if the requested transport cannot carry messages here. The message gives the obstacle and
/// names another transport.
class TransportRefusal : public InputError {
 public:
  using InputError::InputError;
};

/// The ways to send halo messages between ranks.
enum class TransportKind {
  automatic,  ///< the fastest one that works, chosen for each message
  staged,     ///< MPI through pinned host memory (host staging)
  mpi,        ///< MPI on the queue's own memory; on CUDA it must accept device pointers
  peer,       ///< the sender writes into the neighbour's memory, within a host
  nccl,       ///< NVIDIA's collective communication library
};

/// All kinds, in the order in which users see them.
inline constexpr std::array transport_kinds{TransportKind::automatic, TransportKind::staged,
                                            TransportKind::mpi, TransportKind::peer,
                                            TransportKind::nccl};

/// Returns the name in case files: "auto", "staged", "mpi", "peer" or "nccl".
std::string name(TransportKind kind);
/// Returns all names, separated by `separator`.
std::string transport_names(std::string_view separator);
/// Returns the kind with this name.
/// @throws InputError  if there is none; the message lists the valid names
TransportKind transport_from_name(std::string const& name);

/// A pair of messages, one in each direction, between this rank and one neighbour in one exchange.
struct Message {
  int peer = 0;         ///< rank in the communicator; may be this rank itself
  int send_tag = 0;     ///< equal to the receive_tag of the peer's matching message
  int receive_tag = 0;  ///< unique among the messages from one peer
  std::size_t send_bytes = 0;
  std::size_t receive_bytes = 0;
};

/// Exchanges a fixed set of messages, any number of times. All ranks call begin() and finish() in
/// the same order.
///
///     auto transport = make_transport(TransportKind::automatic, ranks, queue, messages);
///     // enqueue work that writes transport->outgoing(i) for each message i
///     transport->begin(queue);
///     transport->finish(queue);
///     // enqueue work that reads transport->incoming(i)
///
/// Work on the queue can access both ranges, which lie in this rank's memory or in the neighbour's.
/// They may change from one exchange to the next, so ask for them each time.
///
/// The transports differ in who waits. With `peer` and `nccl` the host only enqueues work, and the
/// devices wait for each other. With `mpi` and `staged` the host waits for the messages in
/// finish(), so work enqueued between the calls on another queue overlaps with them.
class Transport {
 public:
  virtual ~Transport() = default;
  /// Describes how the messages are sent, and why no faster way is used. The same on every rank.
  [[nodiscard]] virtual TransportDescription description() const = 0;

  /// Returns the range for message i of the next begin(), aligned to 256 bytes.
  [[nodiscard]] virtual std::byte* outgoing(std::size_t i) = 0;
  /// Returns the range of message i of the last finish(), aligned to 256 bytes. It is valid until
  /// the next begin().
  [[nodiscard]] virtual std::byte const* incoming(std::size_t i) = 0;

  /// True if begin() and finish() only enqueue work, and the host never waits for messages.
  [[nodiscard]] virtual bool enqueues_only() const { return false; }

  /// Starts sending the outgoing ranges, as the work enqueued on `queue` before leaves them.
  virtual void begin(Queue& queue) = 0;
  /// Makes work enqueued on `queue` from now on find the messages of the last begin() in the
  /// incoming ranges. It returns when the host has done its part, possibly long before the messages
  /// arrive.
  virtual void finish(Queue& queue) = 0;
};

/// Checks if a transport is possible at all, before anything is allocated. Collective.
/// @throws InputError  on every rank, if `kind` cannot work with this backend here
void check_transport(TransportKind kind, mpi::Communicator const& ranks, Backend backend);

/// Makes a transport. `ranks` and `queue` must outlive it, and all ranks must destroy it together.
/// Collective.
///
/// `automatic` uses the fastest transport that works, separately for messages within a host and
/// between hosts (choice/fastest.hpp). Each transport except `staged` must deliver a test message
/// first.
/// @throws InputError  on every rank, if `kind` cannot work here; the message names an alternative
std::unique_ptr<Transport> make_transport(TransportKind kind, mpi::Communicator const& ranks,
                                          Queue& queue, std::vector<Message> const& messages);

/// Returns an upper bound on the memory in bytes that make_transport() allocates; see
/// Buffer::footprint. The memory of libraries, especially of NCCL, is not known and not included.
std::size_t transport_footprint(TransportKind kind, Backend backend,
                                std::vector<Message> const& messages);

}  // namespace isotherm
