#pragma once

#include <cstdint>
#include <span>

#include "kernels/core/queue.hpp"

namespace isotherm {

/// Flags tell work on one queue that work on another, perhaps of another process and device, has
/// been done. A flag holds a number that only grows (and wraps around). It lies in memory that both
/// reach: of the waiting device on CUDA, shared by the processes on the CPU.

/// Enqueues *flag = value for all flags behind the work enqueued so far. Whoever awaits the value
/// sees what that work has written, in other devices' memory too.
void raise_flags(Queue& queue, std::span<std::uint32_t* const> flags, std::uint32_t value);

/// Makes work enqueued from now on start when all flags have come to `value`. On the CPU the call
/// itself waits, with the core given to others meanwhile.
void await_flags(Queue& queue, std::span<std::uint32_t* const> flags, std::uint32_t value);

/// What a flag holds behind the work enqueued so far, which the call waits for.
[[nodiscard]] std::uint32_t read_flag(Queue& queue, std::uint32_t const* flag);

}  // namespace isotherm
