#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string>
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

/// How halo bytes travel between ranks.
enum class TransportKind {
  automatic,  ///< for each neighbour the fastest that works
  staged,     ///< MPI from and to pinned host memory, through which a device's bytes are copied
  mpi,        ///< MPI from and to the queue's own memory; on CUDA it must take device pointers
  peer,       ///< straight into the neighbour's memory, inside a host
  nccl,       ///< NVIDIA's collective communication library
};

inline constexpr std::array transport_kinds{TransportKind::automatic, TransportKind::staged,
                                            TransportKind::mpi, TransportKind::peer,
                                            TransportKind::nccl};

/// The names of the case file: "auto", "staged", "mpi", "peer", "nccl".
std::string name(TransportKind kind);
/// @throws InputError  naming the valid ones
TransportKind transport_from_name(std::string const& name);

/// What goes to and comes from one neighbour in one exchange.
struct Message {
  int peer = 0;         ///< rank in the communicator; may be this rank itself
  int send_tag = 0;     ///< equal to the receive_tag of the peer's matching message
  int receive_tag = 0;  ///< no two messages from one peer have the same
  std::size_t send_bytes = 0;
  std::size_t receive_bytes = 0;
};

/// Moves a fixed set of messages, again and again:
///
/// work on the queue writes outgoing(i) → begin → finish → work on the queue reads incoming(i).
///
/// All ranks take part in the same order. Both ranges lie where the queue's work can reach them, in
/// this rank's memory or in the neighbour's, and may be others in each exchange.
class Transport {
 public:
  virtual ~Transport() = default;
  /// How the bytes travel, and why not in a faster way, in a few words.
  [[nodiscard]] virtual std::string description() const = 0;

  /// Where message `i` of the next begin() is to be written, aligned to 256 bytes.
  [[nodiscard]] virtual std::byte* outgoing(std::size_t i) = 0;
  /// Where message `i` of the last finish() lies until the next begin(), aligned to 256 bytes.
  [[nodiscard]] virtual std::byte const* incoming(std::size_t i) = 0;

  /// True where begin() and finish() only enqueue work, and the host never waits for messages.
  [[nodiscard]] virtual bool enqueues_only() const { return false; }

  /// Starts sending what the work enqueued on `queue` so far has put into the outgoing ranges.
  virtual void begin(Queue& queue) = 0;
  /// Work enqueued on `queue` from now on finds the messages of the last begin() in the incoming
  /// ranges. Returns when the host's part is done, which may be long before they arrive.
  virtual void finish(Queue& queue) = 0;
};

/// Collective. @throws InputError  on every rank, where `kind` cannot work with this backend here
void check_transport(TransportKind kind, mpi::Communicator const& ranks, Backend backend);

/// Collective. `ranks` and `queue` outlive the transport, and all ranks end it together.
/// @throws InputError  on every rank, where `kind` cannot work here: says why, and what to ask for
std::unique_ptr<Transport> make_transport(TransportKind kind, mpi::Communicator const& ranks,
                                          Queue& queue, std::vector<Message> const& messages);

}  // namespace isotherm
