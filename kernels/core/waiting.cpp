#include "kernels/core/waiting.hpp"

#include <atomic>

namespace isotherm {
namespace {

constexpr unsigned kind_bits = 2;
std::atomic<std::uint64_t> standing{0};  // changes, and in the lowest bits what is waited for
thread_local bool is_watched = false;

/// Only the watched thread writes.
void change_to(WaitsFor what) {
  std::uint64_t const changes = (standing.load(std::memory_order_relaxed) >> kind_bits) + 1;
  standing.store(changes << kind_bits | static_cast<std::uint64_t>(what),
                 std::memory_order_relaxed);
}

}  // namespace

void watch_this_thread() { is_watched = true; }

Standing watched_standing() {
  std::uint64_t const all = standing.load(std::memory_order_relaxed);
  return {all >> kind_bits, static_cast<WaitsFor>(all & ((1U << kind_bits) - 1))};
}

Waiting::Waiting(WaitsFor what)
    : marks_(is_watched && watched_standing().now == WaitsFor::nothing) {
  if (marks_) change_to(what);
}

Waiting::~Waiting() {
  if (marks_) change_to(WaitsFor::nothing);
}

}  // namespace isotherm
