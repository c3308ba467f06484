#include "decomposition/transport/staged.hpp"

#include <array>

#include "decomposition/transport/messages/message_set.hpp"

namespace isotherm {
namespace {

/// Host staging: device → pinned memory → MPI → pinned memory → device.
class Staged final : public Transport {
 public:
  Staged(mpi::Communicator const& ranks, Queue& queue, std::vector<Message> const& messages)
      : sends_(queue, Space::device, send_sizes(messages)),
        receives_(queue, Space::device, receive_sizes(messages)),
        host_sends_(queue, Space::pinned, send_sizes(messages)),
        host_receives_{MessageBuffer(queue, Space::pinned, receive_sizes(messages)),
                       MessageBuffer(queue, Space::pinned, receive_sizes(messages))},
        sets_{MessageSet(ranks, placed(messages, host_sends_, host_receives_[0])),
              MessageSet(ranks, placed(messages, host_sends_, host_receives_[1]))},
        copied_down_(queue) {}

  [[nodiscard]] std::string description() const override {
    return "staged through pinned host memory";
  }
  [[nodiscard]] std::byte* outgoing(std::size_t i) override { return sends_.at(i); }
  [[nodiscard]] std::byte const* incoming(std::size_t i) override { return receives_.at(i); }

  /// Posts the receives and enqueues the copies to the host.
  void begin(Queue& queue) override {
    // The other receive buffer: the device may still read this one.
    turn_ = 1 - turn_;
    set().post_receives();
    for (std::size_t i = 0; i < set().messages().size(); ++i) {
      copy_bytes(queue, host_sends_.at(i), sends_.at(i), set().messages()[i].send_bytes);
    }
    copied_down_.record(queue);
  }

  /// Sends as soon as the copies to the host are complete, and enqueues a copy to the device for
  /// each message that arrives.
  void finish(Queue& queue) override {
    // MPI must not read host_sends_ before the device has written it.
    copied_down_.wait();
    set().post_sends();
    std::size_t const count = set().messages().size();
    for (std::size_t i = set().next_received(); i < count; i = set().next_received()) {
      copy_bytes(queue, receives_.at(i), host_receives_[turn_].at(i),
                 set().messages()[i].receive_bytes);
    }
    set().wait_for_sends();
  }

 private:
  MessageSet& set() { return sets_[turn_]; }

  MessageBuffer sends_;
  MessageBuffer receives_;
  MessageBuffer host_sends_;
  // Two receive buffers, used alternately. Receives can then be posted while the device still reads
  // what the last exchange left in the other buffer. Each exchange's copy to the host, which
  // finish() awaits, is enqueued behind the copies to the device of the exchange before. So the
  // device has read a buffer before its next turn.
  std::array<MessageBuffer, 2> host_receives_;
  std::array<MessageSet, 2> sets_;  ///< one per receive buffer
  std::size_t turn_ = 0;            ///< the receive buffer of the current exchange
  Event copied_down_;               ///< recorded behind the copies to the host
};

}  // namespace

std::size_t staged_footprint(Backend backend, std::vector<Message> const& messages) {
  std::vector<std::size_t> const sends = send_sizes(messages);
  std::vector<std::size_t> const receives = receive_sizes(messages);
  return MessageBuffer::footprint(backend, Space::device, sends) +
         MessageBuffer::footprint(backend, Space::device, receives) +
         MessageBuffer::footprint(backend, Space::pinned, sends) +
         2 * MessageBuffer::footprint(backend, Space::pinned, receives);
}

std::unique_ptr<Transport> make_staged_transport(mpi::Communicator const& ranks, Queue& queue,
                                                 std::vector<Message> const& messages) {
  return std::make_unique<Staged>(ranks, queue, messages);
}

}  // namespace isotherm
