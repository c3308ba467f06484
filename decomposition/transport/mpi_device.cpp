#include "decomposition/transport/mpi_device.hpp"

#include <utility>

#include "decomposition/transport/message_set.hpp"

namespace isotherm {
namespace {

class Direct final : public Transport {
 public:
  Direct(mpi::Communicator const& ranks, Queue& queue, std::vector<Message> messages)
      : set_(ranks, std::move(messages)), ready_(queue) {}

  [[nodiscard]] std::string description() const override { return "mpi, from device memory"; }

  void begin(Queue& queue) override { ready_.record(queue); }

  /// Receives are posted no earlier than here: until the queue has come to the mark, it may still
  /// be reading what the last exchange left in the same ranges, and MPI knows nothing of queues.
  void finish(Queue& /*queue*/) override {
    ready_.wait();
    set_.post_receives();
    set_.post_sends();
    while (set_.next_received() < set_.messages().size()) {
    }
    set_.wait_for_sends();
  }

 private:
  MessageSet set_;
  Mark ready_;
};

}  // namespace

std::unique_ptr<Transport> make_mpi_device_transport(mpi::Communicator const& ranks, Queue& queue,
                                                     std::vector<Message> messages) {
  return std::make_unique<Direct>(ranks, queue, std::move(messages));
}

}  // namespace isotherm
