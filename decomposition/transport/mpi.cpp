#include "decomposition/transport/mpi.hpp"

#include "decomposition/ranks/device_memory.hpp"
#include "decomposition/transport/messages/message_set.hpp"

namespace isotherm {
namespace {

/// Sends from and receives into the queue's memory. The host waits for the messages in finish().
class Mpi final : public Transport {
 public:
  Mpi(mpi::Communicator const& ranks, Queue& queue, std::vector<Message> const& messages)
      : sends_(queue, Space::device, send_sizes(messages)),
        receives_(queue, Space::device, receive_sizes(messages)),
        set_(ranks, placed(messages, sends_, receives_)),
        ready_(queue) {}

  [[nodiscard]] TransportDescription description() const override {
    return TransportDescription("mpi");
  }
  [[nodiscard]] std::byte* outgoing(std::size_t i) override { return sends_.at(i); }
  [[nodiscard]] std::byte const* incoming(std::size_t i) override { return receives_.at(i); }

  /// On a device, receives are posted no earlier than in finish(). Until the queue reaches the
  /// event, it may still read what the last exchange left in the same ranges. MPI calls are not
  /// ordered with queues. On the CPU all enqueued work is already complete.
  void begin(Queue& queue) override {
    // Marks the point at which the outgoing ranges are complete.
    ready_.record(queue);
    if (queue.backend() == Backend::cpu) post();
  }

  void finish(Queue& queue) override {
    if (queue.backend() == Backend::cuda) {
      ready_.wait();
      queue.make_current();  // MPI assumes the device that is current
      post();
    }
    while (set_.next_received() < set_.messages().size()) {
    }
    set_.wait_for_sends();
  }

 private:
  /// Receives first, so that arriving messages find their ranges.
  void post() {
    set_.post_receives();
    set_.post_sends();
  }

  MessageBuffer sends_;
  MessageBuffer receives_;
  MessageSet set_;
  Event ready_;
};

}  // namespace

std::string obstacle_to_mpi(mpi::Communicator const& ranks, Backend backend) {
  return ranks.first_text(backend == Backend::cpu ? "" : mpi::obstacle_to_device_memory());
}

std::size_t mpi_footprint(Backend backend, std::vector<Message> const& messages) {
  return MessageBuffer::footprint(backend, Space::device, send_sizes(messages)) +
         MessageBuffer::footprint(backend, Space::device, receive_sizes(messages));
}

std::unique_ptr<Transport> make_mpi_transport(mpi::Communicator const& ranks, Queue& queue,
                                              std::vector<Message> const& messages) {
  return std::make_unique<Mpi>(ranks, queue, messages);
}

}  // namespace isotherm
