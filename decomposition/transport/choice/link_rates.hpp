#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "decomposition/transport/transport.hpp"

namespace isotherm {

/// The time of an exchange of two sizes by one transport, or why it carries nothing.
struct LinkRate {
  TransportKind kind = TransportKind::staged;
  std::string obstacle{};      ///< empty if it works
  double small_seconds = 0.0;  ///< for messages that are cut to small_message_bytes
  double large_seconds = 0.0;  ///< for the messages of the case

  /// Estimates the seconds for another size: between and beyond the two sizes linear in the bytes.
  /// @param small_bytes, large_bytes  of the two measured exchanges
  [[nodiscard]] double seconds_for(double bytes, double small_bytes, double large_bytes) const;
};

/// The measured times of the transports between the ranks of a communicator, within a host or also
/// between hosts. The same on every rank.
struct LinkRates {
  double small_bytes = 0.0;  ///< maximum over ranks, sent in the smaller exchange
  double large_bytes = 0.0;
  std::vector<LinkRate> links{};  ///< in the order of preference

  /// Returns the transports that work, the fastest first for an exchange of `bytes` bytes. If two
  /// differ by less than a tenth, the preferred one comes first.
  [[nodiscard]] std::vector<TransportKind> ranking(double bytes) const;
  /// Describes the rate of one transport for an exchange of `bytes` bytes, for example "245 GB/s".
  [[nodiscard]] std::string rate_of(TransportKind kind, double bytes) const;
  /// Describes the others: their rates, or why they do not work.
  [[nodiscard]] std::string others_than(TransportKind kind, double bytes) const;
  /// Describes why a transport is chosen: its own rate, and then the others.
  [[nodiscard]] std::string reasons_for(TransportKind kind, double bytes) const;
};

/// Length to which messages are cut to measure the latency.
inline constexpr std::size_t small_message_bytes = 4096;

/// Maximum size of the device memory that measure_exchange() allocates meanwhile.
inline constexpr std::size_t max_measuring_bytes = std::size_t{16} << 20;

/// Measures the seconds of an exchange: the minimum over several exchanges of the maximum over
/// ranks. Waits.
///
/// It includes writing the outgoing ranges and reading the incoming ones, because peer memory moves
/// the bytes while they are packed. Takes approximately 10 ms, or two exchanges if they take
/// longer. Collective.
double measure_exchange(mpi::Communicator const& ranks, Queue& queue, Transport& transport,
                        std::vector<Message> const& messages);

/// The rates that are remembered for a communicator.
struct TransportRates {
  std::optional<LinkRates> within_host{};
  std::optional<LinkRates> any_host{};
};

/// Returns the rates of these ranks, initially empty. They are destroyed with the communicator.
TransportRates& remembered_rates(mpi::Communicator const& ranks);

}  // namespace isotherm
