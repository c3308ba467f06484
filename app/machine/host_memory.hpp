#pragma once

#include <cstddef>

namespace isotherm {

/// Returns the bytes that programs on this host can still allocate. This is the kernel's
/// MemAvailable, which includes caches that are released on demand. If a control group limits this
/// process to less, its remaining memory is returned.
std::size_t available_host_bytes();

}  // namespace isotherm
