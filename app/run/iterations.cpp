#include "app/run/iterations.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "app/run/output/output_directory.hpp"
#include "case/basics/stop_request.hpp"
#include "decomposition/ranks/collective_errors.hpp"
#include "solver/discretise/boundary.hpp"
#include "solver/methods.hpp"

// The order within one turn of the loop: advance, measure probes, write output. Probes are measured
// first, so the rows of an iteration are written before its checkpoint.

namespace isotherm::app {

namespace {

/// Guesses the speed in iterations per second from that of a fast device or core. The guess is
/// rather too high than too low, so short runs need one chunk only. Returns 0 if nothing is known;
/// the first chunk then has one step. Collective.
double guess_iterations_per_s(mpi::Communicator const& ranks, Solver& solver, Case const& chosen) {
  Problem const& problem = chosen.problem;
  if (varies_in_time(problem)) return 0.0;  // cost of the expressions at each point is unknown
  bool const sweeps = !method_named(chosen.method.name).evaluates_residuals;
  if (!sweeps) return 0.0;  // an iteration is a cycle: many sweeps on many grids
  // Points updated per second by one rank.
  double const points_per_s =
      solver.queue().backend() == Backend::cuda ? 1e11 : 2e8 * cpu_threads();
  // The slowest rank decides, and all ranks get the same guess.
  return ranks.min(points_per_s) * ranks.size() / static_cast<double>(problem.grid.point_count());
}

}  // namespace

Chunking make_chunking(mpi::Communicator const& ranks, Solver& solver, Case const& chosen) {
  return {chosen.method.check_every, solver.plan().steps,
          guess_iterations_per_s(ranks, solver, chosen)};
}

Iterations::Iterations(mpi::Communicator const& ranks, Case const& chosen, Solver& solver,
                       FieldWriter& writer, RunLog& log, Watch& watch, TimeLimit& limit,
                       bool resumed)
    : ranks_(ranks),
      case_(chosen),
      solver_(solver),
      writer_(writer),
      log_(log),
      watch_(watch),
      time_limit_(limit),
      resumed_(resumed),
      first_(solver.iteration()),
      iteration_(first_),
      limit_(chosen.method.iterations),
      schedule_(chosen),
      chunking_(make_chunking(ranks, solver, chosen)),
      progress_(
          log, first_,
          {limit_, chosen.method.tolerance, chosen.method.relative_to, chosen.stop.has_value()}),
      probes_(ranks, chosen, solver, log, resumed ? std::optional(first_) : std::nullopt),
      stop_event_(ranks, chosen, solver) {
  on_root(ranks_, [&] {
    // A resumed run keeps the rows up to its first iteration.
    residuals_.emplace(case_.output.directory / "residuals.csv",
                       resumed_ ? std::optional(first_) : std::nullopt);
  });
}

/// Each turn advances by one chunk, measures probes, and writes output. All conditions are
/// collective or depend on numbers that all ranks have, so no rank leaves the loop alone.
Outcome Iterations::run() {
  probes_.measure_first();
  write_first();
  while (!at_end()) {
    // Informs the watchdog that this rank is alive.
    watch_.progress(iteration_);
    if (stop_wanted()) {
      return stop();
    }
    advance();
    probes_.measure_due();
    write_due();
  }
  return finish();
}

void Iterations::write_first() {
  // The earlier run has written the first snapshot already.
  if (resumed_) {
    draw_overdue_pictures();
    return;
  }
  if (case_.problem.equation == Equation::diffusion) {
    writer_.try_picture("u_initial");
  }
  if (draws_during_run()) writer_.try_picture(numbered_picture(iteration_));
  if (schedule_.at_start() && limit_ > 0) {
    writer_.write_snapshot(false);
  }
}

/// Advances by one chunk, and measures the time of the slowest rank.
void Iterations::advance() {
  Elapsed const watch;
  std::int64_t const event = next_event();
  std::int64_t const target = chunking_.next(iteration_, event);
  solver_.advance_to(target);
  // Work on a device is asynchronous; the time of the chunk includes it.
  solver_.wait();
  // The criterion is judged before anything is reported, because it may undo steps. The ends of
  // other chunks depend on the speed of the machine.
  is_judged_ = target == event;
  std::vector<Residual> const residuals =
      is_judged_ ? stop_event_.judge() : solver_.take_residuals();
  double const seconds = ranks_.max(watch.seconds());
  SolverState const state = solver_.state();
  // Fewer than requested if the tolerance ended the chunk.
  std::int64_t const iterations = state.iteration - iteration_;
  chunking_.adapt(iterations, seconds);
  time_limit_.advanced(seconds);
  solve_s_ += seconds;
  iteration_ = state.iteration;
  watch_.progress(iteration_);
  report(state, residuals, iterations, seconds);
  on_progress_();
}

/// Writes the residuals of the last chunk and shows the progress, on the root.
void Iterations::report(SolverState const& state, std::vector<Residual> const& residuals,
                        std::int64_t iterations, double seconds) {
  double const rate = static_cast<double>(iterations) / seconds;
  std::string const event = solver_.take_event();
  on_root(ranks_, [&] {
    if (!event.empty()) log_.line("method        " + event);
    write_residuals(state, residuals);
    progress_.show({iteration_, state.reference, state.last_residual,
                    rate * static_cast<double>(case_.problem.grid.point_count())},
                   residuals);
  });
}

/// Root only. A full disk does not stop the computation: missing rows are written later.
void Iterations::write_residuals(SolverState const& state, std::vector<Residual> const& residuals) {
  try {
    residuals_->append(residuals, state.reference.value_or(0.0));
    residuals_lag_ = false;
  } catch (Error const& failure) {
    // Reported once until writing succeeds again.
    if (std::exchange(residuals_lag_, true)) return;
    log_.warning(std::string("residuals.csv could not be written: ") + failure.what() +
                 "; the run continues and will write these rows with the next ones");
  }
}

/// Writes rows that could not be written before. All tables are tried before an error is thrown.
void Iterations::finish_tables() {
  try {
    on_root(ranks_, [&] { residuals_->finish(); });
  } catch (Error const&) {  // on every rank; the probes' tables are finished nevertheless
    probes_.finish();
    throw;
  }
  probes_.finish();
}

/// Checkpoints that are due by time do not limit chunks: they are written between any two.
std::int64_t Iterations::next_event() const {
  std::int64_t const checkpoint = next_multiple(iteration_, case_.checkpoint.every, limit_);
  std::int64_t const probe = stop_event_.next(iteration_, probes_.next(iteration_, checkpoint));
  return schedule_.next(iteration_, std::min(probe, next_picture()));
}

std::int64_t Iterations::picture_spacing() const {
  if (!thins_frames()) return case_.output.pictures_every(limit_);
  auto const spacing = static_cast<std::uint64_t>(case_.output.pictures_every(iteration_));
  return static_cast<std::int64_t>(std::bit_ceil(spacing));
}

std::int64_t Iterations::next_picture() const {
  if (!case_.output.picture) return limit_;
  return next_multiple(iteration_, picture_spacing(), limit_);
}

bool Iterations::checkpoint_due() const {
  bool const by_count = checkpoint_due_by_count();
  // Checkpoints must not be newer than the field that meets the criterion.
  bool const may_be_undone = case_.stop && !is_judged_;
  if (case_.checkpoint.every_minutes <= 0.0 || may_be_undone) return by_count;
  // The root's clock decides, since the ranks' clocks may disagree.
  bool const by_time =
      ranks_.is_root() && is_due_by_time(case_, since_checkpoint_.seconds(), checkpoint_wait_s_);
  return ranks_.any(by_time) || by_count;
}

void Iterations::write_due() {
  // If the background thread has written its field, the field is concluded here.
  writer_.poll();
  // At the end, finish() writes the final field instead.
  if (!at_end()) {
    write_due_fields();
    draw_due_pictures();
  }
  // The longest time yet is the time limit's estimate for the last checkpoint.
  if (double const longest_s = writer_.longest_write_s(); longest_s > 0.0) {
    time_limit_.wrote(longest_s);
  }
  on_progress_();
}

/// Writes a snapshot or a checkpoint, at most one field per call.
void Iterations::write_due_fields() {
  bool const checkpoint = checkpoint_due();
  double const waited_before_s = writer_.seconds();
  // A snapshot can serve as checkpoint, so it comes first.
  if (schedule_.is_due(iteration_)) {
    writer_.write_snapshot(checkpoint);
  } else if (checkpoint && case_.checkpoint.when_busy == WhenBusy::skip && writer_.busy()) {
    return skip_checkpoint();
  } else if (checkpoint) {
    writer_.write_checkpoint();
  }
  if (checkpoint) {
    since_checkpoint_ = Elapsed();
    checkpoint_wait_s_ = writer_.seconds() - waited_before_s;
    skipping_ = false;
  }
}

/// Draws a numbered picture, if one is due.
void Iterations::draw_due_pictures() {
  std::int64_t const every = picture_spacing();
  if (every > 0 && iteration_ % every == 0) {
    if (thins_frames()) writer_.thin_frames(every);
    writer_.try_picture(numbered_picture(iteration_));
  }
}

/// Draws the picture of the field resumed from, if the earlier run ended between writing field and
/// picture.
void Iterations::draw_overdue_pictures() {
  if (draws_during_run() && iteration_ % picture_spacing() == 0 && !at_end()) {
    writer_.try_missing_picture(numbered_picture(iteration_));
  }
}

/// A checkpoint that is due by time remains due at the following chunks, so it is reported and
/// counted only once. Checkpoints that are due by iterations are counted separately.
void Iterations::skip_checkpoint() {
  bool const already_reported = std::exchange(skipping_, true);
  if (!already_reported || checkpoint_due_by_count()) writer_.skip_checkpoint();
}

/// A signal has precedence over the time limit.
bool Iterations::stop_wanted() {
  // Agreed among the ranks: a signal may have reached some of them only.
  std::string const signal = StopRequest::agreed(ranks_);
  if (!signal.empty()) {
    stop_reason_ = "because of " + signal;
  } else if (ranks_.any(ranks_.is_root() && time_limit_.must_stop())) {
    auto const& deadline = time_limit_.deadline();
    stop_reason_ = "before its time limit" + (deadline ? " (" + deadline->source + ')' : "");
  }
  return !stop_reason_.empty();
}

/// Ends a run before its last iteration, so that it can be resumed.
Outcome Iterations::stop() {
  if (!is_judged_) {
    stop_event_.return_to_check();
    iteration_ = solver_.iteration();
    on_progress_();
  }
  // The order matters, since the launcher may kill the ranks at any moment: report, checkpoint,
  // tables, and the picture last.
  before_stopping_();
  writer_.write_last_checkpoint();
  finish_tables();
  on_checkpoint_written_();
  writer_.try_picture("u");
  return Outcome::stopped;
}

/// Ends a run at its tolerance or its last iteration.
Outcome Iterations::finish() {
  probes_.measure_last();
  // The field is safe before tables or pictures can fail.
  writer_.set_stop_point(stop_event_.met());
  writer_.write_final();
  finish_tables();
  if (draws_during_run()) writer_.try_picture(numbered_picture(iteration_));
  writer_.write_picture("u");
  writer_.try_film();
  // Without a tolerance, reaching the iteration limit is success.
  bool const is_missed = has_tolerance(case_.method) && !solver_.converged() && !stop_event_.met();
  return is_missed ? Outcome::not_converged : Outcome::done;
}

}  // namespace isotherm::app
