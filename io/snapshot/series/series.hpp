#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "io/files/atomic_file.hpp"
#include "io/snapshot/series/snapshot_list.hpp"

namespace isotherm {

/// Returns true if two files hold the same fields of one type at the same points. Only such files
/// can be shown as one series. The names of the main fields are not compared.
bool same_kind(SnapshotInfo const& a, SnapshotInfo const& b);

/// Writes FIELD.xmf and FIELD.vtkhdf.series, which open `files` in ParaView as a series in time, or
/// in iterations for a steady problem. Serial.
///
/// A series names the files that exist and are of the same kind as the last snapshot. If there are
/// only checkpoints, the last file determines the kind. Of several files of one time it names the
/// last one. If there are snapshots, FIELD_snapshots.xmf and FIELD_snapshots.vtkhdf.series name
/// only these: checkpoints add frames at irregular times, above all after an interruption. Each
/// file is replaced atomically, after the files that it names are complete.
///
///   auto files = list_snapshots(directory, "u");
///   auto const kept = remove_old_checkpoints(files, keep, true);  // dry run
///   write_series(directory, "u", kept, steady);
///   (void)remove_old_checkpoints(files, keep, false);
/// @param files        in the order in which they were written
/// @param may_replace  called before each of the series is replaced
void write_series(std::filesystem::path const& directory, std::string const& field,
                  std::vector<SnapshotFile> const& files, bool steady,
                  MayReplace const& may_replace = {});

/// Returns the name of the series that has only snapshots, without its extension: "u_snapshots".
std::string name_of_snapshots(std::string const& field);

}  // namespace isotherm
