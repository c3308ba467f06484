#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "jobs/case/case.hpp"
#include "jobs/run/probe_meter.hpp"
#include "jobs/run/run_log.hpp"
#include "jobs/run/table_file.hpp"

namespace isotherm {

/// Measures what the case's probes ask for while a run goes on, where residuals are measured, and
/// writes it to their tables in the output directory. Collective.
///
/// Rows that cannot be written (a full disk) are said once and kept, and the run goes on; they are
/// tried again with the next.
class Probes {
 public:
  /// @param chosen, log, ranks, solver  must outlive this object
  /// @param resumed_at                  the iteration of the file from which the run goes on
  Probes(mpi::Communicator const& ranks, Case const& chosen, Solver& solver, RunLog& log,
         std::optional<std::int64_t> resumed_at);

  /// The first iteration after this one at which the probes are due, or `limit` where that is
  /// nearer or there are none.
  [[nodiscard]] std::int64_t next(std::int64_t iteration, std::int64_t limit) const;

  /// The field that a run begins with: into a table that is new, or that has lost this row.
  void measure_first();
  /// Where they are due.
  void measure_due();
  /// The field that a run ends with.
  void measure_last();
  /// Writes what could not be written. @throws Error  on every rank, where it still cannot be
  void finish();

  /// What flows into the box, of the field that the solver holds; none where that was not measured.
  [[nodiscard]] std::optional<Inflows> inflows() const;

 private:
  struct One {
    Probe const* probe;
    std::unique_ptr<ProbeMeter> meter;
    std::optional<TableFile> table{};  ///< the root's
    std::int64_t last = -1;            ///< iteration of the table's last row, the root's
    bool lags = false;                 ///< rows could not be written, and that was said
  };

  [[nodiscard]] bool is_due(std::int64_t iteration) const;
  void measure(bool only_new_tables);
  void note_inflows(One const& one, std::vector<std::vector<double>> const& rows);
  void take(One& one, std::vector<std::vector<double>> const& rows);
  void write(One& one);

  mpi::Communicator const& ranks_;
  Case const& case_;
  Solver& solver_;
  RunLog& log_;
  bool has_time_;
  std::optional<std::int64_t> measured_at_{};
  std::optional<Inflows> inflows_{};
  std::int64_t inflows_at_ = -1;
  std::vector<One> all_{};
};

/// Refuses to go on with tables in the case's output directory that hold something else than its
/// probes would write into them. Serial: the root's.
/// @param former      the case of the run that is gone on with, of the same problem, as its file
/// has it
/// @param resumed_at  the iteration of that file
/// @throws InputError  naming the probe
void require_same_probes(Case const& chosen, std::string const& former, std::int64_t resumed_at);

/// Makes sure that a file is a probe's table. Serial. @throws InputError  naming a row that is none
void check_probe_table(std::filesystem::path const& path);

}  // namespace isotherm
