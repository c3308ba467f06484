#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/run/log/run_log.hpp"
#include "app/run/log/table_file.hpp"
#include "app/run/probes/probe_meter.hpp"
#include "case/case.hpp"

namespace isotherm::app {

/// Measures the case's probes during a run, at the iterations of residual checks, and appends the
/// results to their tables in the output directory. Collective.
///
/// If rows cannot be written (a full disk), this is reported once and the run continues. The rows
/// are kept and written with the next ones.
///
///   Probes probes(ranks, chosen, solver, log, {});
///   probes.measure_first();
///   while (…) {
///     solver.advance_to(probes.next(solver.iteration(), limit));
///     probes.measure_due();
///   }
///   probes.measure_last();
///   probes.finish();
class Probes {
 public:
  /// Creates the meters and, on the root, the tables. Collective.
  /// @param ranks, chosen, solver, log  must outlive this object
  /// @param resumed_at                  iteration of the file that the run resumes from, if any
  /// @throws Error  on every rank, if a table cannot be created
  Probes(mpi::Communicator const& ranks, Case const& chosen, Solver& solver, RunLog& log,
         std::optional<std::int64_t> resumed_at);

  /// Returns the first iteration after `iteration` at which the probes are due, or `limit` if that
  /// is smaller or there are no probes.
  [[nodiscard]] std::int64_t next(std::int64_t iteration, std::int64_t limit) const;

  /// Measures the field that a run starts with, into tables that are new or have lost this row.
  void measure_first();
  /// Measures the field if probes are due at this iteration.
  void measure_due();
  /// Measures the field that a run ends with.
  void measure_last();
  /// Writes rows that could not be written before.
  /// @throws Error  on every rank, if they still cannot be written
  void finish();

  /// Returns the flows into the box for the field that the solver has now, or nothing if they were
  /// not measured for it.
  [[nodiscard]] std::optional<Inflows> inflows() const;

 private:
  /// A probe with its meter and its table.
  struct ProbeTable {
    Probe const* probe;
    std::unique_ptr<ProbeMeter> meter;
    std::optional<TableFile> table{};  ///< on the root only
    std::int64_t last = -1;            ///< iteration of the table's last row; on the root only
    bool lags = false;                 ///< rows could not be written, and this was reported
  };

  /// Returns true at iteration 0 and at every check.
  [[nodiscard]] bool is_due(std::int64_t iteration) const;
  /// @param only_new_tables  write only into tables without rows
  void measure(bool only_new_tables);
  /// Stores the flows if this probe measured them.
  void note_inflows(ProbeTable const& one, std::vector<std::vector<double>> const& rows);
  /// Passes rows to the table. On the root.
  void take(ProbeTable& one, std::vector<std::vector<double>> const& rows);
  /// Writes the table's rows. On the root.
  void write(ProbeTable& one);

  mpi::Communicator const& ranks_;
  Case const& case_;
  Solver& solver_;
  RunLog& log_;
  bool has_time_;  ///< the method advances time, so rows have a column for it
  std::optional<std::int64_t> measured_at_{};  ///< iteration of the last complete measurement
  std::optional<Inflows> inflows_{};
  std::int64_t inflows_at_ = -1;  ///< iteration of inflows_
  std::vector<ProbeTable> all_{};
};

/// Refuses to continue tables in the output directory that contain something else than the case's
/// probes would write. Serial, on the root.
/// @param former      text of the case that the resumed run had, stored in its file; of the same
///                    problem
/// @param resumed_at  iteration of that file
/// @throws InputError  naming the probe
void require_same_probes(Case const& chosen, std::string const& former, std::int64_t resumed_at);

/// Checks that a file is a probe's table. Serial.
/// @throws InputError  naming the first bad row
void check_probe_table(std::filesystem::path const& path);

}  // namespace isotherm::app
