#pragma once

#include <vector>

#include "decomposition/transport/transport.hpp"

namespace isotherm {

/// Exchanges one value per message with the message's peer: sends mine[i], and returns the peer's
/// value for the matching message. Values are copied as bytes. Collective.
///
/// Transports use it while they are set up, for addresses, handles and results of tests. It returns
/// when all values have arrived.
///
///     std::vector<Handle> const theirs = swapped(ranks, messages, my_handles);
/// @pre  Value is trivially copyable
template <class Value>
std::vector<Value> swapped(mpi::Communicator const& ranks, std::vector<Message> const& messages,
                           std::vector<Value> const& mine) {
  // A communicator of its own, so these messages never match those of an exchange.
  auto const comm = mpi::duplicate(ranks.get());
  std::vector<Value> theirs(messages.size());
  // The tags are those of Message with sender and receiver swapped; the peer does the same.
  std::vector<MPI_Request> requests(2 * messages.size(), MPI_REQUEST_NULL);
  for (std::size_t i = 0; i < messages.size(); ++i) {
    mpi::check(MPI_Irecv(&theirs[i], sizeof(Value), MPI_BYTE, messages[i].peer,
                         messages[i].send_tag, comm.get(), &requests[2 * i]));
    mpi::check(MPI_Isend(&mine[i], sizeof(Value), MPI_BYTE, messages[i].peer,
                         messages[i].receive_tag, comm.get(), &requests[2 * i + 1]));
  }
  mpi::check(MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE));
  return theirs;
}

}  // namespace isotherm
