#include "decomposition/transport/choice/link_rates.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

#include "decomposition/ranks/attribute.hpp"
#include "kernels/core/queue/memory.hpp"
#include "kernels/core/stopwatch.hpp"

namespace isotherm {

namespace {

/// A faster transport replaces a preferred one only if it takes less than this share of its time.
constexpr double clear_gain = 0.9;
/// Time for the repetitions of one measurement.
constexpr double measuring_seconds = 0.01;
constexpr int max_repetitions = 20;

/// Three significant digits.
std::string digits(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.3g", value);
  return text.data();
}

std::string time_text(double seconds) {
  return seconds < 1e-3 ? digits(seconds * 1e6) + " µs" : digits(seconds * 1e3) + " ms";
}

/// Memory of the device that takes the place of a field: messages are packed from it and unpacked
/// to it, piece by piece if they are longer.
class FieldSubstitute {
 public:
  FieldSubstitute(Queue& queue, std::vector<Message> const& messages)
      : memory_(queue, Space::device, bytes_for(messages)) {
    fill_bytes(queue, memory_.data(), 0, memory_.bytes());
  }

  void pack(Queue& queue, std::byte* to, std::size_t bytes) const {
    for (std::size_t at = 0; at < bytes; at += memory_.bytes()) {
      copy_bytes(queue, to + at, memory_.data(), std::min(bytes - at, memory_.bytes()));
    }
  }
  void unpack(Queue& queue, std::byte const* from, std::size_t bytes) const {
    for (std::size_t at = 0; at < bytes; at += memory_.bytes()) {
      copy_bytes(queue, memory_.data(), from + at, std::min(bytes - at, memory_.bytes()));
    }
  }

 private:
  static std::size_t bytes_for(std::vector<Message> const& messages) {
    std::size_t longest = 1;
    for (Message const& message : messages) {
      longest = std::max({longest, message.send_bytes, message.receive_bytes});
    }
    return std::min(longest, max_measuring_bytes);
  }

  Buffer memory_;
};

/// One exchange, from its start on all ranks to its end on all.
double timed_exchange(mpi::Communicator const& ranks, Queue& queue, Transport& transport,
                      std::vector<Message> const& messages, FieldSubstitute const& field) {
  queue.wait();
  ranks.barrier();
  double seconds = 0.0;
  {
    Stopwatch const watch(seconds);
    for (std::size_t i = 0; i < messages.size(); ++i) {
      field.pack(queue, transport.outgoing(i), messages[i].send_bytes);
    }
    transport.begin(queue);
    transport.finish(queue);
    for (std::size_t i = 0; i < messages.size(); ++i) {
      field.unpack(queue, transport.incoming(i), messages[i].receive_bytes);
    }
    queue.wait();
  }
  return ranks.max(seconds);
}

}  // namespace

TransportRates& remembered_rates(mpi::Communicator const& ranks) {
  auto* const known = mpi::find_attribute<TransportRates>(ranks.get());
  return known != nullptr ? *known : mpi::set_attribute(ranks.get(), TransportRates{});
}

double LinkRate::seconds_for(double bytes, double small_bytes, double large_bytes) const {
  double const slope = large_bytes > small_bytes
                           ? (large_seconds - small_seconds) / (large_bytes - small_bytes)
                           : 0.0;
  // Timings scatter: no size takes less time than none.
  return small_seconds + std::max(slope, 0.0) * std::max(bytes - small_bytes, 0.0);
}

std::vector<TransportKind> LinkRates::ranking(double bytes) const {
  std::vector<LinkRate const*> left;
  for (LinkRate const& link : links) {
    if (link.obstacle.empty()) left.push_back(&link);
  }
  std::vector<TransportKind> kinds;
  while (!left.empty()) {
    // The first one, unless a later one is clearly faster.
    auto best = left.begin();
    for (auto other = left.begin(); other != left.end(); ++other) {
      double const limit = clear_gain * (*best)->seconds_for(bytes, small_bytes, large_bytes);
      if ((*other)->seconds_for(bytes, small_bytes, large_bytes) < limit) best = other;
    }
    kinds.push_back((*best)->kind);
    left.erase(best);
  }
  return kinds;
}

std::string LinkRates::rate_of(TransportKind kind, double bytes) const {
  auto const link = std::ranges::find(links, kind, &LinkRate::kind);
  if (link == links.end()) return "not measured";
  if (!link->obstacle.empty()) return link->obstacle;
  double const seconds = link->seconds_for(bytes, small_bytes, large_bytes);
  return time_text(seconds) + ", " + digits(bytes / seconds * 1e-9) + " GB/s";
}

std::string LinkRates::others_than(TransportKind kind, double bytes) const {
  std::string text;
  for (LinkRate const& link : links) {
    if (link.kind == kind) continue;
    text += (text.empty() ? "" : "; ") + name(link.kind) + ": " + rate_of(link.kind, bytes);
  }
  return text;
}

std::string LinkRates::reasons_for(TransportKind kind, double bytes) const {
  std::string const others = others_than(kind, bytes);
  return rate_of(kind, bytes) + (others.empty() ? "" : "; " + others);
}

double measure_exchange(mpi::Communicator const& ranks, Queue& queue, Transport& transport,
                        std::vector<Message> const& messages) {
  FieldSubstitute const field(queue, messages);
  // The first exchange includes set-up, for example of connections.
  (void)timed_exchange(ranks, queue, transport, messages, field);
  double shortest = timed_exchange(ranks, queue, transport, messages, field);
  // The same number on every rank, because the time is the maximum over ranks.
  double const wanted = measuring_seconds / std::max(shortest, 1e-9);
  int const repetitions = static_cast<int>(std::min<double>(wanted, max_repetitions));
  for (int n = 1; n < repetitions; ++n) {
    shortest = std::min(shortest, timed_exchange(ranks, queue, transport, messages, field));
  }
  return shortest;
}

}  // namespace isotherm
