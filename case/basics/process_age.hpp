#pragma once

#include <string>

namespace isotherm {

/// Returns the seconds since this process was started by its launcher or shell; 0 if the system
/// does not tell. The age includes the start of MPI, and the time of any program that this one
/// replaced by exec.
double process_age_s();

/// Computes the age from the text of /proc/self/stat.
/// @param ticks_per_s  unit in which the kernel records the start of a process
/// @param uptime_s     seconds since the system was started
double age_from_stat(std::string const& stat, double ticks_per_s, double uptime_s);

}  // namespace isotherm
