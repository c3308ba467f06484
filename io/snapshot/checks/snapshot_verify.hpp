#pragma once

#include <filesystem>

#include "io/snapshot/snapshot_info.hpp"

namespace isotherm {

/// Reads all values in a file, of all fields, and checks them: their checksums, the coordinates of
/// the axes and, if a run may resume from the file, that its field is finite. Serial.
/// @param info  as read_snapshot_info returned it
/// @throws InputError  if they are damaged
void verify_snapshot(std::filesystem::path const& path, SnapshotInfo const& info);

}  // namespace isotherm
