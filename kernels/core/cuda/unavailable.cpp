#include "kernels/core/cuda/runtime.hpp"
#include "kernels/core/error.hpp"

// Stands in for the CUDA backend in builds without it. Nothing but the queries at the top is
// reached, because a Queue on CUDA cannot be made.

namespace isotherm::cuda {

bool built() noexcept { return false; }
int device_count() noexcept { return 0; }
std::string absence_reason() { return "this build has no CUDA backend"; }

namespace {

[[noreturn]] void refuse() {
  throw Error("CUDA was asked for, but this build has no CUDA backend (configure where nvcc is)");
}

}  // namespace

DeviceInfo device_info(int) { refuse(); }
void* create_stream(int) { refuse(); }
void destroy_stream(void*) noexcept {}
void wait_for_stream(void*) { refuse(); }
void* create_event() { refuse(); }
void destroy_event(void*) noexcept {}
void record_event(void*, void*) { refuse(); }
void make_stream_wait(void*, void*) { refuse(); }
bool event_reached(void*) { refuse(); }
void wait_for_event(void*) { refuse(); }
double seconds_between(void*, void*) { refuse(); }
void* allocate_device(std::size_t) { refuse(); }
void* allocate_pinned(std::size_t) { refuse(); }
void free_device(void*) noexcept {}
void free_pinned(void*) noexcept {}
void copy(void*, void*, void const*, std::size_t) { refuse(); }
void fill(void*, void*, int, std::size_t) { refuse(); }
MemoryHandle export_memory(void*) { refuse(); }
void* open_memory(MemoryHandle const&, int) { refuse(); }
void close_memory(void*) noexcept {}
void raise_flags(void*, std::span<std::uint32_t* const>, std::uint32_t) { refuse(); }
void await_flags(void*, std::span<std::uint32_t* const>, std::uint32_t) { refuse(); }

}  // namespace isotherm::cuda
