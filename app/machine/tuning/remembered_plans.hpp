#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "kernels/sweep/plan_table.hpp"

// Plans that were measured on this machine before a run, in a plan table for each device. The table
// has rows for classes of sizes: class c has at least 8^c and fewer than 8^(c + 1) points.

namespace isotherm::app {

/// Returns the name under which the plans of a device are remembered. For a CPU, the fastest plan
/// depends on the number of threads of a rank, so the name includes it.
std::string measured_device(Backend backend, std::string const& device);

/// Returns the plan table of a device, whether the file exists or not: NAME.toml in
/// isotherm/plans of the user's cache ($XDG_CACHE_HOME or ~/.cache). Empty if there is no home
/// directory.
/// @param device  as measured_device() names it
std::filesystem::path remembered_file(std::string const& device);

/// Returns the minimum number of points of the class of a size.
/// @param points  at least 1
std::int64_t class_of(std::int64_t points);

/// Returns the row for a subject on this device, without a plan. As a row of a plan table it has no
/// maximum of points, so choose the rows of its class by rows_for() before.
PlanRow remembered_row(SweepSubject const& subject, std::string const& device);

/// Returns the rows for the kind and the class of `wanted`, in their order.
PlanTable rows_for(PlanTable const& rows, PlanRow const& wanted);

/// Adds rows such that those of larger classes come first. Rows of one class keep their order.
void add_remembered(PlanTable& rows, PlanTable const& more);

}  // namespace isotherm::app
