#include "jobs/run/run.hpp"

#include <chrono>
#include <cstdlib>
#include <fmt/format.h>
#include <mutex>
#include <utility>

#include "decomposition/ranks/abandoned_memory.hpp"
#include "decomposition/ranks/failure_reason.hpp"
#include "decomposition/ranks/together.hpp"
#include "jobs/basics/elapsed.hpp"
#include "jobs/basics/exit_code.hpp"
#include "jobs/basics/process_age.hpp"
#include "jobs/basics/stop_request.hpp"
#include "jobs/basics/text.hpp"
#include "jobs/basics/wording.hpp"
#include "jobs/machine/processor_time.hpp"
#include "jobs/run/breakdown_place.hpp"
#include "jobs/run/convergence_check.hpp"
#include "jobs/run/ended_run.hpp"
#include "jobs/run/first_values.hpp"
#include "jobs/run/heat_balance.hpp"
#include "jobs/run/iterations.hpp"
#include "jobs/run/last_word.hpp"
#include "jobs/run/prepared_run.hpp"
#include "jobs/run/run_header.hpp"
#include "jobs/run/run_report.hpp"
#include "jobs/run/time_estimate.hpp"
#include "jobs/run/time_limit.hpp"
#include "jobs/run/watch.hpp"
#include "solver/problem/breakdown.hpp"

namespace isotherm {

namespace {

RunLog::Loudness loudness_of(RunOptions const& options) {
  return options.quiet     ? RunLog::Loudness::quiet
         : options.verbose ? RunLog::Loudness::verbose
                           : RunLog::Loudness::normal;
}

/// A case on its way through a run.
class Run {
 public:
  Run(mpi::Communicator const& ranks, RunOptions const& options)
      : ranks_(ranks),
        launch_s_(process_age_s()),
        since_launch_(),
        stop_request_(ranks.is_root() && !options.quiet),
        log_(ranks, loudness_of(options)),
        watch_(ranks, log_),
        run_(prepare_run(ranks, options)) {
    watch_.end_after(run_.chosen.run.patience_s);
  }

  int execute() {
    if (run_.options.dry_run) {
      return report_dry_run();
    }
    if (stopped_early()) return exit_code::stopped;
    clear_shared_memory();
    solver_ = make_first_values(ranks_, run_, resumed_from_);
    if (stopped_early()) return exit_code::stopped;
    if (auto const outcome = ended_before()) return exit_code_of(*outcome);
    open_output();
    return solve();
  }

 private:
  int report_dry_run();
  bool stopped_early();
  std::optional<Outcome> ended_before();
  void clear_shared_memory();
  void open_output();
  void print_header(std::string const& transport, SweepPlan const& sweep);
  void report_start();
  int solve();
  Outcome iterate(Iterations& iterations);
  void check_claim(Summary& summary);
  void follow(Iterations& iterations);
  void note_progress();
  [[nodiscard]] Summary so_far() const;
  void report_neglect(std::string const& signal);
  void report_stopping(Iterations const& iterations);
  void report_stopped(Iterations const& iterations);
  void report_failure(std::string const& message);
  void write_early(Summary summary);
  void print_warnings();
  void print(std::vector<std::string> const& lines);
  void print_hint(ProcessorWatch const& processors);
  void limit_time();
  [[nodiscard]] double since_process_start_s() const { return launch_s_ + since_launch_.seconds(); }

  mpi::Communicator const& ranks_;
  double const launch_s_;  ///< from the start of the process until MPI was ready
  Elapsed const since_launch_;
  StopRequest const stop_request_;
  RunLog log_;
  Watch watch_;
  PreparedRun run_;
  std::optional<ResumePoint> resumed_from_;
  std::unique_ptr<Solver> solver_;
  std::unique_ptr<FieldWriter> writer_;
  mutable std::mutex so_far_mutex_;
  Summary so_far_{};  ///< what there is to say between two chunks; for messages from any thread
  OutputDirectory output_{};                     ///< the root's
  TimeLimit time_limit_{std::nullopt, 0.0, {}};  ///< the root's knows of one
  Elapsed const since_start_{};
  std::optional<LastWord> last_word_{};  ///< the root's; it ends before what it speaks of
};

void Run::print_header(std::string const& transport, SweepPlan const& sweep) {
  print(header_lines(run_.chosen, run_.plan, ranks_.size(), run_.shared_devices));
  print(output_lines(run_.chosen, run_.sizes, run_.plan.background));
  for (std::string const& line : detail_lines(run_.chosen, run_.plan, transport, sweep)) {
    log_.detail(line);
  }
}

/// Makes what a run begins with, so that a dry run refuses all that a run refuses. It is gone
/// before the time is estimated, which makes a solver of its own.
int Run::report_dry_run() {
  make_first_values(ranks_, run_, resumed_from_).reset();
  print_header(name(run_.chosen.run.transport), run_.plan.sweep);
  if (!run_.options.quiet) {
    ProcessorWatch const processors(ranks_);
    log_.line(estimate_line(run_.chosen, estimate_time(ranks_, run_)));
    print_hint(processors);
  }
  if (resumed_from_) {
    log_.line("would resume  from " + resumed_from_->file.string() + ", iteration " +
              std::to_string(resumed_from_->state.iteration));
  }
  if (!run_.kept_time_step.empty()) {
    log_.line("time step     " + run_.kept_time_step);
  }
  print_warnings();
  log_.line("It fits; nothing was written.");
  on_root(ranks_, [&] {
    require(!log_.lost_output(), "the output cannot be written (is the disk full?)");
  });
  return exit_code::done;
}

/// A request to stop that came before anything was written: the run may be started again as it was.
bool Run::stopped_early() {
  std::string const signal = StopRequest::agreed(ranks_);
  if (signal.empty()) return false;
  log_.line("stopped on request " + signal + " before the first iteration; nothing was written");
  return true;
}

/// Where a run is resumed that has come to its end, all that it wrote stays as it is, its times
/// among them.
std::optional<Outcome> Run::ended_before() {
  bool const own = ranks_.any(run_.old_results == OldResults::keep);  // the root knows
  if (!resumed_from_ || !own) return std::nullopt;
  auto const outcome = ended_run(ranks_, run_.chosen, *resumed_from_);
  if (!outcome) return std::nullopt;
  print_warnings();
  bool const done = *outcome == Outcome::done;
  std::string const text = fmt::format(
      "already at its end: {} is of iteration {}, {}; nothing was changed",
      resumed_from_->file.string(), resumed_from_->state.iteration,
      done ? "the last one" : "the last one allowed, and the tolerance was not reached");
  done ? log_.line(text) : log_.shortfall(text);
  return outcome;
}

/// Runs that were killed leave memory taken, which this one may need.
void Run::clear_shared_memory() {
  mpi::AbandonedMemory mine;
  if (ranks_.local_rank() == 0) {
    mine = mpi::remove_abandoned_memory("/dev/shm");
  }
  std::int64_t const files = ranks_.sum(mine.files);
  double const bytes = ranks_.sum(static_cast<double>(mine.bytes));
  if (files > 0) {
    run_.warnings.push_back("killed runs had left " + format_bytes(bytes) + " in " +
                            format_count(files, "file") + " in /dev/shm, which are removed");
  }
}

void Run::open_output() {
  on_root(ranks_, [&] {
    std::filesystem::path const& directory = run_.chosen.output.directory;
    output_ = prepare_output_directory(directory, run_.old_results, run_.inputs, run_.chosen.text);
    log_.also_to(directory / "run.log");
  });
  print_header(solver_->transport_name(), solver_->plan());
  if (std::string const remark = solver_->remark(); !remark.empty()) {
    run_.warnings.push_back(remark);
  }
  limit_time();
  report_start();
  print_warnings();
}

/// Sets the time at which the run has to be over, from the case or from SLURM. Both count from the
/// start of the process, and as long as MPI took to start is kept for its end.
void Run::limit_time() {
  if (!ranks_.is_root()) return;
  double const now_s =
      std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  auto deadline = deadline_of(run_.chosen.run.wall_time_s, std::getenv("SLURM_JOB_END_TIME"),
                              now_s - since_process_start_s(), run_.warnings);
  if (deadline) {
    log_.line(fmt::format("time          {}: {}; the run stops before, with a checkpoint",
                          format_seconds(deadline->after_s), deadline->said_by));
  }
  time_limit_ = TimeLimit(
      std::move(deadline), run_.sizes.file_bytes, [this] { return since_process_start_s(); },
      run_.plan.background.possible, launch_s_);
}

/// Where the run begins, and what was found in the output directory that is not as a person may
/// expect it.
void Run::report_start() {
  if (resumed_from_) {
    log_.line("resumed       from " + resumed_from_->file.string() + ", iteration " +
              std::to_string(resumed_from_->state.iteration));
    if (!run_.kept_time_step.empty()) {
      log_.line("time step     " + run_.kept_time_step);
    }
  } else if (run_.options.resume_or_overwrite) {
    log_.line("started       anew: there was nothing to go on from");
  }
  if (!output_.remains.empty()) {
    log_.line("removed       what a killed run left: " + join(output_.remains));
  }
  if (output_.case_file_differs) {
    run_.warnings.emplace_back(
        "case.toml in the output directory is the case file itself and stays as it is; the case as "
        "run is in the fields' files (isotherm info --case FILE)");
  }
}

int Run::solve() try {
  Case const& chosen = run_.chosen;
  writer_ =
      std::make_unique<FieldWriter>(ranks_, chosen, *solver_, log_, run_.plan.background.possible,
                                    resumed_from_ ? resumed_from_->file : std::filesystem::path());
  Iterations iterations(ranks_, chosen, *solver_, *writer_, log_, watch_, time_limit_,
                        resumed_from_.has_value());
  so_far_ = blank_summary(ranks_, run_, *solver_, resumed_from_);
  follow(iterations);
  ProcessorWatch const processors(ranks_);
  Summary summary = so_far_;
  summary.outcome = iterate(iterations);
  if (last_word_) last_word_->not_needed();
  if (summary.outcome == Outcome::stopped) {
    summary.message = "stopped " + iterations.stop_reason();
  }
  describe_result(*solver_, *writer_, summary);
  summary.inflows = iterations.inflows();
  check_claim(summary);
  SolverTimes const times = solver_->times();
  summary.performance =
      measure_performance(ranks_, chosen, *solver_, iterations.done(),
                          {since_start_.seconds(), iterations.solve_s(), times.compute_s,
                           times.halo_s, times.reduction_s, writer_->seconds()});
  std::string const outcome = outcome_line(chosen, summary);
  summary.outcome == Outcome::not_converged ? log_.shortfall(outcome) : log_.line(outcome);
  print(footer_lines(*summary.performance, summary.output));
  print_hint(processors);
  print(result_lines(chosen, summary));
  watch_.before_ending({});  // which would take the place of the summary
  on_root(ranks_, [&] { write_summary(run_, output_, summary); });
  return exit_code_of(summary.outcome);
} catch (std::exception const& error) {
  watch_.before_ending({});
  std::string const reason = failure_reason(error);
  log_.error(reason);
  if (writer_) {
    OutputCounts const output = writer_->run_fails(reason);
    std::lock_guard const lock(so_far_mutex_);
    so_far_.output = output;
  }
  report_failure(reason);
  throw;
}

/// From now on the run says where it stands, whatever ends it.
void Run::follow(Iterations& iterations) {
  note_progress();
  if (ranks_.is_root()) {
    last_word_.emplace([this](std::string const& signal) { report_neglect(signal); });
  }
  watch_.before_ending([this](std::string const& reason) {
    log_.error(reason);
    report_failure(reason);
  });
  iterations.when_it_gets_on([this] { note_progress(); });
  iterations.before_stopping([&] { report_stopping(iterations); });
  iterations.when_safe([&] { report_stopped(iterations); });
}

void Run::note_progress() {
  SolverState const state = solver_->state();  // which may wait for other ranks
  std::lock_guard const lock(so_far_mutex_);
  so_far_.state = state;
  so_far_.time_s = solver_->time_s();
  so_far_.output = writer_->counts();
}

Summary Run::so_far() const {
  std::lock_guard const lock(so_far_mutex_);
  return so_far_;
}

/// Of numbers that have gone wrong is said where, which only the field itself tells.
Outcome Run::iterate(Iterations& iterations) try {
  return iterations.run();
} catch (Breakdown const& breakdown) {  // on every rank
  throw Error(breakdown.what() + place_of_breakdown(ranks_, run_.chosen, *solver_),
              breakdown.place());
}

/// That the tolerance is reached is said only where the field that is kept bears it out.
void Run::check_claim(Summary& summary) {
  if (summary.outcome != Outcome::done || !summary.converged || !summary.field) return;
  ConvergenceCheck const check = check_convergence(ranks_, run_, *solver_);
  summary.checked_residual = check.residual;
  summary.converged = check.converged;
  if (check.converged) {
    summary.heat_balance = measure_heat_balance(ranks_, run_, *solver_, check);
    summary.converged = !summary.heat_balance || summary.heat_balance->closes();
  }
  if (!summary.converged) summary.outcome = Outcome::not_converged;
}

/// What summary.json says before the run has come to its end, as far as it can be written.
void Run::write_early(Summary summary) {
  try {
    write_summary(run_, output_, summary);
  } catch (std::exception const& error) {
    log_.error(std::string("summary.json could not be written: ") + error.what());
  }
}

/// From the thread of last_word_.
void Run::report_neglect(std::string const& signal) {
  Summary summary = so_far();
  std::string const newest = say_newest_to_go_on_from(writer_->files());
  summary.message = fmt::format(
      "asked to stop by {}, and ended before the work in hand was done; {}", signal, newest);
  log_.line(fmt::format("asked to stop by {}, after iteration {}, with work in hand; {}", signal,
                        summary.state.iteration, newest));
  write_early(std::move(summary));
}

/// Who sends a signal may not wait: mpirun kills the ranks a second later. So the log and
/// summary.json tell beforehand where the run stands and what it can go on from, should this be the
/// last word.
void Run::report_stopping(Iterations const& iterations) {
  if (!ranks_.is_root()) return;
  last_word_->not_needed();
  std::string const newest = say_newest_to_go_on_from(writer_->files());
  log_.line(fmt::format("stopping      {}, at iteration {}: a checkpoint comes; before it, {}",
                        iterations.stop_reason(), iterations.iteration(), newest));
  Summary summary = so_far();
  summary.message = fmt::format(
      "stopped {}, and ended while the checkpoint of iteration {} was being written; {}",
      iterations.stop_reason(), iterations.iteration(), newest);
  write_early(std::move(summary));
}

/// The same once more when the checkpoint is there: a picture and what is measured take their time.
void Run::report_stopped(Iterations const& iterations) {
  Summary summary = so_far();
  summary.outcome = Outcome::stopped;
  summary.message = "stopped " + iterations.stop_reason();
  describe_result(*solver_, *writer_, summary);
  if (ranks_.is_root()) write_early(std::move(summary));
}

/// What is left behind where a run breaks: the reason, in the log and in summary.json as far as
/// that can still be written. Communicates with nobody, since this rank may be the only one here.
void Run::report_failure(std::string const& message) {
  if (!ranks_.is_root()) return;
  if (last_word_) last_word_->not_needed();
  Summary summary = so_far();
  summary.message = message;
  write_early(std::move(summary));
}

void Run::print_warnings() {
  for (std::string const& warning : run_.warnings) {
    log_.warning(warning);
  }
}

void Run::print_hint(ProcessorWatch const& processors) {
  if (std::string const hint = processors.hint(); !hint.empty()) log_.line(hint);
}

void Run::print(std::vector<std::string> const& lines) {
  for (std::string const& line : lines) {
    log_.line(line);
  }
}

}  // namespace

int run_case(mpi::Communicator const& ranks, RunOptions const& options) {
  return Run(ranks, options).execute();
}

}  // namespace isotherm
