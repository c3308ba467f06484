#include "decomposition/transport/mpi_host.hpp"

#include <array>
#include <utility>

#include "decomposition/transport/message_set.hpp"
#include "kernels/memory.hpp"

namespace isotherm {
namespace {

class InPlace final : public Transport {
 public:
  InPlace(mpi::Communicator const& ranks, std::vector<Message> messages)
      : set_(ranks, std::move(messages)) {}

  [[nodiscard]] std::string description() const override { return "mpi, from host memory"; }

  void begin(Queue& queue) override {
    set_.post_receives();
    queue.wait();
    set_.post_sends();
  }

  void finish(Queue& /*queue*/) override {
    while (set_.next_received() < set_.messages().size()) {
    }
    set_.wait_for_sends();
  }

 private:
  MessageSet set_;
};

/// Where the messages start in one block of memory, each on a cache line of its own.
struct Packing {
  static constexpr std::size_t alignment = 256;
  static std::size_t padded(std::size_t bytes) {
    return (bytes + alignment - 1) / alignment * alignment;
  }

  std::vector<std::size_t> sends;
  std::vector<std::size_t> receives;
  std::size_t send_bytes = 0;
  std::size_t receive_bytes = 0;

  explicit Packing(std::vector<Message> const& messages) {
    for (Message const& message : messages) {
      sends.push_back(std::exchange(send_bytes, send_bytes + padded(message.send_bytes)));
      receives.push_back(
          std::exchange(receive_bytes, receive_bytes + padded(message.receive_bytes)));
    }
  }
};

/// The same messages with their ranges in host memory.
std::vector<Message> moved_to(std::vector<Message> messages, Packing const& packing,
                              Buffer const& sends, Buffer const& receives) {
  for (std::size_t i = 0; i < messages.size(); ++i) {
    messages[i].send = sends.as<std::byte>() + packing.sends[i];
    messages[i].receive = receives.as<std::byte>() + packing.receives[i];
  }
  return messages;
}

class Staged final : public Transport {
 public:
  Staged(mpi::Communicator const& ranks, Queue& queue, std::vector<Message> messages)
      : on_device_(std::move(messages)),
        packing_(on_device_),
        sends_(queue, Space::pinned, packing_.send_bytes),
        receives_{Buffer(queue, Space::pinned, packing_.receive_bytes),
                  Buffer(queue, Space::pinned, packing_.receive_bytes)},
        sets_{MessageSet(ranks, moved_to(on_device_, packing_, sends_, receives_[0])),
              MessageSet(ranks, moved_to(on_device_, packing_, sends_, receives_[1]))},
        copied_down_(queue) {}

  [[nodiscard]] std::string description() const override {
    return "mpi, staged through pinned host memory";
  }

  void begin(Queue& queue) override {
    turn_ = 1 - turn_;
    set().post_receives();
    for (std::size_t i = 0; i < on_device_.size(); ++i) {
      std::size_t const offset = packing_.sends[i];
      copy_bytes(queue, sends_.as<std::byte>() + offset, on_device_[i].send,
                 on_device_[i].send_bytes);
    }
    copied_down_.record(queue);
  }

  void finish(Queue& queue) override {
    copied_down_.wait();
    set().post_sends();
    std::size_t const count = on_device_.size();
    for (std::size_t i = set().next_received(); i < count; i = set().next_received()) {
      copy_bytes(queue, on_device_[i].receive, set().messages()[i].receive,
                 on_device_[i].receive_bytes);
    }
    set().wait_for_sends();
  }

 private:
  MessageSet& set() { return sets_[turn_]; }

  std::vector<Message> on_device_;
  Packing packing_;
  Buffer sends_;
  // Two, used in turn, so that receives can be posted while the device still reads what the last
  // exchange brought. The copy down of each exchange, which finish() waits for, is enqueued behind
  // the copies up of the one before: when a buffer's turn comes again, the device has read it.
  std::array<Buffer, 2> receives_;
  std::array<MessageSet, 2> sets_;
  std::size_t turn_ = 0;
  Mark copied_down_;
};

}  // namespace

std::unique_ptr<Transport> make_mpi_host_transport(mpi::Communicator const& ranks, Queue& queue,
                                                   std::vector<Message> messages) {
  if (queue.backend() == Backend::cpu) {
    return std::make_unique<InPlace>(ranks, std::move(messages));
  }
  return make_staged_mpi_transport(ranks, queue, std::move(messages));
}

std::unique_ptr<Transport> make_staged_mpi_transport(mpi::Communicator const& ranks, Queue& queue,
                                                     std::vector<Message> messages) {
  return std::make_unique<Staged>(ranks, queue, std::move(messages));
}

}  // namespace isotherm
