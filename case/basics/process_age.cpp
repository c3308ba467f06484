#include "case/basics/process_age.hpp"

#include <algorithm>
#include <ctime>
#include <fstream>
#include <iterator>
#include <sstream>
#include <unistd.h>

namespace isotherm {

namespace {

// Fields of /proc/self/stat between the program's name (2) and the start time (22), see proc(5).
constexpr int fields_before_start = 19;

}  // namespace

double age_from_stat(std::string const& stat, double ticks_per_s, double uptime_s) {
  // The name is in parentheses and may contain blanks and parentheses itself.
  auto const end_of_name = stat.rfind(')');
  if (end_of_name == std::string::npos) return 0.0;
  std::istringstream fields(stat.substr(end_of_name + 1));
  std::string skipped;
  for (int i = 0; i < fields_before_start; ++i) fields >> skipped;
  double start_ticks = 0.0;
  // Clock ticks from the start of the system to the start of the process.
  if (!(fields >> start_ticks)) return 0.0;
  return std::max(uptime_s - start_ticks / ticks_per_s, 0.0);
}

double process_age_s() {
  std::ifstream file("/proc/self/stat");
  std::string const stat{std::istreambuf_iterator<char>(file), {}};
  // CLOCK_BOOTTIME includes suspended time, as the kernel's start times do.
  timespec uptime{};
  auto const ticks_per_s = static_cast<double>(sysconf(_SC_CLK_TCK));
  if (ticks_per_s <= 0.0 || clock_gettime(CLOCK_BOOTTIME, &uptime) != 0) return 0.0;
  return age_from_stat(
      stat, ticks_per_s,
      static_cast<double>(uptime.tv_sec) + 1e-9 * static_cast<double>(uptime.tv_nsec));
}

}  // namespace isotherm
