#pragma once

#include <cstddef>
#include <limits>
#include <new>
#include <utility>
#include <vector>

#include "kernels/core/queue/huge_pages.hpp"

namespace isotherm {

/// The allocator of HostList. Elements without a given value are not initialized, and long lists
/// lie in huge pages if the system has them.
template <class T>
class HostAllocator {
 public:
  using value_type = T;

  HostAllocator() = default;
  template <class Other>
  HostAllocator(HostAllocator<Other> const& /*of*/) noexcept {}  // NOLINT(*-explicit-*): rebinding

  /// @throws std::bad_alloc  if there is not enough memory
  [[nodiscard]] T* allocate(std::size_t count) {
    if (count > std::numeric_limits<std::size_t>::max() / sizeof(T)) {
      throw std::bad_array_new_length();
    }
    std::size_t const bytes = count * sizeof(T);
    if (!takes_huge_pages(bytes)) return static_cast<T*>(::operator new(bytes));
    void* const memory = ::operator new (bytes, std::align_val_t{huge_page});
    advise_huge_pages(memory, bytes);
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t count) noexcept {
    if (!takes_huge_pages(count * sizeof(T))) return ::operator delete(memory);
    ::operator delete (memory, std::align_val_t{huge_page});
  }
  template <class Element>
  void construct(Element* at) noexcept {
    ::new (static_cast<void*>(at)) Element;
  }
  template <class Element, class... Arguments>
  void construct(Element* at, Arguments&&... arguments) {
    ::new (static_cast<void*>(at)) Element(std::forward<Arguments>(arguments)...);
  }
  bool operator==(HostAllocator const& /*other*/) const { return true; }
};

/// A list in host memory whose elements threads set: resize() does not touch them, so each page is
/// placed near the thread that writes it first, and no thread waits for another to clear the list.
template <class T>
using HostList = std::vector<T, HostAllocator<T>>;

}  // namespace isotherm
