#pragma once

#include <vector>

#include "decomposition/transport/transport.hpp"

namespace isotherm {

/// Returns true if test messages through `transport` arrive intact on every rank. They have the
/// length of the real messages; only their first and last 16 KiB are written and compared.
/// Collective.
///
/// A library may report support for device memory, or open a neighbour's memory without an error,
/// and still transfer nothing. A test message proves that the way works.
bool carries(mpi::Communicator const& ranks, Queue& queue, Transport& transport,
             std::vector<Message> const& messages);

/// Writes the first and the last bytes of a test message. Waits for the queue.
/// @param from  the sending rank; the pattern depends on it and on the tag
void write_test_message(Queue& queue, std::byte* to, std::size_t bytes, int from, int tag);
/// Returns true if a range holds the test message of `sender` with this tag, by its first and last
/// bytes. Waits for the queue.
bool is_test_message(Queue& queue, std::byte const* from, std::size_t bytes, int sender, int tag);

}  // namespace isotherm
