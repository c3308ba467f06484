#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "io/snapshot/snapshot.hpp"
#include "jobs/case/case.hpp"
#include "jobs/run/field_statistics.hpp"
#include "jobs/run/run_log.hpp"
#include "solver/problem/values.hpp"

namespace isotherm {

/// Writes a solver's fields into the output directory, as files of one series, and pictures of
/// them. All members are collective.
class FieldWriter {
 public:
  /// @param chosen, log, solver  must outlive this object
  FieldWriter(mpi::Communicator const& ranks, Case const& chosen, Solver& solver, RunLog& log);

  /// The field to look at: as [output] says, and whole (so that a run may resume from it) where a
  /// checkpoint is due at the same iteration. @throws Error  where it cannot be written
  void write_snapshot(bool checkpoint_due);
  /// The whole field to resume from; all but the newest `keep` of these are removed. Where there is
  /// a snapshot of the same iteration it takes its place and stays.
  void write_checkpoint();
  /// The whole field at the end of a run, which stays.
  void write_final();
  /// `name` in the output directory, with the ending of its format; nothing where the case wants no
  /// pictures.
  void write_picture(std::string const& name);

  /// Of the field that was written last.
  [[nodiscard]] FieldStatistics statistics() const;
  [[nodiscard]] double seconds() const { return seconds_; }
  /// The series' files: those that were there by iteration, then those of this run; on the root
  /// only.
  [[nodiscard]] std::vector<SnapshotFile> const& files() const { return files_; }

 private:
  enum class Role { snapshot, checkpoint };

  void write(Role role, StorageOptions const& options);
  [[nodiscard]] bool replaces_snapshot() const;
  [[nodiscard]] SnapshotInfo describe(Role role);
  [[nodiscard]] StorageOptions whole() const;
  [[nodiscard]] StorageOptions reduced() const;
  void update_series(std::filesystem::path const& written);
  void require_finite() const;
  void read_field();
  void read_source();
  [[nodiscard]] HostValues host_values() const;

  mpi::Communicator const& ranks_;
  Case const& case_;
  Solver& solver_;
  RunLog& log_;
  HostValues values_;
  HostValues source_;  // empty unless the case asks for the source
  std::vector<SnapshotFile> files_;
  double seconds_ = 0.0;
};

}  // namespace isotherm
