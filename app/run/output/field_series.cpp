#include "app/run/output/field_series.hpp"

#include <algorithm>
#include <exception>
#include <fcntl.h>
#include <system_error>
#include <utility>

#include "app/run/output/output_directory.hpp"

// The order of operations protects readers such as ParaView, which may open the series at any time.
// An entry disappears before its file is removed or changes its layout, and appears after the file
// is complete.

namespace isotherm::app {

FieldSeries::FieldSeries(Case const& chosen) : case_(chosen) {}

void FieldSeries::open(std::filesystem::path const& resumed_from) {
  // The open descriptor identifies the directory later, even if its path then leads elsewhere.
  directory_ = open_file(case_.output.directory, O_RDONLY | O_DIRECTORY);
  std::vector<SnapshotFile> all = list_snapshots(case_.output.directory, "u");
  if (all.empty()) return;
  auto const start = std::ranges::find_if(all, [&](SnapshotFile const& file) {
    std::error_code missing;  // a file that does not exist is not equivalent
    return std::filesystem::equivalent(file.path, resumed_from, missing);
  });
  bool const found = start != all.end();
  if (found) std::rotate(start, start + 1, all.end());  // to the end, the place of the newest file
  set(std::move(all));
  // Removes old checkpoints only if the run resumes from one of these files.
  found ? update() : write(files());
}

std::vector<SnapshotFile> FieldSeries::files() const {
  std::lock_guard const lock(mutex_);
  return files_;
}

void FieldSeries::set(std::vector<SnapshotFile> files) {
  std::lock_guard const lock(mutex_);
  files_ = std::move(files);
}

bool FieldSeries::has_snapshot_of(std::int64_t iteration) const {
  return std::ranges::any_of(files(), [&](SnapshotFile const& file) {
    return file.info.iteration == iteration && !file.info.is_checkpoint;
  });
}

void FieldSeries::require_in_place() const {
  app::require_in_place(directory_, case_.output.directory);
}

void FieldSeries::drop_outdated_entry(std::filesystem::path const& file, Extent3 points,
                                      Precision stored) {
  require_in_place();
  std::vector<SnapshotFile> all = files();
  // Entries whose geometry or type will differ. A file of the same layout keeps its offsets and so
  // its entry.
  std::size_t const others = std::erase_if(all, [&](SnapshotFile const& old) {
    return old.path == file && (old.info.grid.points != points || old.info.stored_type != stored);
  });
  if (others == 0) return;
  write(all);
  set(std::move(all));
}

void FieldSeries::add(std::filesystem::path const& written) {
  std::vector<SnapshotFile> all = files();
  std::erase_if(all, [&](SnapshotFile const& file) { return file.path == written; });
  // At the end, so it counts as the newest even if files of later iterations existed before.
  all.push_back({written, read_snapshot_info(written)});
  set(std::move(all));
}

/// The entries restored are those of files that still exist; the unwritten file may have its old
/// contents.
void FieldSeries::restore_entry(std::vector<SnapshotFile> files,
                                std::filesystem::path const& unwritten) noexcept try {
  if (files.size() == this->files().size()) return;  // drop_outdated_entry() changed nothing
  for (SnapshotFile& file : files) {
    if (file.path == unwritten) file.info = read_snapshot_info(unwritten);
  }
  set(files);
  write(files);
} catch (std::exception const&) {  // the error of the write itself is reported
}

void FieldSeries::update() {
  require_in_place();
  std::vector<SnapshotFile> all = files();
  // The dry run gives the list without old checkpoints. The series is written first, then the files
  // are removed.
  write(remove_old_checkpoints(all, case_.checkpoint.keep, true));
  set(remove_old_checkpoints(std::move(all), case_.checkpoint.keep, false));
}

/// Writes the series of `files`. Steady problems have iterations in place of times.
void FieldSeries::write(std::vector<SnapshotFile> const& files) const {
  write_series(case_.output.directory, "u", files, case_.problem.equation != Equation::diffusion,
               [this] { require_in_place(); });
}

}  // namespace isotherm::app
