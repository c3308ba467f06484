#pragma once

#include <cstdint>
#include <span>

#include "kernels/core/queue/queue.hpp"

namespace isotherm {

// Flags synchronise work of different queues, also across processes and devices: a sender raises a
// flag, a receiver awaits it.
//
// A flag is a 32-bit sequence number that only grows and may wrap around. It lies in memory that
// both sides reach: device memory of the receiver on CUDA, memory shared by the processes on the
// CPU. Values may differ by less than 2^31, so comparisons remain correct when they wrap around.

/// Enqueues *flag = value for all flags behind the work enqueued before (release order). A receiver
/// that has awaited the value sees all writes of that work, also those to memory of other devices.
/// @throws Error  on CUDA, if there are more than 32 flags, or the driver fails
void raise_flags(Queue& queue, std::span<std::uint32_t* const> flags, std::uint32_t value);

/// Makes work that is enqueued later start only when all flags have reached `value` (acquire
/// order). On the CPU the call itself waits and yields its core meanwhile.
void await_flags(Queue& queue, std::span<std::uint32_t* const> flags, std::uint32_t value);

/// Waits for the work enqueued before and returns the flag's value.
[[nodiscard]] std::uint32_t read_flag(Queue& queue, std::uint32_t const* flag);

}  // namespace isotherm
