#pragma once

#include <cstddef>
#include <sys/mman.h>

namespace isotherm {

/// Size of a transparent huge page on Linux.
constexpr std::size_t huge_page = std::size_t{2} << 20U;

/// True if host memory of this size is aligned to huge pages: fewer page faults at first touch and
/// fewer address translations in every sweep.
constexpr bool takes_huge_pages(std::size_t bytes) { return bytes >= 2 * huge_page; }

/// Advises the kernel to use huge pages for memory that is aligned to them. It may ignore that.
inline void advise_huge_pages([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t bytes) {
#if defined(MADV_HUGEPAGE)
  ::madvise(memory, bytes / huge_page * huge_page, MADV_HUGEPAGE);
#endif
}

}  // namespace isotherm
