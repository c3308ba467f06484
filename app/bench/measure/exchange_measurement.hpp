#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "app/machine/device_choice.hpp"
#include "decomposition/grid/subdomain.hpp"
#include "decomposition/transport/messages/message_set.hpp"
#include "decomposition/transport/transport.hpp"
#include "kernels/core/field.hpp"
#include "solver/problem/problem.hpp"

namespace isotherm {

/// The result of measuring one exchange with one transport.
struct ExchangeMeasurement {
  TransportKind kind = TransportKind::automatic;
  std::string obstacle{};          ///< the reason if nothing was measured, else empty
  std::string description{};       ///< description of the transport
  double seconds = 0.0;            ///< time of an exchange on the slowest rank
  double bytes = 0.0;              ///< sent by the rank that sends most
  std::optional<double> best_s{};  ///< staged: sum of the times of its parts

  /// Returns the bandwidth of the rank that sends most, in bytes per second.
  [[nodiscard]] double bytes_per_second() const { return bytes / seconds; }
  /// Returns the efficiency relative to the parts by themselves; only for staged transport.
  [[nodiscard]] std::optional<double> share_of_best() const {
    return best_s ? std::optional(*best_s / seconds) : std::nullopt;
  }
};

/// Measures messages of one size. Each rank sends to both neighbours in a ring of all ranks
/// simultaneously; with two ranks, both messages go to the other. All members are collective.
///
/// An exchange includes packing two planes of a field. Packing cannot be separated, because with
/// peer transport it writes directly to the neighbour's memory.
///
///     RingBench bench(ranks, device, 5, 1 << 20);
///     ExchangeMeasurement const measured = bench.measure(TransportKind::peer);
class RingBench {
 public:
  /// @param repeat  number of timed batches
  /// @param bytes  size of a message: a multiple of smallest_bytes
  RingBench(mpi::Communicator const& ranks, Device const& device, int repeat, std::size_t bytes);

  /// Returns whether every rank has memory for messages of `bytes` bytes.
  static bool fits(mpi::Communicator const& ranks, Device const& device, std::size_t bytes);
  /// The granularity of message sizes.
  static constexpr std::size_t smallest_bytes = 4096;

  /// Measures a transport. If it does not work here, the result has an obstacle.
  ExchangeMeasurement measure(TransportKind kind);

 private:
  /// Returns the time of packing and exchanging both messages.
  [[nodiscard]] double time_exchange(Transport& transport);
  /// Returns the sum of the times of packing and copying to the host, of MPI, and of copying back,
  /// each measured by itself.
  [[nodiscard]] double time_parts_of_staged();
  /// Enqueues packing both messages.
  void write(std::byte* first, std::byte* second);

  mpi::Communicator const& ranks_;
  int repeat_;
  std::vector<Message> messages_;
  Queue queue_;
  Field<float> planes_;  ///< one plane per message
};

/// Measures the halo exchange of a grid, without any computation between its begin and finish.
/// Collective.
/// @param depth  number of ghost layers
ExchangeMeasurement measure_halo_exchange(mpi::Communicator const& ranks, Device const& device,
                                          Subdomain const& subdomain, Precision precision,
                                          int depth, TransportKind kind, int repeat);

}  // namespace isotherm
