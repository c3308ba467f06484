#pragma once

#include <filesystem>

#include "io/snapshot/snapshot_info.hpp"

namespace isotherm {

/// Reads all values in a file, of all fields, and checks them: their checksums, the coordinates of
/// the axes and, if a run may resume from the file, that its field is finite. Serial.
/// @param info  as read_snapshot_info returned it
/// @throws InputError  if they are damaged
void verify_snapshot(std::filesystem::path const& path, SnapshotInfo const& info);

/// Returns true if another program, such as h5repack, has rewritten the whole file. The checksums
/// of its values still hold. Serial. @throws InputError  if the file cannot be read
bool was_rewritten(std::filesystem::path const& path);

}  // namespace isotherm
