#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "kernels/core/queue.hpp"

/// What Queue, Event and Buffer need of CUDA, with handles as plain pointers so that code compiled
/// without the CUDA toolkit can call it. A build without CUDA links stand-ins that throw
/// (unavailable.cpp). All throw Error with CUDA's own text, except those marked noexcept.
namespace isotherm::cuda {

bool built() noexcept;
int device_count() noexcept;
std::string absence_reason();
DeviceInfo device_info(int device);

void* create_stream(int device);  ///< also makes `device` the calling thread's current one
void destroy_stream(void* stream) noexcept;
void wait_for_stream(void* stream);

void* create_event();
void destroy_event(void* event) noexcept;
void record_event(void* event, void* stream);
void make_stream_wait(void* stream, void* event);
bool event_reached(void* event);
void wait_for_event(void* event);
double seconds_between(void* earlier, void* later);

void* allocate_device(std::size_t bytes);
void* allocate_pinned(std::size_t bytes);
void free_device(void* memory) noexcept;
void free_pinned(void* memory) noexcept;
void copy(void* stream, void* to, void const* from, std::size_t bytes);
void fill(void* stream, void* to, int value, std::size_t bytes);

/// Names a block of device memory to other processes of this host.
using MemoryHandle = std::array<std::byte, 64>;
/// @param memory  as allocate_device() returned it
MemoryHandle export_memory(void* memory);
/// Another process's memory, for the use of `device`. @throws Error  where the two devices cannot
/// reach each other, or the handle is of this process
void* open_memory(MemoryHandle const& handle, int device);
void close_memory(void* memory) noexcept;

/// Enqueues *flag = value behind the work enqueued so far, whose writes, to other devices too, are
/// seen by whoever sees the value.
void raise_flags(void* stream, std::span<std::uint32_t* const> flags, std::uint32_t value);
/// Makes work enqueued from now on start when all flags, in this device's memory, have come to
/// `value` or past it.
void await_flags(void* stream, std::span<std::uint32_t* const> flags, std::uint32_t value);

}  // namespace isotherm::cuda
