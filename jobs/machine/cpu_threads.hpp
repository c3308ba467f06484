#pragma once

#include <string>

namespace isotherm {

/// The most threads that a rank may be asked to have on so many cores. OpenMP's library ends the
/// process, or crashes, where the system refuses to start a thread, so far too many are refused
/// before it is asked for any.
int most_cpu_threads(int cores);

/// What is wrong with so many threads on so many cores; empty where nothing is.
/// @param setting  OMP_NUM_THREADS, for the message; null where it is not set
std::string fault_of_threads(int threads, int cores, char const* setting);

/// Looks at the threads of this process, before any region runs in parallel.
/// @throws InputError  where OMP_NUM_THREADS asks for far more than there are cores
void check_cpu_threads();

}  // namespace isotherm
