#pragma once

#include <cstddef>
#include <limits>
#include <new>
#include <sys/mman.h>
#include <utility>
#include <vector>

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
    if (!is_long(bytes)) return static_cast<T*>(::operator new(bytes));
    void* const memory = ::operator new (bytes, std::align_val_t{huge_page});
#if defined(MADV_HUGEPAGE)
    // Only advice: the kernel may ignore it.
    ::madvise(memory, bytes / huge_page * huge_page, MADV_HUGEPAGE);
#endif
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t count) noexcept {
    if (!is_long(count * sizeof(T))) return ::operator delete(memory);
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

 private:
  static constexpr std::size_t huge_page = std::size_t{2} << 20U;
  static bool is_long(std::size_t bytes) { return bytes >= 2 * huge_page; }
};

/// A list in host memory whose elements threads set: resize() does not touch them, so each page is
/// placed near the thread that writes it first, and no thread waits for another to clear the list.
template <class T>
using HostList = std::vector<T, HostAllocator<T>>;

}  // namespace isotherm
