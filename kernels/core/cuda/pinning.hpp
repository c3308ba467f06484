#pragma once

#include <cstddef>

namespace isotherm::cuda {

/// Page-locks host memory of another allocator, for example memory that processes share. Devices
/// then copy from and to it directly.
/// @param memory  begins at a page, and consists of whole pages
/// @throws Error  if CUDA refuses, for example because of a limit on locked memory
void pin(int device, void* memory, std::size_t bytes);

/// Reverts pin(). @pre  No copy from or to the memory is pending.
void unpin(int device, void* memory) noexcept;

}  // namespace isotherm::cuda
