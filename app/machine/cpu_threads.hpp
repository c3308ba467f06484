#pragma once

#include <string>

namespace isotherm::app {

/// Returns the maximum number of threads that a rank may request on a host with `cores` cores:
/// eight for each core, but at least 256. If the system refuses to start a thread, OpenMP's library
/// aborts or crashes the process. So excessive requests are rejected before OpenMP starts any
/// thread.
int max_cpu_threads(int cores);

/// Returns a message if `threads` threads are too many for `cores` cores; empty otherwise.
/// @param setting  OMP_NUM_THREADS, for the message; null if it is not set
std::string fault_of_threads(int threads, int cores, char const* setting);

/// Checks the number of threads of this process. Not collective; ranks may have different settings.
/// @pre no parallel region has run yet
/// @throws InputError  if OMP_NUM_THREADS requests far more threads than there are cores
void check_cpu_threads();

/// Makes subnormal results, those below the smallest normal number (1.2e-38 in float32), 0 on this
/// thread and on those of OpenMP. Ahead of a front such numbers abound, and x86 processors take a
/// hundred times longer for each (docs/explanation/performance.md). Does nothing on other
/// processors.
void flush_subnormal_results();

}  // namespace isotherm::app
