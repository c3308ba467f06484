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

/// Records an allocation. @throws std::bad_alloc  if it has failed
inline void* recorded(void* memory) {
  if (memory == nullptr) throw std::bad_alloc();
  record_allocation(static_cast<std::int64_t>(malloc_usable_size(memory)));
  return memory;
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

void* operator new(std::size_t bytes) { return isotherm::test::recorded(std::malloc(bytes)); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  auto const unit = static_cast<std::size_t>(alignment);
  return isotherm::test::recorded(std::aligned_alloc(unit, (bytes + unit - 1) / unit * unit));
}
void operator delete(void* memory) noexcept {
  isotherm::test::record_allocation(-static_cast<std::int64_t>(malloc_usable_size(memory)));
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept { operator delete(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { operator delete(memory); }
