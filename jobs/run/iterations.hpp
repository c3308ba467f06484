#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "jobs/basics/elapsed.hpp"
#include "jobs/run/chunking.hpp"
#include "jobs/run/field_writer.hpp"
#include "jobs/run/probes.hpp"
#include "jobs/run/progress.hpp"
#include "jobs/run/residual_log.hpp"
#include "jobs/run/snapshot_schedule.hpp"
#include "jobs/run/summary.hpp"
#include "jobs/run/time_limit.hpp"
#include "jobs/run/watch.hpp"

namespace isotherm {

/// How a solver's run is cut into chunks. Collective.
Chunking make_chunking(mpi::Communicator const& ranks, Solver& solver, Case const& chosen);

/// Takes a solver from where it stands to the end of its case, in chunks: between them it writes
/// what is due, tells how it gets on and looks whether the run is to stop. Collective.
class Iterations {
 public:
  /// The references must outlive this object. @param resumed  the solver goes on from a file
  Iterations(mpi::Communicator const& ranks, Case const& chosen, Solver& solver,
             FieldWriter& writer, RunLog& log, Watch& watch, TimeLimit& limit, bool resumed);

  /// What is to be done when the run is to be stopped, before its checkpoint is written.
  void before_stopping(std::function<void()> action) { before_stopping_ = std::move(action); }
  /// What is to be done once that is on disk, before the picture is drawn.
  void when_safe(std::function<void()> action) { when_safe_ = std::move(action); }
  /// What is to be done wherever the run has got on: by some iterations, or a file.
  void when_it_gets_on(std::function<void()> action) { got_on_ = std::move(action); }

  /// To the last iteration, the tolerance, a request to stop, or the end of its time; the field at
  /// that point is written and its picture drawn.
  Outcome run();

  /// The iteration at which the solver stands.
  [[nodiscard]] std::int64_t iteration() const { return iteration_; }
  /// Iterations done by run().
  [[nodiscard]] std::int64_t done() const { return iteration_ - first_; }
  /// Seconds that the slowest rank spent in them.
  [[nodiscard]] double solve_s() const { return solve_s_; }
  /// Why run() was stopped: "on request SIGTERM", whichever rank that reached, or "before its time
  /// is over (…)"; empty where it was not. What limits the time is known to the root alone.
  [[nodiscard]] std::string const& stop_reason() const { return stop_reason_; }
  /// As Probes::inflows().
  [[nodiscard]] std::optional<Inflows> inflows() const { return probes_.inflows(); }

 private:
  void write_first();
  void advance();
  void report(SolverState const& state, std::int64_t iterations, double seconds);
  void write_due();
  void write_what_is_due();
  void draw_what_is_due();
  void draw_what_was_due();
  void write_residuals(SolverState const& state, std::vector<Residual> const& residuals);
  void finish_tables();
  Outcome finish();
  Outcome stop();
  [[nodiscard]] bool at_end() const {
    return iteration_ >= limit_ || solver_.converged() || solver_.stalled();
  }
  [[nodiscard]] std::int64_t next_event() const;
  [[nodiscard]] std::int64_t next_picture() const;
  [[nodiscard]] bool checkpoint_due() const;
  [[nodiscard]] bool checkpoint_due_by_count() const {
    return case_.checkpoint.every > 0 && iteration_ % case_.checkpoint.every == 0;
  }
  /// True if pictures are drawn on the way; then the first and the last field have one, too.
  [[nodiscard]] bool makes_film() const {
    return case_.output.picture && case_.output.picture_every > 0;
  }
  void skip_checkpoint();
  [[nodiscard]] bool stop_wanted();

  mpi::Communicator const& ranks_;
  Case const& case_;
  Solver& solver_;
  FieldWriter& writer_;
  RunLog& log_;
  Watch& watch_;
  TimeLimit& time_limit_;
  bool resumed_;
  std::int64_t first_;
  std::int64_t iteration_;
  std::int64_t limit_;
  SnapshotSchedule schedule_;
  Chunking chunking_;
  Progress progress_;
  Probes probes_;
  std::optional<ResidualLog> residuals_;  // on the root only
  bool residuals_lag_ = false;            ///< rows could not be written, and that was said
  Elapsed since_checkpoint_{};
  bool skipping_ = false;  ///< since a checkpoint that is due was first left out
  double solve_s_ = 0.0;
  std::string stop_reason_{};
  std::function<void()> before_stopping_ = [] {};
  std::function<void()> when_safe_ = [] {};
  std::function<void()> got_on_ = [] {};
};

}  // namespace isotherm
