#include "decomposition/transport/staged.hpp"

#include <algorithm>
#include <utility>

#include "decomposition/transport/messages/message_buffers.hpp"
#include "decomposition/transport/mixed.hpp"
#include "decomposition/transport/staged/shared_ring.hpp"
#include "decomposition/transport/staged/staged_mpi.hpp"

namespace isotherm {

std::size_t staged_footprint(Backend backend, std::vector<Message> const& messages) {
  std::size_t bytes = MessageBuffer::footprint(backend, Space::device, send_sizes(messages)) +
                      MessageBuffer::footprint(backend, Space::device, receive_sizes(messages));
  // Shared memory is allocated even if it carries no message.
  bytes += shared_footprint(backend, Message{});
  // Which of the two ways carries a message depends on the hosts of the ranks.
  for (Message const& message : messages) {
    bytes += std::max(shared_footprint(backend, message), staged_mpi_footprint(backend, message));
  }
  return bytes;
}

std::unique_ptr<Transport> make_staged_transport(mpi::Communicator const& ranks, Queue& queue,
                                                 std::vector<Message> const& messages) {
  SharedShare near = make_shared_transport(ranks, queue, messages);
  PartialTransport far = remaining(near.share, messages);
  // All ranks must agree here: each of the two transports is collective.
  if (!ranks.any(!far.messages.empty())) return std::move(near.share.transport);
  far.transport = make_staged_mpi_transport(ranks, queue, chosen(messages, far.messages));
  TransportDescription const description = far.transport->description();
  std::vector<PartialTransport> shares;
  // MPI first: its finish() starts the sends, and then other ranks need this one no longer.
  shares.push_back(std::move(far));
  shares.push_back(std::move(near.share));
  return make_mixed_transport(std::move(shares), messages.size(), description);
}

}  // namespace isotherm
