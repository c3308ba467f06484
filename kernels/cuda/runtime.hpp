#pragma once

#include <cstddef>
#include <string>

#include "kernels/queue.hpp"

/// What Queue, Mark and Buffer need of CUDA, with handles as plain pointers so that code compiled
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

}  // namespace isotherm::cuda
