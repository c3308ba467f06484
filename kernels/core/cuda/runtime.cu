#include <cuda.h>

#include <bit>
#include <memory>
#include <utility>

#include "kernels/core/cuda/check.hpp"
#include "kernels/core/cuda/driver_function.hpp"
#include "kernels/core/cuda/lane.hpp"
#include "kernels/core/cuda/runtime.hpp"

namespace isotherm::cuda {

namespace {

/// Converts the opaque handle of the interface.
cudaEvent_t event_of(void* handle) { return static_cast<cudaEvent_t>(handle); }

/// Returns the message for a failed allocation of device memory.
std::string out_of_memory(std::size_t wanted) {
  std::size_t free = 0;
  std::size_t total = 0;
  // Queried after the failure, for the message only.
  check(cudaMemGetInfo(&free, &total));
  return "out of device memory: " + std::to_string(wanted) + " bytes are needed, but only " +
         std::to_string(free) + " of " + std::to_string(total) +
         " are free (use more ranks, each with its own device, or a smaller grid)";
}

using GetDevice = CUresult (*)(CUdevice*, int);
using GetUuid = CUresult (*)(CUuuid*, CUdevice);

/// Returns the driver's UUID of the device. For an instance of a partitioned (MIG) GPU it is the
/// instance's own, while the runtime's properties may give the UUID of the whole GPU.
cudaUUID_t uuid_of(int device, cudaDeviceProp const& properties) {
  // cuDeviceGetUuid_v2, the version since CUDA 12, distinguishes MIG instances.
  static auto const get_uuid = reinterpret_cast<GetUuid>(driver_function("cuDeviceGetUuid"));
  static auto const get_device = reinterpret_cast<GetDevice>(driver_function("cuDeviceGet"));
  CUdevice handle = 0;
  cudaUUID_t uuid{};
  bool const known = get_uuid != nullptr && get_device != nullptr &&
                     get_device(&handle, device) == CUDA_SUCCESS &&
                     get_uuid(&uuid, handle) == CUDA_SUCCESS;
  return known ? uuid : properties.uuid;
}

/// Returns the 16 bytes as 32 hexadecimal digits.
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
  // Without a driver the query fails, which means that there is no device.
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
  if (status == cudaErrorNoDevice) return "no CUDA device";
  // A machine without a driver reports that its driver is too old.
  if (status == cudaErrorInsufficientDriver) return "no CUDA device, or no recent driver for it";
  if (status != cudaSuccess) return cudaGetErrorString(status);
  return count == 0 ? "no CUDA device" : "";
}

DeviceInfo device_info(int device) {
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, device));
  DeviceInfo info;
  info.name = properties.name;
  info.compute_capability = 10 * properties.major + properties.minor;
  info.multiprocessors = properties.multiProcessorCount;
  info.l2_bytes = static_cast<std::size_t>(properties.l2CacheSize);
  info.uuid = as_text(uuid_of(device, properties));
  // The query has no device argument: it refers to the current device.
  make_current(device);
  check(cudaMemGetInfo(&info.free_bytes, &info.memory_bytes));
  return info;
}

void use_device(int device) { make_current(device); }

Lane* create_lane(int device) {
  int const count = device_count();
  require(device >= 0 && device < count, "CUDA device " + std::to_string(device) +
                                             " was requested, but only " + std::to_string(count) +
                                             " are visible " + absence_reason());
  make_current(device);
  auto lane = std::make_unique<Lane>();
  lane->device = device;
  // A non-blocking stream does not synchronise with the legacy default stream, which other
  // libraries may use.
  check(cudaStreamCreateWithFlags(&lane->stream, cudaStreamNonBlocking));
  return lane.release();
}
void destroy_lane(Lane* lane) noexcept {
  // Errors are ignored: destructors cannot report them.
  make_current_quietly(lane->device);
  // cudaFree waits for kernels that use the memory.
  if (lane->scratch != nullptr) (void)cudaFree(lane->scratch);
  (void)cudaStreamDestroy(lane->stream);
  delete lane;
}
void* stream_of(Queue const& queue) noexcept { return queue.lane()->stream; }
void wait(Queue const& queue) { check(cudaStreamSynchronize(make_current(queue))); }

void* scratch_memory(Queue const& queue, std::size_t bytes) {
  Lane& lane = *queue.lane();
  if (lane.scratch_bytes >= bytes) return lane.scratch;
  make_current(lane.device);
  // cudaFree waits for the device, so no kernel uses the old memory any more. Zero the size first:
  // the allocation may throw.
  check(cudaFree(std::exchange(lane.scratch, nullptr)));
  lane.scratch_bytes = 0;
  lane.scratch = allocate_device(lane.device, bytes);
  lane.scratch_bytes = bytes;
  return lane.scratch;
}

void* create_event(int device) {
  make_current(device);
  cudaEvent_t event = nullptr;
  // The default flags include the measurement of time.
  check(cudaEventCreate(&event));
  return event;
}
// An event handle implies its device, so the current device does not matter here.
void destroy_event(void* event) noexcept { (void)cudaEventDestroy(event_of(event)); }
void record_event(void* event, Queue const& queue) {
  check(cudaEventRecord(event_of(event), make_current(queue)));
}
void make_queue_wait(Queue const& queue, void* event) {
  check(cudaStreamWaitEvent(make_current(queue), event_of(event), 0));
}
bool event_reached(void* event) {
  // "Not ready" is an answer, not an error.
  cudaError_t const status = cudaEventQuery(event_of(event));
  if (status == cudaErrorNotReady) return false;
  check(status);
  return true;
}
void wait_for_event(void* event) { check(cudaEventSynchronize(event_of(event))); }
double seconds_between(void* earlier, void* later, int device) {
  make_current(device);
  float milliseconds = 0.0F;
  check(cudaEventElapsedTime(&milliseconds, event_of(earlier), event_of(later)));
  return 1e-3 * static_cast<double>(milliseconds);
}

void* allocate_device(int device, std::size_t bytes) {
  make_current(device);
  void* memory = nullptr;
  // The most common failure gets a message of its own, with advice.
  cudaError_t const status = cudaMalloc(&memory, bytes);
  if (status == cudaErrorMemoryAllocation) {
    (void)cudaGetLastError();
    throw Error(out_of_memory(bytes));
  }
  check(status);
  return memory;
}
void* allocate_pinned(int device, std::size_t bytes) {
  make_current(device);
  void* memory = nullptr;
  check(cudaHostAlloc(&memory, bytes, cudaHostAllocDefault));
  return memory;
}
void free_device(int device, void* memory) noexcept {
  make_current_quietly(device);
  (void)cudaFree(memory);
}
void free_pinned(int device, void* memory) noexcept {
  make_current_quietly(device);
  (void)cudaFreeHost(memory);
}

MemoryHandle export_memory(int device, void* memory) {
  static_assert(sizeof(cudaIpcMemHandle_t) == sizeof(MemoryHandle));
  make_current(device);
  cudaIpcMemHandle_t handle{};
  check(cudaIpcGetMemHandle(&handle, memory));
  return std::bit_cast<MemoryHandle>(handle);
}
void* open_memory(int device, MemoryHandle const& handle) {
  make_current(device);
  void* memory = nullptr;
  // Enables peer access between the devices on first use.
  check(cudaIpcOpenMemHandle(&memory, std::bit_cast<cudaIpcMemHandle_t>(handle),
                             cudaIpcMemLazyEnablePeerAccess));
  return memory;
}
void close_memory(int device, void* memory) noexcept {
  make_current_quietly(device);
  (void)cudaIpcCloseMemHandle(memory);
}

void copy(Queue const& queue, void* to, void const* from, std::size_t bytes) {
  check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, make_current(queue)));
}
void fill(Queue const& queue, void* to, int value, std::size_t bytes) {
  check(cudaMemsetAsync(to, value, bytes, make_current(queue)));
}

}  // namespace isotherm::cuda
