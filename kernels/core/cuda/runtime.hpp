#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "kernels/core/queue/queue.hpp"

/// The CUDA functions behind Queue, Event and Buffer. Handles are plain pointers, so code compiled
/// without the CUDA toolkit can call them.
///
/// Builds without CUDA link stubs that throw (unavailable.cpp). All functions throw Error with
/// CUDA's own message unless they are noexcept. They work on the given device or the queue's
/// device, whichever is the thread's current one.
namespace isotherm::cuda {

/// Returns true in builds with CUDA.
bool built() noexcept;
/// Returns the number of visible devices, 0 if CUDA does not work.
int device_count() noexcept;
/// Returns why device_count() is 0, or an empty string.
std::string absence_reason();
/// Returns the properties of a device. Creates CUDA's context on it.
DeviceInfo device_info(int device);
/// Makes `device` the calling thread's current one.
void use_device(int device);

/// Creates a stream on `device`.
/// @throws Error  if there is no such device
Lane* create_lane(int device);
/// Destroys a stream and everything that belongs to it. Pending work still completes.
void destroy_lane(Lane* lane) noexcept;
/// Returns the queue's cudaStream_t.
void* stream_of(Queue const& queue) noexcept;
/// Blocks until the queue's work has ended.
void wait(Queue const& queue);

/// Creates an event that measures time.
void* create_event(int device);
/// Destroys an event. Work that still waits for it is not affected.
void destroy_event(void* event) noexcept;
/// Sets an event to the end of the work that the queue contains now.
void record_event(void* event, Queue const& queue);
/// Makes later work of the queue start after the event's recorded moment.
void make_queue_wait(Queue const& queue, void* event);
/// Returns true if the event's recorded moment has passed.
bool event_reached(void* event);
/// Blocks until the event's recorded moment has passed.
void wait_for_event(void* event);
/// Returns the seconds between two reached events of `device`, by the device's clock.
double seconds_between(void* earlier, void* later, int device);

/// Allocates memory of `device`.
/// @throws Error  if the memory is exhausted; the message names what is needed and what is free
void* allocate_device(int device, std::size_t bytes);
/// Allocates page-locked host memory, which devices copy from and to directly.
void* allocate_pinned(int device, std::size_t bytes);
/// Frees memory from allocate_device(); null is allowed.
void free_device(int device, void* memory) noexcept;
/// Frees memory from allocate_pinned(); null is allowed.
void free_pinned(int device, void* memory) noexcept;
/// Enqueues a copy between any two memories. Either memory may be host memory or that of any
/// device.
void copy(Queue const& queue, void* to, void const* from, std::size_t bytes);
/// Enqueues setting `bytes` bytes of device memory to `value`.
void fill(Queue const& queue, void* to, int value, std::size_t bytes);

/// Identifies a block of device memory to other processes of this host (a CUDA IPC handle).
using MemoryHandle = std::array<std::byte, 64>;
/// Exports a block of device memory.
/// @param memory  a pointer from allocate_device()
MemoryHandle export_memory(int device, void* memory);
/// Maps the device memory of another process for use by `device`.
/// @throws Error  if the two devices have no peer access, or the handle belongs to this process
void* open_memory(int device, MemoryHandle const& handle);
/// Unmaps memory from open_memory().
/// @param device  the device that it was opened for
void close_memory(int device, void* memory) noexcept;

/// Enqueues *flag = value for all flags behind the work enqueued before. A reader of the value also
/// sees the writes of that work, including those to other devices.
void raise_flags(Queue const& queue, std::span<std::uint32_t* const> flags, std::uint32_t value);
/// Makes work that is enqueued later start only when all flags have reached `value` or passed it.
/// @pre The flags lie in memory of this queue's device.
void await_flags(Queue const& queue, std::span<std::uint32_t* const> flags, std::uint32_t value);

}  // namespace isotherm::cuda
