#include "app/machine/processor_time.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <sstream>
#include <system_error>

#include "kernels/core/queue/queue.hpp"

namespace isotherm::app {

namespace {

constexpr double min_share = 0.25;    // of the threads' time; below this the hint would be noise
constexpr double min_waited_s = 2.0;  // shorter waits are irrelevant, such as those of a start

}  // namespace

ProcessorTime parse_schedstat(std::string const& line) {
  std::istringstream text(line);
  double used_ns = 0.0;
  double waited_ns = 0.0;
  if (!(text >> used_ns >> waited_ns)) return {};
  return {1e-9 * used_ns, 1e-9 * waited_ns};
}

ProcessorTime processor_time() {
  ProcessorTime sum;
  std::error_code failure;
  // Each thread has a directory here. Threads may end while the directory is read, so failures end
  // the loop without an error.
  std::filesystem::directory_iterator threads("/proc/self/task", failure);
  for (; !failure && threads != std::filesystem::directory_iterator(); threads.increment(failure)) {
    std::ifstream file(threads->path() / "schedstat");
    std::string line;
    std::getline(file, line);  // remains empty if the thread has just ended
    ProcessorTime const thread = parse_schedstat(line);
    sum.used_s += thread.used_s;
    sum.waited_s += thread.waited_s;
  }
  return sum;
}

std::string hint_about_busy_cores(ProcessorTime spent, bool passive, bool single) {
  // The small constant avoids a division by zero.
  double const share = spent.waited_s / std::max(spent.used_s + spent.waited_s, 1e-9);
  if (share < min_share || spent.waited_s < min_waited_s) return "";
  double const percent = std::round(100.0 * share);
  if (single) {
    return fmt::format(
        "cores busy    the run waited for a core for {:.0f} % of its time: other programs use the "
        "cores",
        percent);
  }
  return fmt::format(
      "cores busy    the threads waited for a core for {:.0f} % of their time: other programs use "
      "the cores, or there are more threads (OMP_NUM_THREADS) and ranks than cores{}",
      percent, passive ? "" : "; OMP_WAIT_POLICY=passive may help");
}

std::string ProcessorWatch::hint() const {
  ProcessorTime const now = processor_time();
  // The accounts of a thread disappear when it ends, so the sum may decrease.
  double const used_s = std::max(now.used_s - start_.used_s, 0.0);
  double const waited_s = std::max(now.waited_s - start_.waited_s, 0.0);
  // With the policy "passive" waiting threads sleep, so the advice to set it would be pointless.
  char const* const policy = std::getenv("OMP_WAIT_POLICY");
  bool const passive = policy != nullptr && std::string(policy) == "passive";
  return hint_about_busy_cores({ranks_.sum(used_s), ranks_.sum(waited_s)}, passive,
                               ranks_.size() == 1 && cpu_threads() == 1);
}

}  // namespace isotherm::app
