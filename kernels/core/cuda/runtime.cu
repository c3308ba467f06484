#include <bit>

#include "kernels/core/cuda/check.hpp"
#include "kernels/core/cuda/runtime.hpp"

namespace isotherm::cuda {

namespace {

cudaStream_t stream_of(void* handle) { return static_cast<cudaStream_t>(handle); }
cudaEvent_t event_of(void* handle) { return static_cast<cudaEvent_t>(handle); }

std::string out_of_memory(std::size_t wanted) {
  std::size_t free = 0;
  std::size_t total = 0;
  check(cudaMemGetInfo(&free, &total));
  return "out of device memory: " + std::to_string(wanted) + " bytes are needed, " +
         std::to_string(free) + " of " + std::to_string(total) +
         " are free (use more ranks with a device each, or a smaller grid)";
}

/// Its 16 bytes as 32 digits.
std::string as_text(cudaUUID_t const& uuid) {
  constexpr char const* digits = "0123456789abcdef";
  std::string text;
  for (char const byte : uuid.bytes) {
    text += {digits[(byte >> 4) & 15], digits[byte & 15]};
  }
  return text;
}

}  // namespace

bool built() noexcept { return true; }

int device_count() noexcept {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess) {
    (void)cudaGetLastError();
    return 0;
  }
  return count;
}

std::string absence_reason() {
  int count = 0;
  cudaError_t const status = cudaGetDeviceCount(&count);
  (void)cudaGetLastError();
  if (status != cudaSuccess) return cudaGetErrorString(status);
  return count == 0 ? "no CUDA device is visible" : "";
}

DeviceInfo device_info(int device) {
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, device));
  DeviceInfo info;
  info.name = properties.name;
  info.compute_capability = 10 * properties.major + properties.minor;
  info.multiprocessors = properties.multiProcessorCount;
  info.l2_bytes = static_cast<std::size_t>(properties.l2CacheSize);
  info.uuid = as_text(properties.uuid);
  check(cudaSetDevice(device));
  check(cudaMemGetInfo(&info.free_bytes, &info.memory_bytes));
  return info;
}

void* create_stream(int device) {
  int const count = device_count();
  require(device >= 0 && device < count, "CUDA device " + std::to_string(device) +
                                             " was asked for, " + std::to_string(count) +
                                             " are visible " + absence_reason());
  check(cudaSetDevice(device));
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  return stream;
}
void destroy_stream(void* stream) noexcept { (void)cudaStreamDestroy(stream_of(stream)); }
void wait_for_stream(void* stream) { check(cudaStreamSynchronize(stream_of(stream))); }

void* create_event() {
  cudaEvent_t event = nullptr;
  check(cudaEventCreate(&event));
  return event;
}
void destroy_event(void* event) noexcept { (void)cudaEventDestroy(event_of(event)); }
void record_event(void* event, void* stream) {
  check(cudaEventRecord(event_of(event), stream_of(stream)));
}
void make_stream_wait(void* stream, void* event) {
  check(cudaStreamWaitEvent(stream_of(stream), event_of(event), 0));
}
bool event_reached(void* event) {
  cudaError_t const status = cudaEventQuery(event_of(event));
  if (status == cudaErrorNotReady) return false;
  check(status);
  return true;
}
void wait_for_event(void* event) { check(cudaEventSynchronize(event_of(event))); }
double seconds_between(void* earlier, void* later) {
  float milliseconds = 0.0F;
  check(cudaEventElapsedTime(&milliseconds, event_of(earlier), event_of(later)));
  return 1e-3 * static_cast<double>(milliseconds);
}

void* allocate_device(std::size_t bytes) {
  void* memory = nullptr;
  cudaError_t const status = cudaMalloc(&memory, bytes);
  if (status == cudaErrorMemoryAllocation) {
    (void)cudaGetLastError();
    throw Error(out_of_memory(bytes));
  }
  check(status);
  return memory;
}
void* allocate_pinned(std::size_t bytes) {
  void* memory = nullptr;
  check(cudaHostAlloc(&memory, bytes, cudaHostAllocDefault));
  return memory;
}
void free_device(void* memory) noexcept { (void)cudaFree(memory); }
void free_pinned(void* memory) noexcept { (void)cudaFreeHost(memory); }

MemoryHandle export_memory(void* memory) {
  static_assert(sizeof(cudaIpcMemHandle_t) == sizeof(MemoryHandle));
  cudaIpcMemHandle_t handle{};
  check(cudaIpcGetMemHandle(&handle, memory));
  return std::bit_cast<MemoryHandle>(handle);
}
void* open_memory(MemoryHandle const& handle, int device) {
  check(cudaSetDevice(device));
  void* memory = nullptr;
  check(cudaIpcOpenMemHandle(&memory, std::bit_cast<cudaIpcMemHandle_t>(handle),
                             cudaIpcMemLazyEnablePeerAccess));
  return memory;
}
void close_memory(void* memory) noexcept { (void)cudaIpcCloseMemHandle(memory); }

void copy(void* stream, void* to, void const* from, std::size_t bytes) {
  check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream_of(stream)));
}
void fill(void* stream, void* to, int value, std::size_t bytes) {
  check(cudaMemsetAsync(to, value, bytes, stream_of(stream)));
}

}  // namespace isotherm::cuda
