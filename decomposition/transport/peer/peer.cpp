#include "decomposition/transport/peer/peer.hpp"

#include <array>
#include <optional>
#include <utility>

#include "decomposition/transport/messages/message_buffers.hpp"
#include "decomposition/transport/peer/peer_memory.hpp"
#include "decomposition/transport/probe.hpp"
#include "decomposition/transport/swapped.hpp"
#include "kernels/core/error.hpp"
#include "kernels/core/queue/flags.hpp"

namespace isotherm {
namespace {

/// The place in a rank's block where it receives one message. The rank sends this to the sender,
/// which writes there.
struct MessageSlot {
  PeerMemory::Offer offer{};                     ///< gives access to the rank's block
  std::array<std::size_t, 2> receive_offsets{};  ///< of the two ranges, in bytes
  std::size_t flag_offset = 0;
};

/// The layout of a rank's block. Every message has two receive ranges, used alternately, and one
/// flag.
class Layout {
 public:
  explicit Layout(std::vector<Message> const& messages)
      : count_(messages.size()), ranges_in_block_(sizes(messages)) {}

  [[nodiscard]] std::size_t bytes() const { return ranges_in_block_.bytes(); }
  /// Offset of the range of message i in even (0) or odd (1) exchanges.
  [[nodiscard]] std::size_t receive(std::size_t i, std::size_t turn) const {
    return ranges_in_block_.offset(turn * count_ + i);
  }
  /// Offset of the flag of message i.
  [[nodiscard]] std::size_t flag(std::size_t i) const {
    return ranges_in_block_.offset(2 * count_ + i);
  }

 private:
  static std::vector<std::size_t> sizes(std::vector<Message> const& messages) {
    // Order in the block: ranges of even exchanges, ranges of odd ones, flags.
    std::vector<std::size_t> const once = receive_sizes(messages);
    std::vector<std::size_t> all = once;
    all.insert(all.end(), once.begin(), once.end());
    all.insert(all.end(), messages.size(), sizeof(std::uint32_t));  // flags, each on its own line
    return all;
  }

  std::size_t count_;
  RangeLayout ranges_in_block_;
};

/// Double buffering without acknowledgements. Exchange n is received into range n mod 2 of each
/// message. The sender writes to that range again in exchange n + 2 at the earliest. By then its
/// queue has awaited this rank's message of exchange n + 1. This rank's queue sent that message
/// after it had read exchange n. So the range is free without a message, provided that
/// neighbours send to each other in every exchange.
class Peer final : public Transport {
 public:
  Peer(mpi::Communicator const& ranks, Queue& queue, std::vector<Message> const& messages)
      : queue_(&queue), layout_(messages), memory_(ranks, queue, layout_.bytes()) {
    // Inform each sender where its message is to be written.
    std::vector<MessageSlot> slots;
    for (std::size_t i = 0; i < messages.size(); ++i) {
      slots.push_back(
          {memory_.offer(), {layout_.receive(i, 0), layout_.receive(i, 1)}, layout_.flag(i)});
    }
    auto const theirs = swapped(ranks, messages, slots);
    // Every message gets an entry, even if its peer is out of reach.
    for (std::size_t i = 0; i < messages.size(); ++i) add_channel(i, messages[i].peer, theirs[i]);
    collect_flags();
  }

  /// Collective: the neighbours may still be writing to this rank's memory, so PeerMemory's
  /// destructor has a barrier.
  ~Peer() override {
    try {
      queue_->wait();
    } catch (Error const&) {  // reported already, by the call that waited
    }
  }

  [[nodiscard]] TransportDescription description() const override {
    return TransportDescription("peer memory");
  }
  [[nodiscard]] bool enqueues_only() const override { return true; }
  [[nodiscard]] std::string const& obstacle() const { return memory_.obstacle(); }
  /// True if the receiver's memory of message i can be written and this rank has a block of its
  /// own.
  [[nodiscard]] bool reaches(std::size_t i) const { return channels_[i].has_value(); }

  /// Restricts the transport to some messages: message n is from now on the former message
  /// numbers[n].
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
    // The packed data is already in the neighbours' memory; only the flags are raised. They are
    // raised behind the packing on the same queue.
    ++round_;
    raise_flags(queue, their_flags_, round_);
  }
  void finish(Queue& queue) override { await_flags(queue, own_flags_, round_); }

  /// True if the flag of message i has been raised. @pre  the neighbours' work has ended
  [[nodiscard]] bool has_arrived(Queue& queue, std::size_t i) const {
    return read_flag(queue, channels_[i]->own_flag) == round_;
  }

 private:
  /// The addresses of a message: its ranges and flag in the receiver's block and in this rank's
  /// block.
  struct Channel {
    std::array<std::byte*, 2> outgoing{};
    std::array<std::byte*, 2> incoming{};
    std::uint32_t* their_flag = nullptr;
    std::uint32_t* own_flag = nullptr;
  };

  /// Adds the channel of message i, or nothing if the peer's memory cannot be reached.
  void add_channel(std::size_t i, int peer, MessageSlot const& slot) {
    std::byte* const own = memory_.own();
    std::byte* const theirs = memory_.reach(peer, slot.offer);
    std::optional<Channel>& channel = channels_.emplace_back();
    // Both ends must work: a message has a flag in the receiver's block and its answer in this one.
    if (own == nullptr || theirs == nullptr) return;
    channel.emplace();
    for (std::size_t const turn : {0U, 1U}) {
      channel->outgoing[turn] = theirs + slot.receive_offsets[turn];
      channel->incoming[turn] = own + layout_.receive(i, turn);
    }
    channel->their_flag = reinterpret_cast<std::uint32_t*>(theirs + slot.flag_offset);
    channel->own_flag = reinterpret_cast<std::uint32_t*>(own + layout_.flag(i));
  }

  /// Sets the lists of flags from the channels.
  void collect_flags() {
    // Flags of messages that are not carried must be neither raised nor awaited.
    their_flags_.clear();
    own_flags_.clear();
    for (auto const& channel : channels_) {
      if (!channel) continue;
      their_flags_.push_back(channel->their_flag);
      own_flags_.push_back(channel->own_flag);
    }
  }

  Queue* queue_;  ///< of the last exchange
  Layout layout_;
  PeerMemory memory_;
  std::vector<std::optional<Channel>> channels_{};  ///< by message; none if out of reach
  std::vector<std::uint32_t*> their_flags_{};
  std::vector<std::uint32_t*> own_flags_{};
  std::uint32_t round_ = 0;  ///< number of the exchange; also the value of its flags
};

/// Returns for each message if test messages arrived intact at both ends. Nobody awaits a flag, so
/// memory that cannot be written leads to a result instead of a hang. Collective.
std::vector<bool> tried(mpi::Communicator const& ranks, Queue& queue, Peer& peer,
                        std::vector<Message> const& messages) {
  // 1. Writes the test messages into the neighbours' blocks, then raises their flags.
  for (std::size_t i = 0; i < messages.size(); ++i) {
    if (!peer.reaches(i)) continue;
    write_test_message(queue, peer.outgoing(i), messages[i].send_bytes, ranks.rank(),
                       messages[i].send_tag);
  }
  peer.begin(queue);
  queue.wait();
  // After the barrier all test messages and flags have been written, if they ever are.
  ranks.barrier();
  // 2. Compares the messages and flags that the neighbours have written here.
  std::vector<char> mine;
  for (std::size_t i = 0; i < messages.size(); ++i) {
    mine.push_back(
        static_cast<char>(peer.reaches(i) && peer.has_arrived(queue, i) &&
                          is_test_message(queue, peer.incoming(i), messages[i].receive_bytes,
                                          messages[i].peer, messages[i].receive_tag)));
  }
  // 3. A message is carried only if the messages in both directions arrived.
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
  // Slots of other messages remain allocated but unused.
  all->keep(result.share.messages);
  result.share.transport = std::move(all);
  return result;
}

std::unique_ptr<Transport> make_whole_peer(mpi::Communicator const& ranks, Queue& queue,
                                           std::vector<Message> const& messages,
                                           std::string& obstacle) {
  PeerShare peers = make_peer_transport(ranks, queue, messages);
  obstacle = ranks.first_text(peers.obstacle);
  if (!obstacle.empty()) peers.share.transport.reset();  // on every rank, as it is collective
  return std::move(peers.share.transport);
}

}  // namespace isotherm
