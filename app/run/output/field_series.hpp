#pragma once

#include <cstdint>
#include <filesystem>
#include <mutex>
#include <vector>

#include "case/case.hpp"
#include "io/files/descriptor.hpp"
#include "io/snapshot/snapshot.hpp"

// A run writes one file per stored field (snapshot, checkpoint, final field) and a series file that
// lists them with their times for ParaView. The series must never name a missing file, nor describe
// a file wrongly: readers find values by the offsets in it.

namespace isotherm::app {

/// The field files of a run in its output directory, and the series that names them for ParaView.
///
/// Used on the root only. Any thread may call files(); only one thread at a time calls the other
/// members.
///
/// Invariant: between two calls, every entry of the series on disk names an existing file and
/// describes it correctly.
///
///   FieldSeries series(chosen);
///   series.open();
///   series.drop_outdated_entry(file, points, Precision::float64);
///   write_snapshot(…, file, …);
///   series.add(file);
///   series.update();
class FieldSeries {
 public:
  /// @param chosen  must outlive this object
  explicit FieldSeries(Case const& chosen);

  /// Lists the existing files, writes their series, and removes checkpoints beyond `keep`: an
  /// earlier run may have been killed before it did so. Serial, like all other members.
  /// @param resumed_from  the file that the run starts from. It counts as the newest file and is
  ///                      kept, even if a later checkpoint is damaged. If it lies elsewhere,
  ///                      nothing is removed
  /// @throws Error  if the directory cannot be opened, or the series cannot be written
  void open(std::filesystem::path const& resumed_from = {});
  /// Returns a copy of the list: first the files that existed before, by iteration, then those of
  /// this run. Thread-safe.
  [[nodiscard]] std::vector<SnapshotFile> files() const;
  /// Returns true if a snapshot (not a checkpoint) of this iteration exists.
  [[nodiscard]] bool has_snapshot_of(std::int64_t iteration) const;

  /// Checks that the directory of open() still has its path.
  /// @throws Error  as isotherm::require_in_place()
  void require_in_place() const;
  /// Prepares the series for writing `file`. If the file exists with another number of points or
  /// another type, the series drops it first. Its entry would point to wrong offsets otherwise.
  /// @throws Error  also as require_in_place()
  void drop_outdated_entry(std::filesystem::path const& file, Extent3 points, Precision stored);
  /// Adds a file that was written, as the newest one. It replaces an entry of the same name.
  void add(std::filesystem::path const& written);
  /// Restores the series after drop_outdated_entry() if `unwritten` could not be written. The entry
  /// of `unwritten` is read again from the disk. If that fails, the series remains without it.
  /// @param files      the list before drop_outdated_entry()
  /// @param unwritten  the file that could not be written
  ///
  /// Does not throw: the error of the write is being reported. If the series cannot be written, the
  /// next update() does so.
  void restore_entry(std::vector<SnapshotFile> files,
                     std::filesystem::path const& unwritten) noexcept;
  /// Writes the series and removes superfluous checkpoints. They are removed from the series first,
  /// which must not name a missing file.
  /// @throws Error  if the series cannot be written, or as require_in_place()
  void update();

 private:
  /// Replaces the list, under the mutex.
  void set(std::vector<SnapshotFile> files);
  /// Writes the series of `files` to the disk. The list in memory remains unchanged.
  void write(std::vector<SnapshotFile> const& files) const;

  Case const& case_;
  Descriptor directory_{};    ///< of the output directory, open since open()
  mutable std::mutex mutex_;  ///< guards files_
  std::vector<SnapshotFile> files_{};
};

}  // namespace isotherm::app
