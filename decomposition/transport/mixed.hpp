#pragma once

#include <memory>
#include <string>
#include <vector>

#include "decomposition/transport/transport.hpp"

namespace isotherm {

/// A transport for some of an exchange's messages.
struct PartialTransport {
  std::unique_ptr<Transport> transport;
  std::vector<std::size_t> messages;  ///< number in the exchange of each message it carries
};

/// Several transports as one, each for its share of `message_count` messages; no message is in two.
/// @param description  of what all ranks use, which may be more than this one's shares
std::unique_ptr<Transport> make_mixed_transport(std::vector<PartialTransport> shares,
                                                std::size_t message_count, std::string description);

}  // namespace isotherm
