#include "decomposition/transport/probe.hpp"

#include <algorithm>
#include <array>

#include "kernels/core/queue/memory.hpp"

namespace isotherm {
namespace {

constexpr std::size_t longest_end = 16384;  // bytes that are compared at each end

/// Byte i of a test message. It depends on sender, tag and position, so a message that arrives in
/// the wrong place is detected.
std::byte test_byte(int sender, int tag, std::size_t i) {
  // The period of 251, a prime, is none of the usual strides, so shifted data differ. The 1 keeps
  // most bytes different from zeroed memory.
  return static_cast<std::byte>(37 * static_cast<std::size_t>(sender) +
                                11 * static_cast<std::size_t>(tag) + i % 251 + 1);
}

/// Offsets of some bytes of a message.
struct Range {
  std::size_t begin;
  std::size_t end;
};

/// The first and the last bytes of a message; they overlap in a short one.
std::array<Range, 2> ends(std::size_t bytes) {
  std::size_t const length = std::min(bytes, longest_end);
  return {{{0, length}, {bytes - length, bytes}}};
}

std::vector<std::byte> test_bytes(Range range, int sender, int tag) {
  std::vector<std::byte> values;
  for (std::size_t i = range.begin; i < range.end; ++i) values.push_back(test_byte(sender, tag, i));
  return values;
}

}  // namespace

void write_test_message(Queue& queue, std::byte* to, std::size_t bytes, int from, int tag) {
  for (Range const range : ends(bytes)) {
    auto const values = test_bytes(range, from, tag);
    copy_bytes(queue, to + range.begin, values.data(), values.size());
    // `values` is freed at the end of the iteration.
    queue.wait();
  }
}

bool is_test_message(Queue& queue, std::byte const* from, std::size_t bytes, int sender, int tag) {
  bool equal = true;
  // Both ends: a message that is cut off or shifted is detected.
  for (Range const range : ends(bytes)) {
    std::vector<std::byte> got(range.end - range.begin);
    copy_bytes(queue, got.data(), from + range.begin, got.size());
    queue.wait();
    equal = equal && got == test_bytes(range, sender, tag);
  }
  return equal;
}

bool carries(mpi::Communicator const& ranks, Queue& queue, Transport& transport,
             std::vector<Message> const& messages) {
  for (std::size_t i = 0; i < messages.size(); ++i) {
    write_test_message(queue, transport.outgoing(i), messages[i].send_bytes, ranks.rank(),
                       messages[i].send_tag);
  }
  // The real exchange, with its own waiting: a transport that loses messages would hang here.
  transport.begin(queue);
  transport.finish(queue);
  bool intact = true;
  for (std::size_t i = 0; i < messages.size(); ++i) {
    intact = is_test_message(queue, transport.incoming(i), messages[i].receive_bytes,
                             messages[i].peer, messages[i].receive_tag) &&
             intact;
  }
  // All ranks must agree on the transport.
  return !ranks.any(!intact);
}

}  // namespace isotherm
