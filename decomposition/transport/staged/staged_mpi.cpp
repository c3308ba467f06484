#include "decomposition/transport/staged/staged_mpi.hpp"

#include <array>
#include <optional>
#include <thread>

#include "decomposition/transport/messages/message_set.hpp"
#include "kernels/core/queue/waiting.hpp"

namespace isotherm {
namespace {

/// Length of the pieces. MPI libraries reach most of their speed at this length.
constexpr std::size_t piece_bytes = std::size_t{1} << 20;

/// Host staging: device → pinned memory → MPI → pinned memory → device.
class StagedMpi final : public Transport {
 public:
  StagedMpi(mpi::Communicator const& ranks, Queue& queue, std::vector<Message> const& messages)
      : sends_(queue, Space::device, send_sizes(messages)),
        receives_(queue, Space::device, receive_sizes(messages)),
        host_sends_(queue, Space::pinned, send_sizes(messages)),
        host_receives_{MessageBuffer(queue, Space::pinned, receive_sizes(messages)),
                       MessageBuffer(queue, Space::pinned, receive_sizes(messages))},
        sets_{MessageSet(ranks, placed(messages, host_sends_, host_receives_[0]), piece_bytes),
              MessageSet(ranks, placed(messages, host_sends_, host_receives_[1]), piece_bytes)},
        up_(queue.backend(), queue.device()) {
    for (std::size_t n = 0; n < set().send_pieces().size(); ++n) copied_down_.emplace_back(queue);
  }

  [[nodiscard]] TransportDescription description() const override {
    return TransportDescription("staged through pinned host memory");
  }
  [[nodiscard]] std::byte* outgoing(std::size_t i) override { return sends_.at(i); }
  [[nodiscard]] std::byte const* incoming(std::size_t i) override { return receives_.at(i); }

  /// Posts the receives and enqueues the copies to the host.
  void begin(Queue& queue) override {
    // The other receive buffer: the device may still read this one.
    turn_ = 1 - turn_;
    // Earlier work on the queue may still read what the last exchange has copied up.
    up_.wait_for(queue);
    set().post_receives();
    std::vector<MessagePiece> const& pieces = set().send_pieces();
    for (std::size_t n = 0; n < pieces.size(); ++n) {
      MessagePiece const& piece = pieces[n];
      copy_bytes(queue, host_sends_.at(piece.message) + piece.offset,
                 sends_.at(piece.message) + piece.offset, piece.bytes);
      copied_down_[n].record(queue);
    }
    sent_ = 0;
  }

  /// Sends each piece when its copy to the host is complete, and enqueues a copy to the device for
  /// each piece that arrives.
  void finish(Queue& queue) override {
    Waiting const waiting(WaitsFor::ranks);
    while (sent_ < copied_down_.size() || set().is_receiving()) {
      bool const sent = send_next();
      bool const received = receive_next();
      if (!sent && !received) std::this_thread::yield();
    }
    queue.wait_for(up_);
    set().wait_for_sends();
  }

 private:
  MessageSet& set() { return sets_[turn_]; }

  /// Sends the next piece if it has been copied down. Returns true if so.
  bool send_next() {
    if (sent_ == copied_down_.size() || !copied_down_[sent_].reached()) return false;
    set().post_send(set().send_pieces()[sent_++]);
    return true;
  }
  /// Copies a piece up if one has arrived. Returns true if so.
  bool receive_next() {
    std::optional<MessagePiece> const piece = set().poll_received();
    if (!piece) return false;
    copy_bytes(up_, receives_.at(piece->message) + piece->offset,
               host_receives_[turn_].at(piece->message) + piece->offset, piece->bytes);
    return true;
  }

  MessageBuffer sends_;
  MessageBuffer receives_;
  MessageBuffer host_sends_;
  // Two receive buffers, used alternately. Receives can then be posted while the device still reads
  // what the last exchange left in the other buffer. Each exchange's copies to the host, which
  // finish() awaits, are enqueued behind the copies to the device of the exchange before. So the
  // device has read a buffer before its next turn.
  std::array<MessageBuffer, 2> host_receives_;
  std::array<MessageSet, 2> sets_;    ///< one per receive buffer
  Queue up_;                          ///< copies to the device
  std::vector<Event> copied_down_{};  ///< behind the copy of each piece to the host
  std::size_t sent_ = 0;              ///< pieces of the present exchange that have been sent
  std::size_t turn_ = 0;              ///< the receive buffer of the current exchange
};

}  // namespace

std::unique_ptr<Transport> make_staged_mpi_transport(mpi::Communicator const& ranks, Queue& queue,
                                                     std::vector<Message> const& messages) {
  return std::make_unique<StagedMpi>(ranks, queue, messages);
}

std::size_t staged_mpi_footprint(Backend backend, Message const& message) {
  return MessageBuffer::footprint(backend, Space::pinned, {message.send_bytes}) +
         2 * MessageBuffer::footprint(backend, Space::pinned, {message.receive_bytes});
}

}  // namespace isotherm
