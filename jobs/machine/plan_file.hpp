#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "decomposition/ranks/mpi.hpp"
#include "jobs/machine/device_choice.hpp"
#include "kernels/sweep/plan_table.hpp"

namespace isotherm {

/// A row of a plan table's file.
struct PlanFileRow {
  PlanRow row{};
  std::string where{};  ///< "plans.toml:12", of its plan
};

/// Reads the rows of a plan table from TOML text, in their order; which plans there are is not
/// asked here.
/// @param name  the file's name, for messages
/// @throws InputError  one line: what is wrong, file, line and key, and what would be right
std::vector<PlanFileRow> parse_plan_table(std::string const& text, std::string const& name);

/// "plans.toml:12: [plan] plan is …", where the row is for this device and its plan is not one
/// of those that the device has; else empty.
std::string unknown_plan(PlanFileRow const& row, Backend backend, DeviceInfo const& device);

/// The row as parse_plan_table() reads it.
/// @param comment  put behind the plan; may be empty
std::string to_toml(PlanRow const& row, std::string const& comment);

/// What a run is told about plans by a file.
struct PlanFile {
  std::string name{};  ///< empty: there is none
  PlanTable rows{};
  std::vector<std::string> warnings{};  ///< about rows that were left out
};

/// Reads the plan table `wanted`; without one that of the environment variable ISOTHERM_PLAN_TABLE;
/// without that isotherm/plans.toml in the user's configuration, where there is such a file. In
/// that last one a plan that the device does not have is worth a warning only. The root reads, all
/// ranks get the same rows. Collective.
/// @throws InputError  on every rank
PlanFile read_plan_file(mpi::Communicator const& ranks,
                        std::optional<std::filesystem::path> const& wanted, Device const& device);

}  // namespace isotherm
