#include "decomposition/transport/staged/shared_ring.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <thread>
#include <utility>

#include "decomposition/ranks/host_name.hpp"
#include "decomposition/transport/messages/message_buffers.hpp"
#include "decomposition/transport/staged/pinned_window.hpp"
#include "decomposition/transport/swapped.hpp"
#include "kernels/core/error.hpp"
#include "kernels/core/queue/waiting.hpp"

namespace isotherm {
namespace {

/// Slots of a ring. Two suffice for copies in both directions at a time; more hide the time in
/// which the hosts notice that a copy has ended.
constexpr std::size_t slots = 4;
constexpr std::size_t min_piece_bytes = std::size_t{128} << 10;
constexpr std::size_t max_piece_bytes = std::size_t{2} << 20;

/// Length of the pieces of a message: a quarter of it, within limits. Both ends compute the same.
std::size_t piece_bytes(std::size_t message_bytes) {
  constexpr std::size_t alignment = RangeLayout::alignment;
  std::size_t const quarter = (message_bytes / 4 + alignment - 1) / alignment * alignment;
  return std::min(message_bytes, std::clamp(quarter, min_piece_bytes, max_piece_bytes));
}

/// Number of pieces of a message; an empty one has none.
std::uint64_t piece_count(std::size_t message_bytes) {
  std::size_t const piece = piece_bytes(message_bytes);
  return piece == 0 ? 0 : (message_bytes + piece - 1) / piece;
}

/// The layout of a rank's block: a ring and two counters for each message that it receives.
class RingLayout {
 public:
  explicit RingLayout(std::vector<Message> const& messages) : ranges_(sizes(messages)) {}

  [[nodiscard]] std::size_t bytes() const { return ranges_.bytes(); }
  [[nodiscard]] std::size_t ring(std::size_t i) const { return ranges_.offset(3 * i); }
  [[nodiscard]] std::size_t filled(std::size_t i) const { return ranges_.offset(3 * i + 1); }
  [[nodiscard]] std::size_t emptied(std::size_t i) const { return ranges_.offset(3 * i + 2); }

 private:
  static std::vector<std::size_t> sizes(std::vector<Message> const& messages) {
    std::vector<std::size_t> all;
    for (Message const& message : messages) {
      all.push_back(slots * piece_bytes(message.receive_bytes));
      // Each counter has a line of its own: ranges are aligned to 256 bytes.
      all.insert(all.end(), 2, sizeof(std::uint64_t));
    }
    return all;
  }

  RangeLayout ranges_;
};

/// The place in the receiver's block of a message, which the sender needs.
struct RingOffer {
  PinnedWindow::Offer block{};
  std::size_t ring = 0;
  std::size_t filled = 0;
  std::size_t emptied = 0;
};

/// One end of a ring: its addresses, and how far this end has come. Pieces are numbered over all
/// exchanges, so the counters only grow.
class RingEnd {
 public:
  RingEnd(Queue& queue, std::byte* block, RingOffer const& offer, std::size_t bytes)
      : ring_(block + offer.ring),
        filled_(reinterpret_cast<std::uint64_t*>(block + offer.filled)),
        emptied_(reinterpret_cast<std::uint64_t*>(block + offer.emptied)),
        bytes_(bytes),
        piece_(piece_bytes(bytes)) {
    for (std::size_t n = 0; n < slots; ++n) copied_.emplace_back(queue);
  }

  /// Adds an exchange: all pieces of another message.
  void add_message() {
    first_ = end_;
    end_ += piece_count(bytes_);
  }
  /// True if the copies of all pieces have been enqueued.
  [[nodiscard]] bool all_enqueued() const { return enqueued_ == end_; }
  /// True if these copies have ended, too, and the other end has been informed.
  [[nodiscard]] bool all_passed() const { return passed_ == end_; }

  /// The sender's end: copies the next piece down if a slot is free, and reports pieces that have
  /// been copied. Returns true if it did anything.
  bool copy_down(Queue& queue, std::byte const* message) {
    bool const passed = report_copied(filled_);
    if (all_enqueued() || enqueued_ >= load(emptied_) + slots) return passed;
    copy_bytes(queue, slot(), message + offset(), length());
    note_copy(queue);
    return true;
  }
  /// The receiver's end: copies the next piece up if it is there, and reports likewise.
  bool copy_up(Queue& queue, std::byte* message) {
    bool const passed = report_copied(emptied_);
    if (all_enqueued() || enqueued_ >= load(filled_)) return passed;
    copy_bytes(queue, message + offset(), slot(), length());
    note_copy(queue);
    return true;
  }

 private:
  static std::uint64_t load(std::uint64_t* counter) {
    return std::atomic_ref(*counter).load(std::memory_order_acquire);
  }
  /// Sets a counter to the number of pieces whose copies have ended.
  bool report_copied(std::uint64_t* counter) {
    if (passed_ == enqueued_ || !copied_[passed_ % slots].reached()) return false;
    std::atomic_ref(*counter).store(++passed_, std::memory_order_release);
    return true;
  }
  [[nodiscard]] std::byte* slot() const { return ring_ + enqueued_ % slots * piece_; }
  [[nodiscard]] std::size_t offset() const { return (enqueued_ - first_) * piece_; }
  [[nodiscard]] std::size_t length() const { return std::min(piece_, bytes_ - offset()); }
  void note_copy(Queue& queue) { copied_[enqueued_++ % slots].record(queue); }

  std::byte* ring_;
  std::uint64_t* filled_;
  std::uint64_t* emptied_;
  std::size_t bytes_;
  std::size_t piece_;
  std::vector<Event> copied_{};  ///< behind the copy from or to each slot
  std::uint64_t first_ = 0;      ///< number of the present message's first piece
  std::uint64_t enqueued_ = 0;   ///< pieces whose copies have been enqueued
  std::uint64_t passed_ = 0;     ///< pieces whose copies have ended
  std::uint64_t end_ = 0;        ///< number behind the present message's last piece
};

/// A slot is free again when the receiver has copied it up, so exchanges may follow each other at
/// once. Copies down take place on the queue of the exchange, copies up on a queue of their own, so
/// both directions of the link to the host are used at a time.
class SharedRing final : public Transport {
 public:
  SharedRing(mpi::Communicator const& ranks, Queue& queue, std::vector<Message> const& messages)
      : layout_(messages),
        window_(ranks, queue, layout_.bytes()),
        up_(queue.backend(), queue.device()) {
    std::vector<RingOffer> offers;
    for (std::size_t i = 0; i < messages.size(); ++i) {
      offers.push_back({window_.offer(), layout_.ring(i), layout_.filled(i), layout_.emptied(i)});
    }
    auto const theirs = swapped(ranks, messages, offers);
    std::vector<char> mine;
    std::vector<std::byte*> blocks;
    for (std::size_t i = 0; i < messages.size(); ++i) {
      blocks.push_back(window_.reach(messages[i].peer, theirs[i].block));
      mine.push_back(static_cast<char>(blocks.back() != nullptr));
    }
    // A message is carried if both ends reach each other's block.
    auto const answers = swapped(ranks, messages, mine);
    std::vector<Message> carried;
    for (std::size_t i = 0; i < messages.size(); ++i) {
      if (mine[i] == 0 || answers[i] == 0) continue;
      carried_.push_back(i);
      carried.push_back(messages[i]);
      outgoing_.emplace_back(queue, blocks[i], theirs[i], messages[i].send_bytes);
      incoming_.emplace_back(up_, window_.own(), offers[i], messages[i].receive_bytes);
    }
    sends_.emplace(queue, Space::device, send_sizes(carried));
    receives_.emplace(queue, Space::device, receive_sizes(carried));
  }

  /// Collective: the neighbours may still copy from or to the blocks.
  ~SharedRing() override {
    try {
      up_.wait();
    } catch (Error const&) {  // reported already, by the call that waited
    }
  }

  /// Numbers of the messages that it carries.
  [[nodiscard]] std::vector<std::size_t> const& carried() const { return carried_; }
  [[nodiscard]] std::string const& obstacle() const { return window_.obstacle(); }

  [[nodiscard]] TransportDescription description() const override {
    return TransportDescription("staged through pinned host memory");
  }
  [[nodiscard]] std::byte* outgoing(std::size_t i) override { return sends_->at(i); }
  [[nodiscard]] std::byte const* incoming(std::size_t i) override { return receives_->at(i); }

  /// Enqueues copying the first pieces down.
  void begin(Queue& queue) override {
    // Earlier work on the queue may still read what the last exchange has copied up.
    up_.wait_for(queue);
    for (RingEnd& end : outgoing_) end.add_message();
    for (RingEnd& end : incoming_) end.add_message();
    // A limited number of steps: if copies are fast, the loop would run the whole exchange here.
    for (std::size_t n = 0; n < slots; ++n) advance(queue);
  }

  /// Returns when all pieces have left this rank, and the copies up of all others are enqueued.
  void finish(Queue& queue) override {
    Waiting const waiting(WaitsFor::ranks);
    while (!is_complete()) {
      if (!advance(queue)) std::this_thread::yield();
    }
    queue.wait_for(up_);
  }

 private:
  /// Takes the next step of each message, if one is possible. Returns true if any was.
  bool advance(Queue& queue) {
    bool any = false;
    for (std::size_t i = 0; i < outgoing_.size(); ++i) {
      any = outgoing_[i].copy_down(queue, sends_->at(i)) || any;
      any = incoming_[i].copy_up(up_, receives_->at(i)) || any;
    }
    return any;
  }
  [[nodiscard]] bool is_complete() const {
    return std::ranges::all_of(outgoing_, &RingEnd::all_passed) &&
           std::ranges::all_of(incoming_, &RingEnd::all_enqueued);
  }

  RingLayout layout_;
  PinnedWindow window_;
  Queue up_;  ///< copies to the device
  std::vector<std::size_t> carried_{};
  std::optional<MessageBuffer> sends_{};
  std::optional<MessageBuffer> receives_{};
  std::vector<RingEnd> outgoing_{};
  std::vector<RingEnd> incoming_{};
};

/// Returns the numbers of the messages whose peers run on a host of the same name. Collective.
std::vector<std::size_t> messages_within_host(mpi::Communicator const& ranks,
                                              std::vector<Message> const& messages) {
  std::size_t const own = std::hash<std::string>{}(host_name());
  auto const theirs = swapped(ranks, messages, std::vector<std::size_t>(messages.size(), own));
  std::vector<std::size_t> numbers;
  for (std::size_t i = 0; i < messages.size(); ++i) {
    if (theirs[i] == own) numbers.push_back(i);
  }
  return numbers;
}

}  // namespace

SharedShare make_shared_transport(mpi::Communicator const& ranks, Queue& queue,
                                  std::vector<Message> const& messages) {
  std::vector<std::size_t> const near = messages_within_host(ranks, messages);
  auto ring = std::make_unique<SharedRing>(ranks, queue, chosen(messages, near));
  SharedShare result;
  for (std::size_t const n : ring->carried()) result.share.messages.push_back(near[n]);
  if (result.share.messages.size() < messages.size()) result.obstacle = ring->obstacle();
  result.share.transport = std::move(ring);
  return result;
}

std::size_t shared_footprint(Backend backend, Message const& message) {
  return PinnedWindow::footprint(backend, RingLayout({message}).bytes());
}

}  // namespace isotherm
