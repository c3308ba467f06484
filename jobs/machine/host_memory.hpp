#pragma once

#include <cstddef>

namespace isotherm {

/// Bytes that this host's programs can still allocate: what the kernel holds available (memory
/// that caches files included, as it is given up on demand), or less where a control group limits
/// this process.
std::size_t available_host_bytes();

}  // namespace isotherm
