#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "kernels/sweep/plan_table.hpp"

// Plans that were measured on this machine before a run, in a plan table for each device. The table
// has rows for classes of sizes: class c has 8^c to 8^(c + 1) points.

namespace isotherm::app {

/// Returns the plan table of a device, whether the file exists or not: NAME.toml in
/// isotherm/plans of the user's cache ($XDG_CACHE_HOME or ~/.cache). Empty if there is no home
/// directory.
std::filesystem::path remembered_file(std::string const& device);

/// Returns the minimum number of points of the class of a size.
/// @param points  at least 1
std::int64_t class_of(std::int64_t points);

/// Returns the row for a subject on this device, without a plan. It matches sweeps of the same kind
/// on grids of the same class and of larger ones.
PlanRow remembered_row(SweepSubject const& subject, std::string const& device);

/// Returns true if some row is for the kind and the class of `wanted`.
bool remembers(PlanTable const& rows, PlanRow const& wanted);

/// Adds rows such that those of larger classes come first. Rows of one class keep their order.
void add_remembered(PlanTable& rows, PlanTable const& more);

}  // namespace isotherm::app
