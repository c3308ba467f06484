#pragma once

namespace isotherm::cuda {

/// Begins a range of the calling thread that NVIDIA's profilers show. Without a profiler it costs a
/// few nanoseconds.
void begin_nvtx_range(char const* name) noexcept;
/// Ends the range that this thread has begun last.
void end_nvtx_range() noexcept;

}  // namespace isotherm::cuda
