#pragma once

#include <string>

namespace isotherm {

/// Returns the seconds since this process was started, by its launcher or shell; 0 if the system
/// does not say so. MPI's start counts, and so does a program that was started in this one's place.
double process_age_s();

/// Computes the age from the text of /proc/self/stat.
/// @param ticks_per_s  the unit in which the kernel counts the start
/// @param uptime_s     seconds since the system was started
double age_from_stat(std::string const& stat, double ticks_per_s, double uptime_s);

}  // namespace isotherm
