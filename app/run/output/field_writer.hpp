#pragma once

#include <exception>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/run/log/run_log.hpp"
#include "app/run/output/background.hpp"
#include "app/run/output/field_series.hpp"
#include "app/run/output/field_statistics.hpp"
#include "app/run/output/output_counts.hpp"
#include "app/run/output/vector_fields.hpp"
#include "case/basics/elapsed.hpp"
#include "case/case.hpp"
#include "decomposition/field/point_mask.hpp"
#include "decomposition/field/staging/field_copy.hpp"
#include "io/snapshot/snapshot.hpp"
#include "solver/problem/values.hpp"

// Output of fields. Asynchronous output hides the time of the disk. The field is copied (on a
// device within its memory), and the solver continues. A background thread transfers the copy to
// the host and writes it collectively through its own communicator. The last file of a run is
// always written synchronously.

namespace isotherm::app {

/// Writes a solver's fields, as files of one series, and their pictures into the output directory.
///
/// A field is copied and then written by a background thread while the solver continues. If that is
/// not possible or not wanted, the solver waits for the file. All members that write or wait are
/// collective and are called on the main thread.
///
/// At most one field is being written at a time. A new request first waits for the previous field.
///
/// If a field cannot be written (a full disk), this is reported and counted, and the run continues.
/// Older files are kept, and the next field may find room. Only the last field must be written. A
/// field that no file can hold, since it is not finite, ends the run.
///
///   FieldWriter writer(ranks, chosen, solver, log, true);
///   while (…) {
///     solver.advance_to(next);
///     writer.poll();
///     if (checkpoint_due) writer.write_checkpoint();
///   }
///   writer.write_final();
class FieldWriter {
 public:
  /// @param ranks, chosen, solver, log  must outlive this object
  /// @param in_background               if true, the solver continues while a field is written
  /// @param resumed_from                see FieldSeries::open()
  FieldWriter(mpi::Communicator const& ranks, Case const& chosen, Solver& solver, RunLog& log,
              bool in_background, std::filesystem::path const& resumed_from = {});
  /// Waits for the current file. If an exception ends the run and the current file never completes,
  /// aborts all ranks.
  ~FieldWriter();
  FieldWriter(FieldWriter const&) = delete;
  FieldWriter& operator=(FieldWriter const&) = delete;

  /// Writes the field for viewing, with the cut and precision of [output].
  ///
  /// If a checkpoint is due at the same iteration, the snapshot serves as one; if [output] reduces
  /// snapshots, a separate checkpoint file is written. Waits until the previous field is written.
  /// @throws Error  if this field, or the previous one, is not finite or exceeds the range of its
  ///                type
  void write_snapshot(bool checkpoint_due);
  /// Writes the whole field for resuming. All but the newest `keep` checkpoints are removed. If an
  /// unreduced snapshot of the same iteration exists, this file replaces it and is kept like a
  /// snapshot. Otherwise like write_snapshot().
  void write_checkpoint();
  /// Like write_checkpoint(), but the file is on disk when this returns. Does nothing if the whole
  /// field of this iteration is written already.
  /// @throws Error  also if it could not be written
  void write_last_checkpoint();
  /// Writes the field at the end of a run, for viewing and for resuming. It is never removed, and
  /// it is on disk when this returns.
  /// @throws Error  also if it could not be written
  void write_final();
  /// Sets the point at which a criterion ended the run. The files that follow store it.
  void set_stop_point(std::optional<StopPoint> const& point) { stop_point_ = point; }
  /// Draws the field into the file `name` of the output directory; the extension is added. Does
  /// nothing if [output] picture is not set.
  /// @throws Error  on every rank, if the picture cannot be written
  void write_picture(std::string const& name);
  /// Like write_picture(), but if the picture cannot be written, the log reports it and the run
  /// continues.
  void try_picture(std::string const& name);
  /// Like try_picture(), but only if the output directory has no such picture.
  void try_missing_picture(std::string const& name);

  /// Removes numbered pictures of this run whose iterations are not multiples of `every`. A second
  /// call with the same `every` does nothing. Collective; the root works.
  void thin_frames(std::int64_t every);

  /// Joins the pictures drawn during this run, and before it was resumed, to the film of [output],
  /// if one is wanted. If it cannot be written, the log reports it. Collective; the root works.
  void try_film();

  /// Finishes the current field if all ranks have written their parts; does not wait. Call it after
  /// each chunk of iterations.
  /// @throws Error  like write_snapshot()
  void poll();
  /// Returns true if a field was still being written at the last poll().
  [[nodiscard]] bool busy() const { return pending_field_.has_value(); }
  /// Counts and reports a checkpoint that is skipped since the previous field is still being
  /// written.
  void skip_checkpoint();

  /// Returns statistics of the field that was written last, or of the present one if none was.
  /// Collective.
  [[nodiscard]] FieldStatistics statistics();
  /// Returns the range of the same field at the points of a set (range_over()). Collective.
  /// @pre  statistics() was called
  [[nodiscard]] ValueRange range_at(PointSet const& points) const;
  /// Returns the maximum on the planes of the picture; none without a picture in 3D. Collective.
  /// @pre  statistics() was called
  [[nodiscard]] std::optional<double> largest_drawn() const;
  /// Returns the seconds that the solver waited for output.
  [[nodiscard]] double seconds() const { return seconds_; }
  /// Returns the longest time from copying a field to its finished file, in seconds; 0 before the
  /// first.
  [[nodiscard]] double longest_write_s() const { return longest_write_s_; }
  /// Returns how many fields were written, failed or were skipped.
  [[nodiscard]] OutputCounts const& counts() const { return counts_; }
  /// Returns the files of the series: those that existed before, by iteration, then those of this
  /// run. On the root only.
  [[nodiscard]] std::vector<SnapshotFile> files() const { return series_.files(); }

  /// Announces that an exception is about to end the run, perhaps on this rank alone. Waits a
  /// limited time for the current file.
  /// @param why  the reason, which the destructor reports if the file never completes
  /// @return     counts(), including the current file if it completed
  OutputCounts run_fails(std::string const& why);

 private:
  /// The purpose of a file: snapshots are kept, old checkpoints are removed.
  enum class Role { snapshot, checkpoint };
  enum class Place { any, last };  ///< position among the files of a run
  /// A file to be written.
  struct File {
    SnapshotInfo info;
    std::filesystem::path path;
    StorageOptions options;
  };
  /// The field that is being written, and all files that it is written to.
  struct PendingField {
    std::vector<File> files;
    Place place;
    double seconds = 0.0;  ///< time spent writing them
  };

  /// Copies the field and writes it, in the background if possible.
  void write(std::vector<File> files, Place place);
  /// Writes the current field on the calling thread.
  void try_writing(mpi::Communicator const& ranks, std::function<void()> const& fetch);
  /// Writes one file and adds it to the series.
  void write_file(mpi::Communicator const& ranks, File const& file);
  /// Writes the values of one file.
  SnapshotTimes write_values(mpi::Communicator const& ranks, File const& file);
  /// Number of points that the file stores along each axis.
  [[nodiscard]] Extent3 points_in(File const& file) const;
  /// Type of the values in the file.
  [[nodiscard]] Precision stored_type(File const& file) const;
  /// Returns the path of a picture: `name` with the extension of its format.
  [[nodiscard]] std::filesystem::path picture_path(std::string const& name) const;
  /// Waits until no field is being written.
  void settle();
  /// Takes note of the finished field: counts it, or handles its failure.
  void conclude();
  /// Returns true if only this rank failed, and long enough ago that the others apparently do not
  /// know.
  [[nodiscard]] bool failed_here_alone();
  /// Reports a field that could not be written, if the run continues.
  void report_write_failure(PendingField const& field, std::exception const& failure);
  /// Returns the files of a snapshot; with a separate checkpoint if one is due and needed.
  [[nodiscard]] std::vector<File> snapshot_files(bool checkpoint_due);
  /// Returns the file of a checkpoint of the present iteration.
  [[nodiscard]] File checkpoint_file();
  /// Path of a file for the present iteration.
  [[nodiscard]] std::filesystem::path path() const;
  /// Returns true if a snapshot of this iteration exists.
  [[nodiscard]] bool replaces_snapshot() const;
  /// Returns the description that the file stores with the values.
  [[nodiscard]] SnapshotInfo describe(Role role);
  /// Storage options of a file that a run can resume from.
  [[nodiscard]] StorageOptions whole() const;
  /// Storage options of a snapshot, with the cut and precision of [output].
  [[nodiscard]] StorageOptions reduced() const;
  /// Adds a file that was written to the series. On the root.
  void add_to_series(std::filesystem::path const& written);
  /// Copies the present field into values_.
  void read_field();
  /// Copies the present source into source_.
  void read_source();
  /// Sets a field to the values of a function of the problem and a point, the first time.
  template <class Function>
  void evaluate_once(HostValues& field, Function const& function);
  /// Allocates host memory for the points that this rank owns.
  [[nodiscard]] HostValues host_values() const;

  mpi::Communicator const& ranks_;
  Case const& case_;
  Solver& solver_;
  RunLog& log_;
  HostValues values_;     ///< the field being written; also read by statistics()
  HostValues source_;     ///< empty unless [output] fields includes the source
  HostValues material_;   ///< material numbers; empty unless the case asks for them
  HostValues share_;      ///< shares of control volumes in the medium; likewise
  VectorFields vectors_;  ///< gradient and flux density, if [output] fields includes them
  PointMask excluded_;    ///< which owned points statistics and pictures leave out
  OutputCounts counts_{};
  double seconds_ = 0.0;                         ///< see seconds()
  double longest_write_s_ = 0.0;                 ///< see longest_write_s()
  std::optional<PendingField> pending_field_{};  ///< none: no field is being written
  std::optional<Elapsed> since_own_failure_{};   ///< since poll() saw a failure of this rank alone
  std::optional<std::int64_t> whole_at_{};  ///< iteration of the last whole field that was written
  std::int64_t thinned_to_ = 0;             ///< `every` of the last thin_frames(); 0: none
  std::string why_run_fails_{};             ///< see run_fails()
  std::optional<StopPoint> stop_point_{};   ///< see set_stop_point()

  // Members used by the background thread. The main thread may use them only while no field is
  // being written.
  std::exception_ptr failure_{};  ///< why the current field could not be written
  FieldSeries series_;
  /// Its own, so its messages never meet the solver's.
  std::optional<mpi::Communicator> background_ranks_{};
  std::optional<FieldCopy> copy_{};  ///< the copy on the device, before it reaches values_
  /// Last member: it ends before the members that it uses.
  std::unique_ptr<Background> background_{};
};

}  // namespace isotherm::app
