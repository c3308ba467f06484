#pragma once

namespace isotherm {

/// What holds for the whole process, and before MPI starts:
/// - OpenMP's threads spin only briefly while they wait, unless GOMP_SPINCOUNT or OMP_WAIT_POLICY
/// is set.
///   The program is started anew for that, so call this function first.
/// - Standard descriptors that are missing (`>&-`) are opened so that nothing can be written to
///   them; else the first files that the program opens would take their place, and get its output.
/// - A file that may not grow (`ulimit -f`) is a failed write, with a reason, not a signal that
///   ends the process with a core file.
/// - A run hears requests to stop: see StopRequest. Other commands end at a signal.
void set_up_process(int argc, char* const* argv);

}  // namespace isotherm
