#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/machine/device_choice.hpp"
#include "decomposition/ranks/mpi.hpp"
#include "kernels/sweep/plan_table.hpp"

/// Plan tables as TOML files: which kernel variant ("plan") a sweep uses on which device and grid.
/// `isotherm bench tune` writes such files, and runs read them.
///
///   [[plan]]
///   backend = "cuda"
///   dimension = 3
///   least_points = 1000000
///   plan = "plain"

namespace isotherm::app {

/// A row of a plan table's file, with its position in the file. The position begins messages about
/// the row.
struct PlanFileRow {
  PlanRow row{};
  std::string where{};  ///< position of its key `plan`: "plans.toml:12"
};

/// Parses the rows of a plan table from TOML text, in their order. Plan names are not checked here,
/// see unknown_plan().
/// @param name  the file's name, for messages
/// @throws InputError  one line: the error, file, line and key, and a valid value
std::vector<PlanFileRow> parse_plan_table(std::string const& text, std::string const& name);

/// Returns "plans.toml:12: [plan] plan is …" if the row applies to this device, but the device does
/// not have its plan; empty otherwise. The message suggests the nearest valid name.
std::string unknown_plan(PlanFileRow const& row, Backend backend, DeviceInfo const& device);

/// Returns the text of a row, the inverse of parse_plan_table(). Unset conditions are omitted.
/// @param comment  appended to the line of the plan; may be empty
/// @returns  a [[plan]] section that ends with a newline
std::string to_toml(PlanRow const& row, std::string const& comment);

/// The plan table that a run has read.
struct PlanFile {
  std::string name{};  ///< of the file; empty if there is none
  PlanTable rows{};
  std::vector<std::string> warnings{};  ///< about rows that were ignored
};

/// Reads a plan table. The first of these files is read:
/// - the file `wanted`, if it is given;
/// - the file that the environment variable ISOTHERM_PLAN_TABLE names, if it is set;
/// - isotherm/plans.toml in the user's configuration directory, if it exists.
/// In the last file, a plan that the device does not have causes only a warning. The root reads the
/// file, and each rank parses its text for the rank's device. Collective.
/// @throws InputError  on every rank, if the file cannot be read, has an error, or names a plan
/// that
///                     the device of some rank does not have
PlanFile read_plan_file(mpi::Communicator const& ranks,
                        std::optional<std::filesystem::path> const& wanted, Device const& device);

}  // namespace isotherm::app
