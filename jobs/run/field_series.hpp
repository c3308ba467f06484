#pragma once

#include <cstdint>
#include <filesystem>
#include <mutex>
#include <vector>

#include "io/files/descriptor.hpp"
#include "io/snapshot/snapshot.hpp"
#include "jobs/case/case.hpp"

namespace isotherm {

/// The files of a run's fields in its output directory, and the series that names them for
/// ParaView. The root's; any thread may ask for the files, one at a time changes them.
class FieldSeries {
 public:
  explicit FieldSeries(Case const& chosen);

  /// Reads which files are there, writes the series of them, and removes checkpoints beyond `keep`:
  /// an earlier run may have been killed before it did so. Serial, as all that follows.
  /// @param resumed_from  the file that the run starts from. It counts as the newest and stays,
  /// even
  ///                      if a later checkpoint is damaged. Nothing is removed if it is elsewhere
  /// @throws Error
  void open(std::filesystem::path const& resumed_from = {});
  /// Those that were there by iteration, then those of this run.
  [[nodiscard]] std::vector<SnapshotFile> files() const;
  [[nodiscard]] bool has_snapshot_of(std::int64_t iteration) const;

  /// As require_in_place(), of the directory that was open()ed. @throws Error
  void require_in_place() const;
  /// Before a file is written: a series tells where the values lie in a file, and of one that other
  /// values take the place of, it tells no more.
  /// @throws Error  also as require_in_place()
  void make_way(std::filesystem::path const& file, Extent3 points, Precision stored);
  /// Takes a file that was written, as the newest, and forgets what had its name.
  void add(std::filesystem::path const& written);
  /// After a file could not be written, for which way was made: these are the files as before, but
  /// that one as it is now. Where it cannot be read it is left out; where the series cannot be
  /// written, update() does so.
  void take_back(std::vector<SnapshotFile> files, std::filesystem::path const& unwritten) noexcept;
  /// Has the series name the files, and removes checkpoints that are too many: from the series
  /// first, which must not name a file that is missing.
  void update();

 private:
  void set(std::vector<SnapshotFile> files);
  void write(std::vector<SnapshotFile> const& files) const;

  Case const& case_;
  Descriptor directory_{};
  mutable std::mutex mutex_;  // of the list
  std::vector<SnapshotFile> files_{};
};

}  // namespace isotherm
