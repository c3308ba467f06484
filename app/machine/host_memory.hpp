#pragma once

#include <cstddef>

namespace isotherm::app {

/// Returns the bytes that programs on this host can still allocate. This is the kernel's
/// MemAvailable, which includes caches that are released on demand. If a control group limits this
/// process to less, its remaining memory is returned. Control groups of versions 1 and 2 are
/// recognised. The result is the maximum of std::size_t if no limit is known.
///
/// All ranks of a host share this memory; see free_host_bytes().
std::size_t available_host_bytes();

/// Returns the bytes that this process can still allocate under its own limits (`ulimit -v` and
/// `ulimit -d`), or the maximum of std::size_t if it has none. Unlike available_host_bytes(), they
/// are not shared with other ranks.
std::size_t available_process_bytes();

}  // namespace isotherm::app
