#pragma once

#include <vector>

#include "decomposition/transport/transport.hpp"

namespace isotherm {

/// Whether test messages through `transport`, as long as the real ones but at most some tens of
/// kilobytes of each looked at, arrive intact on every rank. Collective.
bool carries(mpi::Communicator const& ranks, Queue& queue, Transport& transport,
             std::vector<Message> const& messages);

/// The test message's two ends, to be written and compared.
void write_test_message(Queue& queue, std::byte* to, std::size_t bytes, int from, int tag);
bool is_test_message(Queue& queue, std::byte const* from, std::size_t bytes, int sender, int tag);

}  // namespace isotherm
