#include "decomposition/transport/choice/fastest.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "decomposition/transport/choice/link_rates.hpp"
#include "decomposition/transport/mixed.hpp"
#include "decomposition/transport/mpi.hpp"
#include "decomposition/transport/nccl.hpp"
#include "decomposition/transport/peer/peer.hpp"
#include "decomposition/transport/probe.hpp"
#include "decomposition/transport/staged.hpp"
#include "kernels/core/error.hpp"

namespace isotherm {
namespace {

/// A transport with the reasons for its choice.
struct ChosenTransport {
  std::unique_ptr<Transport> transport;
  std::string reasons;  ///< see TransportDescription::Part
};

/// Bytes that a rank sends in an exchange; the maximum over ranks. Collective.
double bytes_sent(mpi::Communicator const& ranks, std::vector<Message> const& messages) {
  double bytes = 0.0;
  for (Message const& message : messages) bytes += static_cast<double>(message.send_bytes);
  return ranks.max(bytes);
}

/// The same messages, cut to a length at which latency dominates.
std::vector<Message> shortened(std::vector<Message> messages) {
  for (Message& message : messages) {
    message.send_bytes = std::min(message.send_bytes, small_message_bytes);
    message.receive_bytes = std::min(message.receive_bytes, small_message_bytes);
  }
  return messages;
}

/// Makes a transport of one kind for all messages, or returns null and sets `obstacle` on every
/// rank. All kinds but `staged` must deliver test messages. Collective.
std::unique_ptr<Transport> make_of_kind(TransportKind kind, mpi::Communicator const& ranks,
                                        Queue& queue, std::vector<Message> const& messages,
                                        std::string& obstacle) {
  if (kind == TransportKind::staged) return make_staged_transport(ranks, queue, messages);
  if (kind == TransportKind::peer) return make_whole_peer(ranks, queue, messages, obstacle);
  bool const is_mpi = kind == TransportKind::mpi;
  obstacle = is_mpi ? obstacle_to_mpi(ranks, queue.backend()) : obstacle_to_nccl(ranks, queue);
  if (!obstacle.empty()) return nullptr;
  auto transport = is_mpi ? make_mpi_transport(ranks, queue, messages)
                          : make_nccl_transport(ranks, queue, messages);
  if (carries(ranks, queue, *transport, messages)) return transport;
  // Some libraries claim to accept device memory but do not transfer it.
  obstacle = "a test message by " + std::string(is_mpi ? "MPI" : "NCCL") + " did not arrive";
  transport.reset();
  return nullptr;
}

/// Measures one kind of transport. Only one transport exists at a time. Collective.
LinkRate measured_link(TransportKind kind, mpi::Communicator const& ranks, Queue& queue,
                       std::vector<Message> const& messages) {
  LinkRate link{kind};
  for (auto const& [some, seconds] : {std::pair(messages, &link.large_seconds),
                                      std::pair(shortened(messages), &link.small_seconds)}) {
    auto const transport = make_of_kind(kind, ranks, queue, some, link.obstacle);
    if (transport == nullptr) break;
    *seconds = measure_exchange(ranks, queue, *transport, some);
  }
  return link;
}

/// Measures all `kinds`. Collective.
LinkRates measured_links(std::vector<TransportKind> const& kinds, mpi::Communicator const& ranks,
                         Queue& queue, std::vector<Message> const& messages) {
  LinkRates rates{bytes_sent(ranks, shortened(messages)), bytes_sent(ranks, messages)};
  for (TransportKind const kind : kinds) {
    rates.links.push_back(measured_link(kind, ranks, queue, messages));
  }
  return rates;
}

/// True if there are no rates yet, or only of exchanges of less than half the size. The rates of
/// the first exchange of a run, on its finest grid, apply to those of coarser grids, too.
/// Collective.
bool must_measure(std::optional<LinkRates> const& rates, mpi::Communicator const& ranks,
                  std::vector<Message> const& messages) {
  return !rates || bytes_sent(ranks, messages) > 2.0 * rates->large_bytes;
}

/// Makes the fastest transport by the measured rates. Collective.
ChosenTransport make_by_rates(LinkRates const& rates, mpi::Communicator const& ranks, Queue& queue,
                              std::vector<Message> const& messages) {
  double const bytes = bytes_sent(ranks, messages);
  std::string obstacle;
  for (TransportKind const kind : rates.ranking(bytes)) {
    if (auto transport = make_of_kind(kind, ranks, queue, messages, obstacle)) {
      return {std::move(transport), rates.reasons_for(kind, bytes)};
    }
  }
  return {make_staged_transport(ranks, queue, messages), obstacle};
}

/// Makes the first transport that works: MPI on the queue's memory, NCCL, or MPI through host
/// memory. Collective.
ChosenTransport make_first(mpi::Communicator const& ranks, Queue& queue,
                           std::vector<Message> const& messages) {
  std::string obstacles;
  for (TransportKind const kind : {TransportKind::mpi, TransportKind::nccl}) {
    std::string obstacle;
    if (auto transport = make_of_kind(kind, ranks, queue, messages, obstacle)) {
      return {std::move(transport), obstacles};
    }
    obstacles += (obstacles.empty() ? "" : "; ") + obstacle;
  }
  return {make_staged_transport(ranks, queue, messages), obstacles};
}

/// Makes the transport for messages that peer memory cannot carry. Collective.
ChosenTransport make_far(mpi::Communicator const& ranks, Queue& queue,
                         std::vector<Message> const& messages, Choice choice) {
  if (choice == Choice::by_order) return make_first(ranks, queue, messages);
  std::optional<LinkRates>& rates = remembered_rates(ranks).any_host;
  if (must_measure(rates, ranks, messages)) {
    rates = measured_links({TransportKind::mpi, TransportKind::nccl, TransportKind::staged}, ranks,
                           queue, messages);
  }
  return make_by_rates(*rates, ranks, queue, messages);
}

/// Returns the transport for messages that peer memory carries: the given one, or a faster one.
/// Collective.
ChosenTransport choose_near(std::unique_ptr<Transport> peers, mpi::Communicator const& ranks,
                            Queue& queue, std::vector<Message> const& messages, Choice choice) {
  if (choice == Choice::by_order) return {std::move(peers), {}};
  std::optional<LinkRates>& rates = remembered_rates(ranks).within_host;
  if (must_measure(rates, ranks, messages)) {
    peers.reset();  // measuring needs its memory
    rates = measured_links({TransportKind::peer, TransportKind::mpi, TransportKind::staged}, ranks,
                           queue, messages);
    rates->links.push_back({TransportKind::nccl, "not tried where peer memory works"});
  }
  double const bytes = bytes_sent(ranks, messages);
  std::vector<TransportKind> const ranking = rates->ranking(bytes);
  bool const is_best = !ranking.empty() && ranking.front() == TransportKind::peer;
  if (peers != nullptr && is_best) {
    return {std::move(peers), rates->reasons_for(TransportKind::peer, bytes)};
  }
  peers.reset();
  return make_by_rates(*rates, ranks, queue, messages);
}

/// Describes a transport with the reasons for its choice.
/// @param obstacle  to the transport that would come first; may be empty
TransportDescription described(ChosenTransport const& chosen, std::string const& obstacle = {}) {
  TransportDescription description = chosen.transport->description();
  description.add_reason(obstacle);
  description.add_reason(chosen.reasons);
  return description;
}

}  // namespace

Choice default_choice(mpi::Communicator const& ranks, Queue const& queue) {
  if (ranks.size() == 1) return Choice::by_order;  // messages to itself: peer memory is its own
  return ranks.any(queue.backend() == Backend::cpu) ? Choice::by_order : Choice::by_rate;
}

std::unique_ptr<Transport> make_fastest(mpi::Communicator const& ranks, Queue& queue,
                                        std::vector<Message> const& messages, Choice choice) {
  PeerShare near = make_peer_transport(ranks, queue, messages);
  PartialTransport far = remaining(near.share, messages);
  // All ranks must agree here: each transport is collective, even for a rank without messages.
  bool const some_far = ranks.any(!far.messages.empty());
  bool const some_near = ranks.any(!near.share.messages.empty());
  std::vector<PartialTransport> shares;
  // The description covers all ranks, so it is the same on each of them.
  TransportDescription description;
  if (some_near) {
    ChosenTransport best = choose_near(std::move(near.share.transport), ranks, queue,
                                       chosen(messages, near.share.messages), choice);
    if (!some_far && best.reasons.empty()) return std::move(best.transport);
    description = described(best);
    near.share.transport = std::move(best.transport);
  } else if (!some_far) {
    return std::move(near.share.transport);  // no rank has messages
  }
  // Peer memory first: its finish() does not make the host wait.
  shares.push_back(std::move(near.share));
  if (some_far) {
    ChosenTransport other = make_far(ranks, queue, chosen(messages, far.messages), choice);
    description.append(described(other, ranks.first_text(near.obstacle)));
    far.transport = std::move(other.transport);
    shares.push_back(std::move(far));
  }
  return make_mixed_transport(std::move(shares), messages.size(), description);
}

}  // namespace isotherm
