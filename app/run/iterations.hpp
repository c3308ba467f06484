#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/run/log/residual_log.hpp"
#include "app/run/output/field_writer.hpp"
#include "app/run/probes/probes.hpp"
#include "app/run/probes/stop_event.hpp"
#include "app/run/report/progress.hpp"
#include "app/run/report/summary.hpp"
#include "app/run/schedule/chunking.hpp"
#include "app/run/schedule/snapshot_schedule.hpp"
#include "app/run/schedule/time_limit.hpp"
#include "app/run/watch/watch.hpp"
#include "case/basics/elapsed.hpp"

// The main loop of a run: advance by a chunk of iterations, measure probes, write output that is
// due, check for a request to stop. All ranks take the same branches, since every decision is
// collective or depends on numbers that all ranks have.

namespace isotherm::app {

/// Returns the chunking of a solver's run, with a first guess of its speed. Collective.
Chunking make_chunking(mpi::Communicator const& ranks, Solver& solver, Case const& chosen);

/// Advances a solver from its present iteration to the end of its case.
///
/// Works in chunks. Between two chunks it writes output that is due, reports progress and checks
/// whether the run has to stop. The constructor and run() are collective; run() is called on the
/// main thread.
///
///   Iterations iterations(ranks, chosen, solver, writer, log, watch, limit, false);
///   iterations.before_stopping([&] { log.line("stopping"); });
///   Outcome const outcome = iterations.run();
class Iterations {
 public:
  /// Opens residuals.csv on the root and creates the probes. Collective.
  /// @param resumed  true if the solver starts from a file. All references must outlive this object
  /// @throws Error  on every rank, if a table cannot be created
  Iterations(mpi::Communicator const& ranks, Case const& chosen, Solver& solver,
             FieldWriter& writer, RunLog& log, Watch& watch, TimeLimit& limit, bool resumed);

  /// Sets a function that run() calls when the run has to stop, before its checkpoint is written.
  void before_stopping(std::function<void()> action) { before_stopping_ = std::move(action); }
  /// Sets a function that run() calls once that checkpoint is on disk, before the picture is drawn.
  void on_checkpoint_written(std::function<void()> action) {
    on_checkpoint_written_ = std::move(action);
  }
  /// Sets a function that run() calls after each chunk, and again when the output that is due then
  /// has been written or begun.
  void on_progress(std::function<void()> action) { on_progress_ = std::move(action); }

  /// Advances to the last iteration, the tolerance, a request to stop, or the end of the available
  /// time. The field of that iteration is written and its picture drawn.
  /// @throws Error  if the last field or a table cannot be written, or as Solver::advance_to()
  /// @pre called once
  Outcome run();

  /// Returns the present iteration of the solver.
  [[nodiscard]] std::int64_t iteration() const { return iteration_; }
  /// Returns the number of iterations done by run().
  [[nodiscard]] std::int64_t done() const { return iteration_ - first_; }
  /// Returns the seconds that the slowest rank spent in them.
  [[nodiscard]] double solve_s() const { return solve_s_; }
  /// Returns why run() was stopped, or an empty text if it was not. Examples: "because of SIGTERM",
  /// for a signal to any rank; "before its time limit (run.wall_time)". Only the root knows the
  /// source of the time limit.
  [[nodiscard]] std::string const& stop_reason() const { return stop_reason_; }
  /// Returns where the run met its criterion [method] stop, if it did.
  [[nodiscard]] std::optional<StopPoint> const& stop_point() const { return stop_event_.met(); }
  /// Returns Probes::inflows().
  [[nodiscard]] std::optional<Inflows> inflows() const { return probes_.inflows(); }

 private:
  /// Writes the snapshot and pictures of the field that the run starts with.
  void write_first();
  /// Advances the solver by one chunk.
  void advance();
  /// Writes residuals and shows the progress.
  void report(SolverState const& state, std::vector<Residual> const& residuals,
              std::int64_t iterations, double seconds);
  /// Writes snapshots, checkpoints and pictures that are due at this iteration.
  void write_due();
  /// Writes the snapshot or checkpoint of this iteration, if one is due. Collective.
  void write_due_fields();
  /// Draws the numbered picture of this iteration, if one is due. Collective.
  void draw_due_pictures();
  /// Draws the picture that an interrupted run has not drawn. Collective.
  void draw_overdue_pictures();
  /// Appends rows to residuals.csv. Root only.
  void write_residuals(SolverState const& state, std::vector<Residual> const& residuals);
  /// Writes all stored rows of residuals.csv and of the probes' tables. Collective.
  /// @throws Error  on every rank, if rows still cannot be written
  void finish_tables();
  /// Writes the final results; returns `done` or `not_converged`. Collective.
  Outcome finish();
  /// Writes the last checkpoint; returns `stopped`. Collective.
  Outcome stop();
  /// Returns true at the iteration limit, at the tolerance, if the stopping criterion of the case
  /// is satisfied, or if the residual stagnates.
  [[nodiscard]] bool at_end() const {
    return iteration_ >= limit_ || stop_event_.met() || solver_.converged() || solver_.stalled();
  }
  /// Returns the next iteration at which a chunk must end: output, a probe or the limit.
  [[nodiscard]] std::int64_t next_event() const;
  /// Returns true if the frames of the film are thinned out as the run proceeds, since a criterion
  /// may end it early.
  [[nodiscard]] bool thins_frames() const {
    return case_.stop && !case_.output.film.empty() && case_.output.picture_every == 0;
  }
  /// Returns the number of iterations between two pictures; 0: none. If frames are thinned out,
  /// this is a power of two, by which the film has 50 to 100 frames at any iteration above 50.
  [[nodiscard]] std::int64_t picture_spacing() const;
  /// Returns the next iteration with a picture, or the limit.
  [[nodiscard]] std::int64_t next_picture() const;
  /// Returns true if a checkpoint is due by iterations or by the root's clock. Collective.
  [[nodiscard]] bool checkpoint_due() const;
  /// Returns true if this iteration is a multiple of [checkpoint] every.
  [[nodiscard]] bool checkpoint_due_by_count() const {
    return case_.checkpoint.every > 0 && iteration_ % case_.checkpoint.every == 0;
  }
  /// Returns true if pictures are drawn during the run. The first and the last field then have one,
  /// too.
  [[nodiscard]] bool draws_during_run() const {
    return case_.output.picture && case_.output.pictures_every(limit_) > 0;
  }
  /// Reports and counts a checkpoint that is due while the previous field is still being written.
  void skip_checkpoint();
  /// Returns true if a signal reached any rank, or the available time is over. Collective.
  [[nodiscard]] bool stop_wanted();

  mpi::Communicator const& ranks_;
  Case const& case_;
  Solver& solver_;
  FieldWriter& writer_;
  RunLog& log_;
  Watch& watch_;
  TimeLimit& time_limit_;
  bool resumed_;
  std::int64_t first_;      ///< iteration at the start of the run
  std::int64_t iteration_;  ///< present iteration
  std::int64_t limit_;      ///< last iteration of the case
  SnapshotSchedule schedule_;
  Chunking chunking_;
  Progress progress_;
  Probes probes_;
  StopEvent stop_event_;
  bool is_judged_ = true;                 ///< by stop_event_, at this iteration
  std::optional<ResidualLog> residuals_;  ///< on the root only
  bool residuals_lag_ = false;            ///< rows could not be written, and this was reported
  Elapsed since_checkpoint_{};            ///< since the last checkpoint, for those due by time
  double checkpoint_wait_s_ = 0.0;        ///< seconds that the solver waited for the last one
  bool skipping_ = false;  ///< a checkpoint that is due by time was skipped, and this was reported
  double solve_s_ = 0.0;   ///< see solve_s()
  std::string stop_reason_{};
  std::function<void()> before_stopping_ = [] {};
  std::function<void()> on_checkpoint_written_ = [] {};
  std::function<void()> on_progress_ = [] {};
};

}  // namespace isotherm::app
