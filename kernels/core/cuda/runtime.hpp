#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "kernels/core/queue.hpp"

/// What Queue, Event and Buffer need of CUDA, with handles as plain pointers so that code compiled
/// without the CUDA toolkit can call it. A build without CUDA links stand-ins that throw
/// (unavailable.cpp). All throw Error with CUDA's own text, except those marked noexcept. Each
/// works on the device that it is given, or that of the queue, whichever is the thread's current
/// one.
namespace isotherm::cuda {

bool built() noexcept;
int device_count() noexcept;
std::string absence_reason();
DeviceInfo device_info(int device);
/// Makes the device the calling thread's current one.
void use_device(int device);

Lane* create_lane(int device);
void destroy_lane(Lane* lane) noexcept;
void* stream_of(Queue const& queue) noexcept;
void wait(Queue const& queue);

void* create_event(int device);
void destroy_event(void* event) noexcept;
void record_event(void* event, Queue const& queue);
void make_queue_wait(Queue const& queue, void* event);
bool event_reached(void* event);
void wait_for_event(void* event);
double seconds_between(void* earlier, void* later, int device);

void* allocate_device(int device, std::size_t bytes);
void* allocate_pinned(int device, std::size_t bytes);
void free_device(int device, void* memory) noexcept;
void free_pinned(int device, void* memory) noexcept;
void copy(Queue const& queue, void* to, void const* from, std::size_t bytes);
void fill(Queue const& queue, void* to, int value, std::size_t bytes);

/// Names a block of device memory to other processes of this host.
using MemoryHandle = std::array<std::byte, 64>;
/// @param memory  as allocate_device() returned it
MemoryHandle export_memory(int device, void* memory);
/// Another process's memory, for the use of `device`. @throws Error  where the two devices cannot
/// reach each other, or the handle is of this process
void* open_memory(int device, MemoryHandle const& handle);
/// @param device  for which it was opened
void close_memory(int device, void* memory) noexcept;

/// Enqueues *flag = value behind the work enqueued so far, whose writes, to other devices too, are
/// seen by whoever sees the value.
void raise_flags(Queue const& queue, std::span<std::uint32_t* const> flags, std::uint32_t value);
/// Makes work enqueued from now on start when all flags, in this device's memory, have come to
/// `value` or past it.
void await_flags(Queue const& queue, std::span<std::uint32_t* const> flags, std::uint32_t value);

}  // namespace isotherm::cuda
