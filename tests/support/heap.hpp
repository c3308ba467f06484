#pragma once

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <malloc.h>
#include <new>

// Records the largest amount of memory that a test program has allocated with operator new, which
// this header replaces. Include it in one source of a program.

namespace isotherm::test {

inline std::atomic<std::int64_t> bytes_of_heap{0};
inline std::atomic<std::int64_t> largest_heap{0};

inline void record_allocation(std::int64_t bytes) {
  std::int64_t const now = bytes_of_heap += bytes;
  for (std::int64_t largest = largest_heap;
       now > largest && !largest_heap.compare_exchange_weak(largest, now);) {
  }
}

/// Returns the bytes that a call of work() holds at most, beyond those allocated before.
template <class Work>
std::int64_t largest_heap_of(Work const& work) {
  std::int64_t const before = bytes_of_heap;
  largest_heap = before;
  work();
  return largest_heap - before;
}

}  // namespace isotherm::test

void* operator new(std::size_t bytes) {
  void* const memory = std::malloc(bytes);
  if (memory == nullptr) throw std::bad_alloc();
  isotherm::test::record_allocation(static_cast<std::int64_t>(malloc_usable_size(memory)));
  return memory;
}
void operator delete(void* memory) noexcept {
  isotherm::test::record_allocation(-static_cast<std::int64_t>(malloc_usable_size(memory)));
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept { operator delete(memory); }
