#include "kernels/core/queue/flags.hpp"

#include <atomic>
#include <thread>

#include "kernels/core/cuda/runtime.hpp"
#include "kernels/core/queue/dispatch.hpp"
#include "kernels/core/queue/memory.hpp"
#include "kernels/core/queue/waiting.hpp"

namespace isotherm {
namespace {

/// Returns true if the flag has reached `value` or passed it. The signed difference remains correct
/// when the sequence numbers wrap around.
bool has_reached(std::uint32_t flag, std::uint32_t value) {
  return static_cast<std::int32_t>(flag - value) >= 0;
}

}  // namespace

void raise_flags(Queue& queue, std::span<std::uint32_t* const> flags, std::uint32_t value) {
  if (flags.empty()) return;
  dispatch(
      queue,
      [&] {
        for (std::uint32_t* const flag : flags) {
          std::atomic_ref(*flag).store(value, std::memory_order_release);
        }
      },
      [&](auto) { cuda::raise_flags(queue, flags, value); });
}

void await_flags(Queue& queue, std::span<std::uint32_t* const> flags, std::uint32_t value) {
  if (flags.empty()) return;
  dispatch(
      queue,
      [&] {
        // Other processes raise the flags, so this wait may never end; a watchdog observes it.
        Waiting const waiting(WaitsFor::ranks);
        for (std::uint32_t* const flag : flags) {
          while (!has_reached(std::atomic_ref(*flag).load(std::memory_order_acquire), value)) {
            std::this_thread::yield();
          }
        }
      },
      [&](auto) { cuda::await_flags(queue, flags, value); });
}

std::uint32_t read_flag(Queue& queue, std::uint32_t const* flag) {
  std::uint32_t value = 0;
  copy_bytes(queue, &value, flag, sizeof value);
  // The copy is enqueued behind earlier work, so waiting for it waits for that work.
  queue.wait();
  return value;
}

}  // namespace isotherm
