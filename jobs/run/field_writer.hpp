#pragma once

#include <exception>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "decomposition/field/field_copy.hpp"
#include "io/snapshot/snapshot.hpp"
#include "jobs/basics/elapsed.hpp"
#include "jobs/case/case.hpp"
#include "jobs/run/background.hpp"
#include "jobs/run/field_series.hpp"
#include "jobs/run/field_statistics.hpp"
#include "jobs/run/output_counts.hpp"
#include "jobs/run/run_log.hpp"
#include "jobs/run/vector_fields.hpp"
#include "solver/problem/values.hpp"

namespace isotherm {

/// Writes a solver's fields into the output directory, as files of one series, and pictures of
/// them. A field is copied, and written by a thread of its own while the solver goes on; or, where
/// that is not possible or not wanted, while the solver waits. All members are collective.
///
/// A field that cannot be written (a full disk) is said and counted, and the run goes on: older
/// files stay, and the next field may find room. Only the last one has to be written. Fields that
/// no file could hold, as they are not finite, end the run.
class FieldWriter {
 public:
  /// @param chosen, log, ranks, solver  must outlive this object
  /// @param in_background               the solver goes on while a field is written
  /// @param resumed_from                see FieldSeries::open()
  FieldWriter(mpi::Communicator const& ranks, Case const& chosen, Solver& solver, RunLog& log,
              bool in_background, std::filesystem::path const& resumed_from = {});
  /// Waits for the file in hand. Where an exception ends the run and the file does not come to its
  /// end, ends all ranks.
  ~FieldWriter();
  FieldWriter(FieldWriter const&) = delete;
  FieldWriter& operator=(FieldWriter const&) = delete;

  /// The field to look at: as [output] says. Where a checkpoint is due at the same iteration, it is
  /// that, too, or, where [output] takes something away, beside one. Waits until the file before is
  /// written.
  /// @throws Error  where this field, or the one before, is not finite or too large for its type
  void write_snapshot(bool checkpoint_due);
  /// The whole field to resume from; all but the newest `keep` of these are removed. Where there is
  /// a snapshot of the same iteration, of the whole field too, it takes its place and stays.
  /// Otherwise as write_snapshot().
  void write_checkpoint();
  /// As write_checkpoint(), and on disk when this returns. @throws Error  also where it is not
  void write_last_checkpoint();
  /// The field at the end of a run, which stays: to look at, and to resume from; on disk when this
  /// returns. @throws Error  also where it is not
  void write_final();
  /// `name` in the output directory, with the ending of its format; nothing where the case wants no
  /// pictures.
  void write_picture(std::string const& name);
  /// The same; if it cannot be written, the log says so, and the run continues.
  void try_picture(std::string const& name);
  /// As try_picture(), but only if the output directory has no such picture.
  void try_missing_picture(std::string const& name);

  /// Takes note of the file in hand where it is written by now. To be called often.
  /// @throws Error  as write_snapshot()
  void look();
  /// True where a file is in hand that was not written when this object last looked.
  [[nodiscard]] bool busy() const { return in_hand_.has_value(); }
  /// Counts a checkpoint that is left out because of that.
  void skip_checkpoint();

  /// Statistics of the field that was written last; of the present one if none was. Collective.
  [[nodiscard]] FieldStatistics statistics();
  /// That the solver waited for.
  [[nodiscard]] double seconds() const { return seconds_; }
  /// From the copy of a field to its file: the longest so far; 0 before the first.
  [[nodiscard]] double longest_write_s() const { return longest_write_s_; }
  [[nodiscard]] OutputCounts const& counts() const { return counts_; }
  /// The series' files: those that were there by iteration, then those of this run; on the root
  /// only.
  [[nodiscard]] std::vector<SnapshotFile> files() const { return series_.files(); }

  /// To be told why, where an exception is about to end the run, perhaps on this rank alone. Waits
  /// for the file in hand, but not for ever. @return  counts(), with that file
  OutputCounts run_fails(std::string const& why);

 private:
  enum class Role { snapshot, checkpoint };
  enum class Place { any, last };  ///< among a run's files
  struct File {
    SnapshotInfo info;
    std::filesystem::path path;
    StorageOptions options;
  };
  /// One field, and all files that it goes into.
  struct FieldInHand {
    std::vector<File> files;
    Place place;
    double seconds = 0.0;  ///< that writing them took
  };

  void write(std::vector<File> files, Place place);
  void try_writing(mpi::Communicator const& ranks, std::function<void()> const& fetch);
  void write_file(mpi::Communicator const& ranks, File const& file);
  SnapshotTimes write_values(mpi::Communicator const& ranks, File const& file);
  [[nodiscard]] Extent3 points_in(File const& file) const;
  [[nodiscard]] Precision stored_type(File const& file) const;
  [[nodiscard]] std::filesystem::path picture_path(std::string const& name) const;
  void settle();
  void conclude();
  [[nodiscard]] bool failed_here_alone();
  void tell_failure(FieldInHand const& field, std::exception const& failure);
  [[nodiscard]] std::vector<File> snapshot_files(bool checkpoint_due);
  [[nodiscard]] File checkpoint_file();
  [[nodiscard]] std::filesystem::path path() const;
  [[nodiscard]] bool replaces_snapshot() const;
  [[nodiscard]] SnapshotInfo describe(Role role);
  [[nodiscard]] StorageOptions whole() const;
  [[nodiscard]] StorageOptions reduced() const;
  void enlist(std::filesystem::path const& written);
  void read_field();
  void read_source();
  [[nodiscard]] HostValues host_values() const;

  mpi::Communicator const& ranks_;
  Case const& case_;
  Solver& solver_;
  RunLog& log_;
  HostValues values_;
  HostValues source_;  // empty unless the case asks for the source
  VectorFields vectors_;
  OutputCounts counts_{};
  double seconds_ = 0.0;
  double longest_write_s_ = 0.0;
  std::optional<FieldInHand> in_hand_{};
  std::optional<Elapsed> since_own_failure_{};
  std::optional<std::int64_t> whole_at_{};  ///< iteration of the last field written as a whole
  std::string why_run_fails_{};

  // What the thread in the background uses; this object's own members only while nothing is in
  // hand.
  std::exception_ptr failure_{};
  FieldSeries series_;
  std::optional<mpi::Communicator> background_ranks_{};
  std::optional<FieldCopy> copy_{};
  std::unique_ptr<Background> background_{};  // last: it ends before what it uses
};

}  // namespace isotherm
