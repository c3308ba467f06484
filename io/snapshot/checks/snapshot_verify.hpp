#pragma once

#include <filesystem>

#include "io/snapshot/snapshot_info.hpp"

namespace isotherm {

/// Reads and checks the values of all fields in a file. It compares the checksums and the
/// coordinates of the axes. If a run may resume from the file, its field must also be finite.
/// Serial. Values are read piece by piece, so a file may be larger than the memory.
/// @param info  as read_snapshot_info returned it
/// @throws InputError  if they are damaged
void verify_snapshot(std::filesystem::path const& path, SnapshotInfo const& info);

/// Returns true if another program, such as h5repack, has rewritten the whole file. The checksums
/// of its values still hold. Serial. @throws InputError  if the file cannot be read
bool was_rewritten(std::filesystem::path const& path);

}  // namespace isotherm
