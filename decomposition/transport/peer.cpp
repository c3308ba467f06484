#include "decomposition/transport/peer.hpp"

#include <array>
#include <optional>
#include <utility>

#include "decomposition/transport/message_buffers.hpp"
#include "decomposition/transport/peer_memory.hpp"
#include "decomposition/transport/probe.hpp"
#include "decomposition/transport/swapped.hpp"
#include "kernels/core/error.hpp"
#include "kernels/core/flags.hpp"

namespace isotherm {
namespace {

/// Where a rank receives one message: it tells the sender, who writes there.
struct MessageSlot {
  PeerMemory::Offer offer{};
  std::array<std::size_t, 2> receive_offsets{};
  std::size_t flag_offset = 0;
};

/// This rank's block: every message is received into one of two ranges in turn, and has a flag.
class Layout {
 public:
  explicit Layout(std::vector<Message> const& messages)
      : count_(messages.size()), packing_(sizes(messages)) {}

  [[nodiscard]] std::size_t bytes() const { return packing_.bytes(); }
  [[nodiscard]] std::size_t receive(std::size_t i, std::size_t turn) const {
    return packing_.offset(turn * count_ + i);
  }
  [[nodiscard]] std::size_t flag(std::size_t i) const { return packing_.offset(2 * count_ + i); }

 private:
  static std::vector<std::size_t> sizes(std::vector<Message> const& messages) {
    std::vector<std::size_t> const once = receive_sizes(messages);
    std::vector<std::size_t> all = once;
    all.insert(all.end(), once.begin(), once.end());
    all.insert(all.end(), messages.size(), sizeof(std::uint32_t));  // each on a line of its own
    return all;
  }

  std::size_t count_;
  Packing packing_;
};

/// Exchange n is received into range n % 2 of each message. The sender writes there in exchange
/// n + 2 at the earliest, and its queue has then awaited this rank's message of exchange n + 1,
/// which this rank's queue sent after it had read exchange n. So a range needs no
/// message that it is free again; it is enough that neighbours send to each other in every
/// exchange.
class Peer final : public Transport {
 public:
  Peer(mpi::Communicator const& ranks, Queue& queue, std::vector<Message> const& messages)
      : queue_(&queue), layout_(messages), memory_(ranks, queue, layout_.bytes()) {
    std::vector<MessageSlot> slots;
    for (std::size_t i = 0; i < messages.size(); ++i) {
      slots.push_back(
          {memory_.offer(), {layout_.receive(i, 0), layout_.receive(i, 1)}, layout_.flag(i)});
    }
    auto const theirs = swapped(ranks, messages, slots);
    for (std::size_t i = 0; i < messages.size(); ++i) add_channel(i, messages[i].peer, theirs[i]);
    collect_flags();
  }

  /// Collective: the neighbours' work may still be on its way to this rank's memory.
  ~Peer() override {
    try {
      queue_->wait();
    } catch (Error const&) {  // it has been reported where the work was waited for
    }
  }

  [[nodiscard]] std::string description() const override { return "peer memory"; }
  [[nodiscard]] bool enqueues_only() const override { return true; }
  [[nodiscard]] std::string const& obstacle() const { return memory_.obstacle(); }
  [[nodiscard]] bool reaches(std::size_t i) const { return channels_[i].has_value(); }

  /// From now on message n is what was message numbers[n]; the others are not carried.
  void keep(std::vector<std::size_t> const& numbers) {
    std::vector<std::optional<Channel>> kept;
    kept.reserve(numbers.size());
    for (std::size_t const i : numbers) kept.push_back(channels_[i]);
    channels_ = std::move(kept);
    collect_flags();
  }

  [[nodiscard]] std::byte* outgoing(std::size_t i) override {
    return channels_[i]->outgoing[(round_ + 1) % 2];
  }
  [[nodiscard]] std::byte const* incoming(std::size_t i) override {
    return channels_[i]->incoming[round_ % 2];
  }
  void begin(Queue& queue) override {
    queue_ = &queue;
    ++round_;
    raise_flags(queue, their_flags_, round_);
  }
  void finish(Queue& queue) override { await_flags(queue, own_flags_, round_); }

  /// True where the flag of message i has come, once the neighbours' work is known to have ended.
  [[nodiscard]] bool has_arrived(Queue& queue, std::size_t i) const {
    return read_flag(queue, channels_[i]->own_flag) == round_;
  }

 private:
  struct Channel {
    std::array<std::byte*, 2> outgoing{};
    std::array<std::byte*, 2> incoming{};
    std::uint32_t* their_flag = nullptr;
    std::uint32_t* own_flag = nullptr;
  };

  void add_channel(std::size_t i, int peer, MessageSlot const& slot) {
    std::byte* const own = memory_.own();
    std::byte* const theirs = memory_.reach(peer, slot.offer);
    std::optional<Channel>& channel = channels_.emplace_back();
    if (own == nullptr || theirs == nullptr) return;
    channel.emplace();
    for (std::size_t const turn : {0U, 1U}) {
      channel->outgoing[turn] = theirs + slot.receive_offsets[turn];
      channel->incoming[turn] = own + layout_.receive(i, turn);
    }
    channel->their_flag = reinterpret_cast<std::uint32_t*>(theirs + slot.flag_offset);
    channel->own_flag = reinterpret_cast<std::uint32_t*>(own + layout_.flag(i));
  }

  void collect_flags() {
    their_flags_.clear();
    own_flags_.clear();
    for (auto const& channel : channels_) {
      if (!channel) continue;
      their_flags_.push_back(channel->their_flag);
      own_flags_.push_back(channel->own_flag);
    }
  }

  Queue* queue_;  ///< the last one that was used
  Layout layout_;
  PeerMemory memory_;
  std::vector<std::optional<Channel>> channels_{};  ///< by message; none where it is not reached
  std::vector<std::uint32_t*> their_flags_{};
  std::vector<std::uint32_t*> own_flags_{};
  std::uint32_t round_ = 0;
};

/// For each message, whether a test message arrived intact at both ends. Nobody waits for a flag,
/// so that memory that cannot be written after all is a verdict, not a hang. Collective.
std::vector<bool> tried(mpi::Communicator const& ranks, Queue& queue, Peer& peer,
                        std::vector<Message> const& messages) {
  for (std::size_t i = 0; i < messages.size(); ++i) {
    if (!peer.reaches(i)) continue;
    write_test_message(queue, peer.outgoing(i), messages[i].send_bytes, ranks.rank(),
                       messages[i].send_tag);
  }
  peer.begin(queue);
  queue.wait();
  ranks.barrier();
  std::vector<char> mine;
  for (std::size_t i = 0; i < messages.size(); ++i) {
    mine.push_back(
        static_cast<char>(peer.reaches(i) && peer.has_arrived(queue, i) &&
                          is_test_message(queue, peer.incoming(i), messages[i].receive_bytes,
                                          messages[i].peer, messages[i].receive_tag)));
  }
  auto const theirs = swapped(ranks, messages, mine);
  std::vector<bool> both;
  both.reserve(mine.size());
  for (std::size_t i = 0; i < mine.size(); ++i) both.push_back(mine[i] != 0 && theirs[i] != 0);
  return both;
}

}  // namespace

std::size_t peer_footprint(Backend backend, std::vector<Message> const& messages) {
  return PeerMemory::footprint(backend, Layout(messages).bytes());
}

PeerShare make_peer_transport(mpi::Communicator const& ranks, Queue& queue,
                              std::vector<Message> const& messages) {
  PeerShare result;
  auto all = std::make_unique<Peer>(ranks, queue, messages);
  std::vector<bool> const works = tried(ranks, queue, *all, messages);
  for (std::size_t i = 0; i < works.size(); ++i) {
    if (works[i]) result.share.messages.push_back(i);
  }
  bool const some_missing = result.share.messages.size() < messages.size();
  if (some_missing) {
    result.obstacle = all->obstacle().empty() ? "a test message did not arrive" : all->obstacle();
  }
  all->keep(result.share.messages);
  result.share.transport = std::move(all);
  return result;
}

}  // namespace isotherm
