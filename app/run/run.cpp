#include "app/run/run.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fmt/format.h>
#include <iostream>
#include <iterator>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include "app/machine/cpu_threads.hpp"
#include "app/machine/processor_time.hpp"
#include "app/run/breakdown_place.hpp"
#include "app/run/iterations.hpp"
#include "app/run/prepare/first_values.hpp"
#include "app/run/prepare/prepared_run.hpp"
#include "app/run/report/flows/heat_balance.hpp"
#include "app/run/report/region_report.hpp"
#include "app/run/report/result_remarks.hpp"
#include "app/run/report/run_header.hpp"
#include "app/run/report/run_report.hpp"
#include "app/run/report/table_remarks.hpp"
#include "app/run/report/time_estimate.hpp"
#include "app/run/resume/ended_run.hpp"
#include "app/run/schedule/convergence_check.hpp"
#include "app/run/schedule/time_limit.hpp"
#include "app/run/watch/last_word.hpp"
#include "app/run/watch/watch.hpp"
#include "case/basics/elapsed.hpp"
#include "case/basics/exit_code.hpp"
#include "case/basics/stop_request.hpp"
#include "case/basics/text/text.hpp"
#include "case/basics/text/wording.hpp"
#include "decomposition/ranks/collective_errors.hpp"
#include "decomposition/ranks/failure_reason.hpp"
#include "solver/problem/breakdown.hpp"

namespace isotherm::app {

namespace {

/// Returns how much the log prints; --quiet outweighs --verbose.
RunLog::Loudness loudness_of(RunOptions const& options) {
  return options.quiet     ? RunLog::Loudness::quiet
         : options.verbose ? RunLog::Loudness::verbose
                           : RunLog::Loudness::normal;
}

/// The stages of a run: prepare, create the solver, open the output, iterate, report. Collective.
///
/// The constructor prepares the run and writes nothing. Three threads may report its state: the
/// main thread, that of `last_word_` and that of `watch_`. A mutex guards `so_far_`, which they
/// share; the log and the writer's list of files are thread-safe.
///
/// The order of the members matters: each may use those before it, and they are destroyed in
/// reverse order.
class Run {
 public:
  Run(mpi::Communicator const& ranks, RunOptions const& options)
      : ranks_(ranks),
        launch_s_(program_start.seconds()),
        stop_request_(ranks.is_root() && !options.quiet),
        log_(ranks, loudness_of(options)),
        watch_(ranks, log_),
        setup_stop_(options.ends_process ? std::make_unique<StopTimeoutReport>(
                                               [this](auto& signal) { end_set_up(signal); })
                                         : nullptr),
        run_(prepare_run(ranks, options)) {
    watch_.end_after(run_.chosen.run.patience_s);
  }

  /// Executes the prepared run and returns the exit code.
  int execute() {
    if (run_.options.dry_run) {
      return report_dry_run();
    }
    if (stopped_early()) return exit_code::stopped;
    flush_subnormal_results();  // the numbers of the case have been read
    // Before the solver allocates memory.
    solver_ = make_first_values(ranks_, run_, resumed_from_);
    // From here on files may change, so the process must not end without notice.
    setup_stop_.reset();
    if (stopped_early()) return exit_code::stopped;
    StopRequest::promise_checkpoint(true);
    // Only now is it known which file the run resumes from, since newer ones may be damaged.
    if (auto const outcome = ended_before()) return exit_code_of(*outcome);
    open_output();
    return solve();
  }

 private:
  /// Prints the plan of the run: case, memory, output and estimated time. Collective.
  int report_dry_run();
  /// Returns true if a request to stop arrived before anything was written. Collective.
  bool stopped_early();
  /// Ends the process because of a signal, as stopped_early() does. Runs in a thread of its own.
  void end_set_up(std::string const& signal);
  /// Returns the outcome if the run to resume is at its end already. Collective.
  std::optional<Outcome> ended_before();
  /// Prepares the output directory and prints the header. Collective.
  void open_output();
  /// Prints case, device, memory and output.
  void print_header(std::string const& transport, SweepPlan const& sweep);
  /// Reports the file that the run starts from, and unusual contents of the output directory.
  void report_start();
  /// Iterates to the end, checks the result and reports it. Collective.
  int solve();
  /// Iterates; adds the place to the message of a breakdown. Collective.
  Outcome iterate(Iterations& iterations);
  /// Confirms or revokes convergence. Collective.
  void check_claim(Summary& summary);
  /// Connects the reports below to the events of the run.
  void follow(Iterations& iterations);
  /// Stores the present state for reports from other threads.
  void note_progress();
  /// Returns a copy of the stored state. Thread-safe.
  [[nodiscard]] Summary so_far() const;
  /// Reports a signal that the run could not handle in time.
  void report_neglect(std::string const& signal);
  /// Reports that the run is about to stop.
  void report_stopping(Iterations const& iterations);
  /// Reports that the checkpoint of a stopped run is on disk.
  void report_stopped(Iterations const& iterations);
  /// Reports an error that ends the run.
  void report_failure(std::string const& message, Outcome outcome = Outcome::failed);
  /// Writes summary.json before the end of the run, and then the report, unless there is no time
  /// for it. Root only.
  enum class Page { write, omit };
  void write_early(Summary summary, Page page = Page::write);
  /// Writes report.html after summary.json. A failure is a warning. Root only.
  void write_page();
  /// Prints the warnings that were collected up to now.
  void print_warnings();
  /// Prints lines to the log.
  void print(std::vector<std::string> const& lines);
  /// Prints a hint if the processors are overloaded.
  void print_hint(ProcessorWatch const& processors);
  /// Sets the time limit of the run.
  void limit_time();

  mpi::Communicator const& ranks_;
  double const launch_s_;  ///< from the start of the process until MPI was ready
  StopRequest const stop_request_;
  RunLog log_;
  Watch watch_;
  std::unique_ptr<StopTimeoutReport> setup_stop_;  ///< null once files may be written
  PreparedRun run_;
  std::optional<ResumePoint> resumed_from_;  ///< none: the run starts at iteration 0
  std::unique_ptr<Solver> solver_;           ///< null until make_first_values()
  std::unique_ptr<FieldWriter> writer_;      ///< null until the output is open
  mutable std::mutex so_far_mutex_;          ///< guards so_far_
  Summary so_far_{};          ///< state at the last chunk, for reports from any thread
  OutputDirectory output_{};  ///< on the root
  TimeLimit time_limit_{std::nullopt, 0.0, {}};  ///< only the root's has a deadline
  Elapsed const since_start_{};                  ///< since the run was prepared
  std::optional<StopTimeoutReport>
      last_word_{};  ///< on the root; destroyed before the members that it uses
};

void Run::print_header(std::string const& transport, SweepPlan const& sweep) {
  print(header_lines(run_.chosen, run_.plan, ranks_.size(), run_.shared_devices));
  for (std::string const& key : run_.chosen.displaced) log_.line("removed       " + key);
  // Regions of files are read, which may fail.
  on_root(ranks_, [&] {
    Problem const& problem = run_.chosen.problem;
    run_.regions = measure_regions(run_.chosen);
    auto const warn = [&](std::vector<std::string> remarks) {
      std::ranges::move(remarks, std::back_inserter(run_.warnings));
    };
    warn(remarks_on_regions(run_.regions));
    warn(remarks_on_thin_parts(problem));
    warn(remarks_on_fluxes(problem));
  });
  if (ranks_.is_root()) print(region_lines(run_.regions, run_.chosen.problem.grid));
  print(output_lines(run_.chosen, run_.sizes, run_.plan.background));
  for (std::string const& line : detail_lines(run_.chosen, run_.plan, transport, sweep)) {
    log_.detail(line);
  }
  // Most runs end before their first default checkpoint, so only a dry run mentions them.
  std::string const line = default_checkpoint_line(run_.chosen, run_.sizes, run_.plan.background);
  if (line.empty()) return;
  run_.options.dry_run ? log_.line(line) : log_.detail(line);
}

/// Creates the solver with its initial values, so a dry run refuses everything that a run refuses.
/// The solver is destroyed before the time is estimated, which creates a solver of its own.
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
  if (!run_.resumed_settings.empty()) {
    log_.line(run_.resumed_settings);
  }
  print_warnings();
  log_.line("The case fits into memory and disk; nothing was written.");
  // A dry run has no other result than its output, so losing that is an error.
  on_root(ranks_,
          [&] { require(!log_.lost_output(), "cannot write the output (is the disk full?)"); });
  return exit_code::done;
}

/// If the request arrives before anything is written, the run can be started again unchanged.
bool Run::stopped_early() {
  std::string const signal = StopRequest::agreed(ranks_);
  if (signal.empty()) return false;
  log_.line(stopped_early_line(signal));
  return true;
}

/// The main thread may be in a library, for example reading a file or building matrices, and the
/// other ranks may wait for it. So the process ends without destructors.
void Run::end_set_up(std::string const& signal) {
  log_.line(stopped_early_line(signal));
  if (!ranks_.is_root()) {
    // If the signal has reached all ranks, the root reports it and ends this one.
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    std::cerr << "isotherm: rank " + std::to_string(ranks_.rank()) + ": " +
                     stopped_early_line(signal) + '\n'
              << std::flush;
  }
  if (ranks_.size() > 1) mpi::abort_job(exit_code::stopped);
  std::cout.flush();
  std::_Exit(exit_code::stopped);
}

/// If a finished run is resumed, all files remain unchanged, including their modification times.
std::optional<Outcome> Run::ended_before() {
  bool const own = ranks_.any(run_.old_results == OldResults::keep);  // only the root knows
  if (!resumed_from_ || !own) return std::nullopt;
  auto const outcome = ended_run(ranks_, run_.chosen, *resumed_from_);
  if (!outcome) return std::nullopt;
  print_warnings();
  bool const done = *outcome == Outcome::done;
  std::string const text =
      fmt::format("already finished: {} is at iteration {}, {}; nothing was changed",
                  resumed_from_->file.string(), resumed_from_->state.iteration,
                  done ? "the last one" : "the maximum, and the tolerance was not reached");
  done ? log_.line(text) : log_.shortfall(text);
  return outcome;
}

void Run::open_output() {
  on_root(ranks_, [&] {
    std::filesystem::path const& directory = run_.chosen.output.directory;
    output_ = prepare_output_directory(directory, run_.old_results, run_.inputs, run_.chosen.text);
    log_.also_to(directory / "run.log");
  });
  print_header(solver_->transport_description().text(), solver_->plan());
  // The solver's remark concerns its numbers, for example a projected source.
  if (std::string const remark = solver_->remark(); !remark.empty()) {
    run_.warnings.push_back(remark);
  }
  limit_time();
  report_start();
  print_warnings();
}

/// Sets the deadline from the case or from SLURM. Both count from the start of the process. The
/// time that MPI took to start is reserved for its end.
void Run::limit_time() {
  if (!ranks_.is_root()) return;
  // SLURM gives its deadline as a time of day, in seconds since 1970.
  double const now_s =
      std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  auto deadline = deadline_of(run_.chosen.run.wall_time_s, std::getenv("SLURM_JOB_END_TIME"),
                              now_s - program_start.seconds(), run_.warnings);
  if (deadline) {
    log_.line(fmt::format("time          {}: {}; the run will stop before it with a checkpoint",
                          format_seconds(deadline->after_s), deadline->source));
  }
  time_limit_ = TimeLimit(
      std::move(deadline), run_.sizes.file_bytes, [] { return program_start.seconds(); },
      run_.plan.background.possible, launch_s_);
}

/// Prints where the run starts, and the unexpected contents of the output directory. A differing
/// case.toml becomes a warning, so it is called before print_warnings().
void Run::report_start() {
  if (resumed_from_) {
    log_.line("resumed       from " + resumed_from_->file.string() + ", iteration " +
              std::to_string(resumed_from_->state.iteration));
    if (!run_.resumed_settings.empty()) {
      log_.line(run_.resumed_settings);
    }
    if (resumed_from_->state.hierarchy == HierarchyKind::aggregates) {
      log_.line("coarse grids  aggregates, as before");
    }
  } else if (run_.options.resume_or_overwrite) {
    log_.line("started       anew: there was nothing to resume from");
  }
  if (!output_.remains.empty()) {
    log_.line("removed       incomplete files of a killed run: " + join(output_.remains));
  }
  if (output_.case_file_differs) {
    run_.warnings.emplace_back(
        "case.toml in the output directory is the case file itself and remains unchanged; the "
        "field files contain the case with its overrides (isotherm info --case FILE)");
  }
}

/// The stages are iterating, describing the result, confirming convergence, and reporting. If any
/// of them throws, the reason goes into the log and summary.json, and the exception continues.
int Run::solve() try {
  Case const& chosen = run_.chosen;
  writer_ =
      std::make_unique<FieldWriter>(ranks_, chosen, *solver_, log_, run_.plan.background.possible,
                                    resumed_from_ ? resumed_from_->file : std::filesystem::path());
  Iterations iterations(ranks_, chosen, *solver_, *writer_, log_, watch_, time_limit_,
                        resumed_from_.has_value());
  so_far_ = blank_summary(ranks_, run_, *solver_, resumed_from_);
  // From here on, all events are reported with the present state.
  follow(iterations);
  ProcessorWatch const processors(ranks_);
  Summary summary = so_far_;
  summary.outcome = iterate(iterations);
  // The run ended in time: the final summary replaces early ones.
  if (last_word_) last_word_->not_needed();
  if (summary.outcome == Outcome::stopped) {
    summary.message = "stopped " + iterations.stop_reason();
  }
  // Each part of the summary may depend on the parts before it.
  describe_result(*solver_, *writer_, summary);
  summary.inflows = iterations.inflows();
  summary.stop = iterations.stop_point();
  summary.mean_flux = measure_mean_flux(ranks_, run_, *solver_);
  check_claim(summary);
  for (std::string const& remark : result_remarks(chosen, summary)) log_.warning(remark);
  for (std::string const& remark :
       table_remarks(chosen.problem, *summary.field,
                     [&](PointSet const& points) { return writer_->range_at(points); })) {
    log_.warning(remark);
  }
  SolverTimes const times = solver_->times();
  summary.performance =
      measure_performance(ranks_, chosen, *solver_, iterations.done(),
                          {since_start_.seconds(), iterations.solve_s(), times.compute_s,
                           times.halo_s, times.reduction_s, writer_->seconds()});
  std::string const outcome = outcome_line(chosen, summary);
  // A run that is not converged reports it even if it is quiet.
  summary.outcome == Outcome::not_converged ? log_.shortfall(outcome) : log_.line(outcome);
  print(footer_lines(*summary.performance, summary.output));
  print_hint(processors);
  print(result_lines(chosen, summary));
  watch_.before_ending({});  // it would overwrite the summary
  summary.warnings = log_.warnings();
  on_root(ranks_, [&] {
    write_summary(run_, output_, summary);
    write_page();
  });
  return exit_code_of(summary.outcome);
} catch (std::exception const& error) {
  // Perhaps on this rank alone, so nothing below is collective.
  watch_.before_ending({});
  std::string const reason = failure_reason(error);
  log_.error(reason);
  if (writer_) {
    OutputCounts const output = writer_->run_fails(reason);
    std::lock_guard const lock(so_far_mutex_);
    so_far_.output = output;
  }
  bool const is_unsolved = dynamic_cast<NotConverged const*>(&error) != nullptr;
  if (is_unsolved && ranks_.is_root()) {
    std::string const remark = remark_on_jumps(run_.chosen.problem);
    if (!remark.empty()) log_.warning(remark);
  }
  report_failure(reason, is_unsolved ? Outcome::not_converged : Outcome::failed);
  throw;
}

/// After this call, the log and summary.json state how far the run came, whatever ends it.
void Run::follow(Iterations& iterations) {
  note_progress();
  if (ranks_.is_root()) {
    last_word_.emplace([this](std::string const& signal) { report_neglect(signal); });
  }
  watch_.before_ending([this](std::string const& reason) {
    log_.error(reason);
    report_failure(reason);
  });
  // These functions are called on the main thread; the two above on threads of their own.
  iterations.on_progress([this] { note_progress(); });
  iterations.before_stopping([&] { report_stopping(iterations); });
  iterations.on_checkpoint_written([&] { report_stopped(iterations); });
}

void Run::note_progress() {
  // May wait for other ranks, so it is called without the lock.
  SolverState const state = solver_->state();
  std::lock_guard const lock(so_far_mutex_);
  so_far_.state = state;
  so_far_.time_s = solver_->time_s();
  so_far_.output = writer_->counts();
}

Summary Run::so_far() const {
  std::lock_guard const lock(so_far_mutex_);
  return so_far_;
}

/// A breakdown is reported with its place, which only the field itself shows.
Outcome Run::iterate(Iterations& iterations) try {
  return iterations.run();
} catch (Breakdown const& breakdown) {  // on every rank
  throw Error(breakdown.what() + place_of_breakdown(ranks_, run_.chosen, *solver_),
              breakdown.place());
}

/// Reports convergence only if the stored field confirms it: by its residual in float64, and then
/// by its heat balance.
void Run::check_claim(Summary& summary) {
  if (summary.outcome == Outcome::done && !has_values(summary)) {
    summary.converged = false;
    summary.outcome = Outcome::not_converged;
  }
  if (summary.outcome != Outcome::done || !summary.converged || !summary.field) return;
  ConvergenceCheck const check = check_convergence(ranks_, run_, *solver_);
  summary.checked_residual = check.residual;
  summary.checked_error = check.error;
  summary.converged = check.converged;
  if (check.converged) {
    summary.heat_balance = measure_heat_balance(ranks_, run_, *solver_, check);
    summary.converged = !summary.heat_balance || summary.heat_balance->closes();
  }
  if (summary.converged && lacks_check(run_.chosen, summary.state)) {
    log_.warning(
        "the error is estimated from changes only: it was not checked by multigrid, which needs "
        "memory that is not free or does not converge (parts of the domain that settle far more "
        "slowly than others may be missed)");
  }
  if (!summary.converged) summary.outcome = Outcome::not_converged;
}

/// Writes the summary as known at this point. A failure is logged only, since the run itself may
/// still succeed.
void Run::write_early(Summary summary, Page page) {
  summary.warnings = log_.warnings();
  try {
    write_summary(run_, output_, summary);
    if (page == Page::write) write_page();
  } catch (std::exception const& error) {
    log_.error(std::string("summary.json could not be written: ") + error.what());
  }
}

/// The results are complete without the report, so losing it is no failure.
void Run::write_page() {
  if (!writes_report(run_.chosen)) return;
  try {
    write_run_report(run_, output_);
  } catch (std::exception const& error) {
    log_.warning(std::string("report.html could not be written: ") + error.what());
  }
}

/// Called on the thread of last_word_.
void Run::report_neglect(std::string const& signal) {
  Summary summary = so_far();
  std::string const newest = describe_newest_resumable(writer_->files());
  summary.message =
      fmt::format("asked to stop by {}, and killed before the current iterations were done; {}",
                  signal, newest);
  log_.line(fmt::format("asked to stop by {}, after iteration {}, while iterations are running; {}",
                        signal, summary.state.iteration, newest));
  write_early(std::move(summary));
}

/// Reports the state before the last checkpoint is written. The sender of a signal may not wait for
/// it: mpirun kills the ranks a second later. The log and summary.json then already name the newest
/// file to resume from.
void Run::report_stopping(Iterations const& iterations) {
  if (!ranks_.is_root()) return;
  last_word_->not_needed();
  std::string const newest = describe_newest_resumable(writer_->files());
  log_.line(fmt::format("stopping      {}, at iteration {}: writing a checkpoint; until then, {}",
                        iterations.stop_reason(), iterations.iteration(), newest));
  Summary summary = so_far();
  summary.message = fmt::format(
      "stopped {}, and killed while the checkpoint of iteration {} was being written; {}",
      iterations.stop_reason(), iterations.iteration(), newest);
  write_early(std::move(summary), Page::omit);
}

/// Reports again once the checkpoint is on disk, since drawing the picture and measuring the speed
/// take time.
void Run::report_stopped(Iterations const& iterations) {
  Summary summary = so_far();
  summary.outcome = Outcome::stopped;
  summary.message = "stopped " + iterations.stop_reason();
  describe_result(*solver_, *writer_, summary);
  if (ranks_.is_root()) write_early(std::move(summary));
}

/// Records the reason of a failure in summary.json; if that cannot be written either, the log
/// reports it. Does not communicate, since this rank may be the only one here.
void Run::report_failure(std::string const& message, Outcome outcome) {
  if (!ranks_.is_root()) return;
  if (last_word_) last_word_->not_needed();
  Summary summary = so_far();
  summary.outcome = outcome;
  summary.message = message;
  write_early(std::move(summary));
}

/// Prints the warnings that the preparation has collected.
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

std::string stopped_early_line(std::string const& signal) {
  return "stopped because of " + signal + " before the first iteration; nothing was written";
}

}  // namespace isotherm::app
