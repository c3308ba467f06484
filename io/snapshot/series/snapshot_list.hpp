#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "io/snapshot/snapshot_info.hpp"

namespace isotherm {

/// The file name extension of snapshots.
inline constexpr std::string_view snapshot_ending = ".vtkhdf";

/// Returns "DIRECTORY/u_000500.vtkhdf": six digits, or more if the iteration needs them.
std::filesystem::path snapshot_path(std::filesystem::path const& directory,
                                    std::string const& field, std::int64_t iteration);

/// Returns "DIRECTORY/u_000500.checkpoint.vtkhdf": the checkpoint of an iteration whose snapshot
/// does not hold the whole field.
std::filesystem::path checkpoint_path(std::filesystem::path const& directory,
                                      std::string const& field, std::int64_t iteration);

/// Returns true for the names that snapshot_path() and checkpoint_path() give: "u_000500.vtkhdf" if
/// `field` is "u". "u_best.vtkhdf" is not one of them: it belongs to the user.
bool is_snapshot_name(std::string_view name, std::string_view field);

/// Returns the paths in a directory that have the name of a snapshot of `field`, the lowest
/// iteration first; none if there is no such directory. @throws InputError  if the directory cannot
/// be listed
std::vector<std::filesystem::path> snapshot_paths(std::filesystem::path const& directory,
                                                  std::string const& field);

/// A snapshot file in a directory, with its description.
struct SnapshotFile {
  std::filesystem::path path;
  SnapshotInfo info;
};

/// A file that has the name of a snapshot, but cannot be read or is no snapshot.
struct RejectedFile {
  std::filesystem::path path;
  std::string reason;  ///< why; includes the name of the file
};

/// Returns all readable snapshots of `field` in `directory`, the lowest iteration first. Files that
/// cannot be read, or are not isotherm's, are skipped. If `rejected` is given, they are appended to
/// it with the reasons. Serial.
std::vector<SnapshotFile> list_snapshots(std::filesystem::path const& directory,
                                         std::string const& field,
                                         std::vector<RejectedFile>* rejected = nullptr);

/// Removes all but the last `keep` checkpoints of the list, and returns the remaining files. Serial
/// (root only).
/// @param files  in the order in which they were written
///
/// Snapshots are never removed. Neither are checkpoints of a later iteration than the last file's:
/// they belong to another continuation from the same field. If `dry_run` is true, nothing is
/// removed. Then the series can first be written without the files that are about to disappear.
std::vector<SnapshotFile> remove_old_checkpoints(std::vector<SnapshotFile> files, int keep,
                                                 bool dry_run);

}  // namespace isotherm
