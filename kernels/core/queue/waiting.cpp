#include "kernels/core/queue/waiting.hpp"

#include <atomic>

namespace isotherm {
namespace {

// Enough for the four values of WaitsFor.
constexpr unsigned kind_bits = 2;
// Number of changes of the watched thread, with its current WaitsFor in the lowest bits.
std::atomic<std::uint64_t> standing{0};
// Completed waits for the disk in threads that are not watched.
std::atomic<std::uint64_t> other_calls{0};
thread_local bool is_watched = false;

/// Publishes a new state. Only the watched thread writes, so a load and a store suffice. One atomic
/// word keeps the counter and the kind of wait consistent for readers.
void change_to(WaitsFor what) {
  std::uint64_t const changes = (standing.load(std::memory_order_relaxed) >> kind_bits) + 1;
  standing.store(changes << kind_bits | static_cast<std::uint64_t>(what),
                 std::memory_order_relaxed);
}

}  // namespace

void watch_this_thread() { is_watched = true; }

WaitState watched_state() {
  std::uint64_t const all = standing.load(std::memory_order_relaxed);
  return {(all >> kind_bits) + other_calls.load(std::memory_order_relaxed),
          static_cast<WaitsFor>(all & ((1U << kind_bits) - 1))};
}

// Only the outermost Waiting of the watched thread marks the wait.
Waiting::Waiting(WaitsFor what)
    : marks_(is_watched && watched_state().now == WaitsFor::nothing),
      is_other_call_(!is_watched && what == WaitsFor::disk) {
  if (marks_) change_to(what);
}

Waiting::~Waiting() {
  if (marks_) change_to(WaitsFor::nothing);
  if (is_other_call_) other_calls.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace isotherm
