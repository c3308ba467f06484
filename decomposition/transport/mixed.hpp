#pragma once

#include <memory>
#include <vector>

#include "decomposition/transport/transport.hpp"

namespace isotherm {

/// A transport for some of the messages of an exchange: the transport numbers them from 0, in the
/// order of the list.
struct PartialTransport {
  std::unique_ptr<Transport> transport;
  std::vector<std::size_t> messages;  ///< numbers in the exchange of the messages that it carries
};

/// Returns the messages with these numbers.
std::vector<Message> chosen(std::vector<Message> const& messages,
                            std::vector<std::size_t> const& numbers);

/// Returns a share, without a transport yet, of all messages that are not in `share`.
PartialTransport remaining(PartialTransport const& share, std::vector<Message> const& messages);

/// Combines several transports into one. Each of the `message_count` messages belongs to exactly
/// one of the shares.
/// @param shares  in the order in which begin() and finish() call them
/// @param description  of the transports that any rank uses, which may be more than this rank's
std::unique_ptr<Transport> make_mixed_transport(std::vector<PartialTransport> shares,
                                                std::size_t message_count,
                                                TransportDescription description);

}  // namespace isotherm
