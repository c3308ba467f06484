#pragma once

namespace isotherm::app {

/// Configures the whole process. Call it first in main(), before MPI starts.
/// @pre no other thread exists, since the environment and signal handlers are changed
///
/// - It shortens the time that OpenMP's threads spin while waiting, unless the user has set
///   GOMP_SPINCOUNT or OMP_WAIT_POLICY. To do so, it restarts the program in the same process.
/// - It opens standard descriptors that are closed (`>&-`) in a way that no data can pass.
///   Otherwise the first files that the program opens would replace them and receive its output.
/// - It turns a violated limit of file sizes (`ulimit -f`) into an error of the write call, instead
///   of a signal that ends the process with a core file.
/// - The commands `run` and `sweep` listen to requests to stop; see StopRequest. Signals end other
///   commands.
void set_up_process(int argc, char* const* argv);

}  // namespace isotherm::app
