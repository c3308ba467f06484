#include "io/snapshot/series/snapshot_list.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <system_error>
#include <utility>

#include "kernels/core/error.hpp"

namespace isotherm {
namespace {

/// Precedes the file name extension of checkpoints.
constexpr std::string_view checkpoint_mark = ".checkpoint";

}  // namespace

bool is_snapshot_name(std::string_view name, std::string_view field) {
  constexpr std::string_view end = snapshot_ending;
  // The form is FIELD_DIGITS.vtkhdf or FIELD_DIGITS.checkpoint.vtkhdf.
  if (name.size() <= field.size() + 1 + end.size() || !name.starts_with(field) ||
      name[field.size()] != '_' || !name.ends_with(end)) {
    return false;
  }
  // Only the number, possibly followed by the mark of checkpoints, remains.
  name.remove_prefix(field.size() + 1);
  name.remove_suffix(end.size());
  if (name.ends_with(checkpoint_mark)) name.remove_suffix(checkpoint_mark.size());
  return !name.empty() && name.find_first_not_of("0123456789") == std::string_view::npos;
}

std::filesystem::path snapshot_path(std::filesystem::path const& directory,
                                    std::string const& field, std::int64_t iteration) {
  return directory / fmt::format("{}_{:06d}.vtkhdf", field, iteration);
}

std::filesystem::path checkpoint_path(std::filesystem::path const& directory,
                                      std::string const& field, std::int64_t iteration) {
  return directory / fmt::format("{}_{:06d}{}.vtkhdf", field, iteration, checkpoint_mark);
}

std::vector<std::filesystem::path> snapshot_paths(std::filesystem::path const& directory,
                                                  std::string const& field) {
  std::vector<std::filesystem::path> paths;
  std::error_code failure;
  std::filesystem::directory_iterator const entries(directory, failure);
  bool const missing =
      failure == std::errc::no_such_file_or_directory || failure == std::errc::not_a_directory;
  // A directory that cannot be read must not be mistaken for an empty one.
  if (failure && !missing) {
    throw InputError(directory.string() + " cannot be listed: " + failure.message());
  }
  for (auto const& entry : entries) {
    if (is_snapshot_name(entry.path().filename().string(), field)) {
      paths.push_back(entry.path());
    }
  }
  // Shorter names first: iterations have six digits or more, so this is the order of the
  // iterations.
  std::ranges::sort(paths, {}, [](std::filesystem::path const& path) {
    return std::pair(path.native().size(), path);
  });
  return paths;
}

std::vector<SnapshotFile> list_snapshots(std::filesystem::path const& directory,
                                         std::string const& field,
                                         std::vector<RejectedFile>* rejected) {
  std::vector<SnapshotFile> files;
  for (auto const& path : snapshot_paths(directory, field)) {
    try {
      files.push_back({path, read_snapshot_info(path)});
    } catch (InputError const& error) {
      if (rejected != nullptr) {
        rejected->push_back({path, error.what()});
      }
    }
  }
  // Stable: of two files of one iteration the order of their names is kept.
  std::stable_sort(files.begin(), files.end(), [](auto const& a, auto const& b) {
    return a.info.iteration < b.info.iteration;
  });
  return files;
}

// The list is traversed from the newest file to the oldest, so the last `keep` checkpoints are met
// first.
std::vector<SnapshotFile> remove_old_checkpoints(std::vector<SnapshotFile> files, int keep,
                                                 bool dry_run) {
  std::vector<SnapshotFile> remaining;
  std::int64_t const newest = files.empty() ? 0 : files.back().info.iteration;
  int kept = 0;
  std::for_each(files.rbegin(), files.rend(), [&](SnapshotFile& file) {
    // A checkpoint of a later iteration than the last file's belongs to another continuation of the
    // run. It is not counted and not removed.
    bool const counts = file.info.is_checkpoint && file.info.iteration <= newest;
    if (!counts || kept++ < keep) {
      remaining.push_back(std::move(file));
    } else if (!dry_run) {
      std::error_code ignored;  // a file that cannot be removed does no harm
      std::filesystem::remove(file.path, ignored);
    }
  });
  std::reverse(remaining.begin(), remaining.end());
  return remaining;
}

}  // namespace isotherm
