#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "decomposition/ranks/mpi.hpp"
#include "decomposition/transport/transport.hpp"
#include "kernels/core/queue/memory.hpp"

namespace isotherm::test {

using Bytes = std::vector<std::byte>;

/// Returns byte `i` of the message that rank `from` sends with `tag` in round `round`.
inline std::byte expected_byte(int from, int tag, int round, std::size_t i) {
  return static_cast<std::byte>(31 * from + 7 * tag + 13 * round + static_cast<int>(i % 251));
}

inline void append_message(Bytes& all, int from, int tag, int round, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) all.push_back(expected_byte(from, tag, round, i));
}

inline std::size_t differences(Bytes const& one, std::byte const* other) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < one.size(); ++i) count += one[i] == other[i] ? 0 : 1;
  return count;
}

/// A ring of messages: each rank sends to the next and to the previous rank. With 2 ranks both are
/// the same peer, with 1 rank both are the rank itself. Messages to the next rank have even tags;
/// the answer has the following tag. Ranks order their messages differently, so only tags identify
/// them.
class Ring {
 public:
  /// @param sizes  in bytes, by tag
  explicit Ring(mpi::Communicator const& world, std::vector<std::size_t> sizes = {1000, 70'001})
      : rank_(world.rank()), ranks_(world.size()), sizes_(std::move(sizes)) {
    for (std::size_t tag = 0; tag < sizes_.size(); ++tag) tags_.push_back(static_cast<int>(tag));
    if (rank_ % 2 != 0) std::reverse(tags_.begin(), tags_.end());
  }

  [[nodiscard]] std::vector<Message> messages() const {
    std::vector<Message> all;
    for (int const tag : tags_) {
      Message message;
      message.peer = neighbour(tag);
      message.send_tag = tag;
      message.receive_tag = answer(tag);
      message.send_bytes = size(tag);
      message.receive_bytes = size(answer(tag));
      all.push_back(message);
    }
    return all;
  }

  /// Returns the numbers of the messages in every second pair of message and answer, beginning with
  /// pair `first`.
  [[nodiscard]] std::vector<std::size_t> every_second_pair(int first) const {
    std::vector<std::size_t> numbers;
    for (std::size_t i = 0; i < tags_.size(); ++i) {
      if (tags_[i] / 2 % 2 == first) numbers.push_back(i);
    }
    return numbers;
  }

  /// Returns the bytes of all messages; as many are sent as received.
  [[nodiscard]] std::size_t bytes() const {
    std::size_t sum = 0;
    for (std::size_t const one : sizes_) sum += one;
    return sum;
  }

  /// Returns the messages that this rank sends in a round, one after another; incoming() returns
  /// those that it must receive.
  [[nodiscard]] Bytes outgoing(int round) const {
    Bytes all;
    for (int const tag : tags_) append_message(all, rank_, tag, round, size(tag));
    return all;
  }
  [[nodiscard]] Bytes incoming(int round) const {
    Bytes all;
    for (int const tag : tags_) {
      append_message(all, neighbour(tag), answer(tag), round, size(answer(tag)));
    }
    return all;
  }

  /// Enqueues copies to the outgoing ranges of a transport of messages(); read() copies from the
  /// incoming ranges.
  void write(Transport& transport, Queue& queue, std::byte const* from) const {
    for (std::size_t i = 0; i < tags_.size(); ++i) {
      copy_bytes(queue, transport.outgoing(i), from, size(tags_[i]));
      from += size(tags_[i]);
    }
  }
  void read(Transport& transport, Queue& queue, std::byte* to) const {
    for (std::size_t i = 0; i < tags_.size(); ++i) {
      copy_bytes(queue, to, transport.incoming(i), size(answer(tags_[i])));
      to += size(answer(tags_[i]));
    }
  }

  void send(Transport& transport, Queue& queue, int round) const {
    Bytes const all = outgoing(round);
    write(transport, queue, all.data());
    queue.wait();
  }
  /// Returns the number of received bytes that differ from those sent in `round`.
  [[nodiscard]] std::size_t mistakes(Transport& transport, Queue& queue, int round) const {
    Bytes got(bytes());
    read(transport, queue, got.data());
    queue.wait();
    return differences(incoming(round), got.data());
  }

 private:
  static int answer(int tag) { return tag % 2 == 0 ? tag + 1 : tag - 1; }
  [[nodiscard]] std::size_t size(int tag) const { return sizes_[static_cast<std::size_t>(tag)]; }
  [[nodiscard]] int neighbour(int tag) const {
    return (rank_ + (tag % 2 == 0 ? 1 : ranks_ - 1)) % ranks_;
  }

  int rank_;
  int ranks_;
  std::vector<std::size_t> sizes_;
  std::vector<int> tags_;  ///< tag of each message
};

}  // namespace isotherm::test
