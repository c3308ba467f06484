#include "app/machine/cpu_threads.hpp"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>

#include "case/basics/text/text.hpp"
#include "case/basics/text/wording.hpp"
#include "kernels/core/error.hpp"
#include "kernels/core/queue/queue.hpp"

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace isotherm::app {

int max_cpu_threads(int cores) {
  constexpr int for_any_machine = 256;  // allowed on any machine, for experiments
  constexpr int threads_per_core = 8;   // threads for each core
  return std::max(for_any_machine, threads_per_core * cores);
}

std::string fault_of_threads(int threads, int cores, char const* setting) {
  if (threads <= max_cpu_threads(cores)) return "";
  return fmt::format(
      "OMP_NUM_THREADS={} in the environment asks for {} per rank, but there {} {} (needs at most "
      "{}; if it is not set, the ranks share the cores)",
      setting == nullptr ? "" : in_quotes(setting), format_count(threads, "thread"),
      cores == 1 ? "is" : "are", format_count(cores, "core"), max_cpu_threads(cores));
}

void check_cpu_threads() {
  // For the CPU, the number of multiprocessors is the number of cores.
  std::string const fault = fault_of_threads(
      cpu_threads(), device_info(Backend::cpu).multiprocessors, std::getenv("OMP_NUM_THREADS"));
  if (!fault.empty()) throw InputError(fault);
}

// Each thread has its own mode, and inherits that of the thread that starts it.
void flush_subnormal_results() {
#if defined(__SSE2__)
#pragma omp parallel
  _MM_SET_FLUSH_ZERO_MODE(_MM_FLUSH_ZERO_ON);
#endif
}

}  // namespace isotherm::app
