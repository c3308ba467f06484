#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "decomposition/grid/subdomain.hpp"
#include "decomposition/transport/message_set.hpp"
#include "decomposition/transport/transport.hpp"
#include "jobs/machine/device_choice.hpp"
#include "kernels/core/field.hpp"
#include "solver/problem/problem.hpp"

namespace isotherm {

/// What one transport did with one exchange, over and over.
struct ExchangeMeasurement {
  TransportKind kind = TransportKind::automatic;
  std::string obstacle{};     ///< why nothing was measured; empty where it was
  std::string description{};  ///< of the transport
  double seconds = 0.0;       ///< an exchange on the slowest rank
  double bytes = 0.0;         ///< sent in it by the rank that sends most
  std::optional<double>
      best_s{};  ///< staged: what its parts take by themselves, one after the other

  [[nodiscard]] double bytes_per_second() const { return bytes / seconds; }
  /// How much of what its parts allow it reaches.
  [[nodiscard]] std::optional<double> share_of_best() const {
    return best_s ? std::optional(*best_s / seconds) : std::nullopt;
  }
};

/// Times messages of one size, from each rank to both neighbours in a ring of all ranks at once. Of
/// two ranks each gets both messages of the other. All members are collective.
///
/// An exchange includes what writes the messages, as it is this that carries them where they are
/// written straight into the neighbour's memory: two planes of a field are packed.
class RingBench {
 public:
  RingBench(mpi::Communicator const& ranks, Device const& device, int repeat, std::size_t bytes);

  /// True where every rank has the memory for messages of so many bytes.
  static bool fits(mpi::Communicator const& ranks, Device const& device, std::size_t bytes);
  /// All sizes of messages are multiples of this.
  static constexpr std::size_t smallest_bytes = 4096;

  ExchangeMeasurement measure(TransportKind kind);

 private:
  [[nodiscard]] double time_exchange(Transport& transport);
  [[nodiscard]] double time_parts_of_staged();
  /// Enqueues writing both messages.
  void write(std::byte* first, std::byte* second);

  mpi::Communicator const& ranks_;
  int repeat_;
  std::vector<Message> messages_;
  Queue queue_;
  Field<float> planes_;  ///< one of them a message
};

/// Times the exchanges of a grid's halo, of one depth, with nothing else to do between begin and
/// finish. Collective.
ExchangeMeasurement measure_halo_exchange(mpi::Communicator const& ranks, Device const& device,
                                          Subdomain const& subdomain, Precision precision,
                                          int depth, TransportKind kind, int repeat);

}  // namespace isotherm
