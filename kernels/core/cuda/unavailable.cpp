#include "kernels/core/cuda/pinning.hpp"
#include "kernels/core/cuda/runtime.hpp"
#include "kernels/core/error.hpp"

// Stubs of the CUDA backend for builds without it. Only the queries at the top are ever reached,
// since creating a Queue on CUDA throws.

namespace isotherm::cuda {

bool built() noexcept { return false; }
int device_count() noexcept { return 0; }
std::string absence_reason() { return "this build has no CUDA backend"; }

namespace {

/// Throws the error of every operation that needs CUDA.
[[noreturn]] void refuse() {
  throw Error(
      "CUDA was requested, but this build has no CUDA backend (configure with nvcc installed)");
}

}  // namespace

DeviceInfo device_info(int) { refuse(); }
void use_device(int) { refuse(); }
Lane* create_lane(int) { refuse(); }
void destroy_lane(Lane*) noexcept {}
void* stream_of(Queue const&) noexcept { return nullptr; }
void wait(Queue const&) { refuse(); }
void* create_event(int) { refuse(); }
void destroy_event(void*) noexcept {}
void record_event(void*, Queue const&) { refuse(); }
void make_queue_wait(Queue const&, void*) { refuse(); }
bool event_reached(void*) { refuse(); }
void wait_for_event(void*) { refuse(); }
double seconds_between(void*, void*, int) { refuse(); }
void* allocate_device(int, std::size_t) { refuse(); }
void* allocate_pinned(int, std::size_t) { refuse(); }
void free_device(int, void*) noexcept {}
void free_pinned(int, void*) noexcept {}
void pin(int, void*, std::size_t) { refuse(); }
void unpin(int, void*) noexcept {}
MemoryHandle export_memory(int, void*) { refuse(); }
void* open_memory(int, MemoryHandle const&) { refuse(); }
void close_memory(int, void*) noexcept {}

}  // namespace isotherm::cuda
