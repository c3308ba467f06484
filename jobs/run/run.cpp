#include "jobs/run/run.hpp"

#include <algorithm>
#include <cstdlib>

#include "decomposition/ranks/abandoned_memory.hpp"
#include "decomposition/ranks/together.hpp"
#include "io/files/atomic_file.hpp"
#include "jobs/basics/elapsed.hpp"
#include "jobs/basics/exit_code.hpp"
#include "jobs/basics/stop_request.hpp"
#include "jobs/basics/text.hpp"
#include "jobs/basics/wording.hpp"
#include "jobs/case/read_case.hpp"
#include "jobs/run/all_finite.hpp"
#include "jobs/run/iterations.hpp"
#include "jobs/run/output_directory.hpp"
#include "jobs/run/run_header.hpp"
#include "jobs/run/run_plan.hpp"
#include "jobs/run/summary.hpp"
#include "jobs/run/watch.hpp"
#include "solver/problem/with_precision.hpp"

namespace isotherm {

namespace {

/// A case on its way through a run: what was decided, in the order in which it is decided.
class Run {
 public:
  Run(mpi::Communicator const& ranks, RunOptions const& options)
      : ranks_(ranks),
        options_(options),
        log_(ranks, options.quiet),
        watch_(ranks, log_),
        case_(read_case(ranks, options.case_file, options.overrides)) {}

  int execute() {
    choose_start();
    check();
    if (options_.dry_run) {
      return report_dry_run();
    }
    if (stopped_early()) return exit_code::stopped;
    clear_shared_memory();
    build_solver();
    if (stopped_early()) return exit_code::stopped;
    open_output();
    return solve();
  }

 private:
  void choose_start();
  void check();
  int report_dry_run();
  bool stopped_early();
  void clear_shared_memory();
  void build_solver();
  void load_values();
  void open_output();
  void report_directory();
  int solve();
  void describe_result(FieldWriter const& writer, Summary& summary);
  void report(Summary& summary);
  void write_summary(Summary& summary);
  void report_failure(std::string const& message);
  [[nodiscard]] OldResults old_results() const;
  [[nodiscard]] RunInputs inputs() const;
  [[nodiscard]] Summary blank_summary();
  void print_warnings();
  void print(std::vector<std::string> const& lines);

  mpi::Communicator const& ranks_;
  RunOptions options_;
  StopRequest const stop_request_{ranks_.is_root() && !options_.quiet};
  RunLog log_;
  Watch watch_;
  Case case_;
  RunPlan plan_;
  OutputSizes sizes_;
  bool shared_devices_ = false;
  std::vector<std::string> warnings_;
  std::vector<ResumePoint> resume_points_;
  std::optional<ResumePoint> resumed_from_;
  std::unique_ptr<Solver> solver_;
  OutputDirectory output_{};  ///< the root's
  Elapsed const since_start_{};
};

OldResults Run::old_results() const {
  auto const canonical = [](std::filesystem::path const& path) {
    return std::filesystem::weakly_canonical(path);
  };
  bool const own = !options_.resume_from || canonical(*options_.resume_from).parent_path() ==
                                                canonical(case_.output.directory);
  if (options_.resume && own) {
    return OldResults::keep;
  }
  return options_.overwrite ? OldResults::remove : OldResults::refuse;
}

RunInputs Run::inputs() const {
  RunInputs inputs{options_.case_file};
  if (case_.initial_file) {
    inputs.others.push_back({"[initial] file", case_.initial_file->path});
  }
  if (case_.run.plan_table) {
    inputs.others.push_back({"[run] plan_table", *case_.run.plan_table});
  } else if (char const* const table = std::getenv("ISOTHERM_PLAN_TABLE")) {
    inputs.others.push_back({"ISOTHERM_PLAN_TABLE", table});
  }
  if (options_.resume_from) {
    inputs.others.push_back({"--resume", *options_.resume_from});
  }
  return inputs;
}

/// Whether --resume-or-overwrite means the one or the other.
void Run::choose_start() {
  if (!options_.resume_or_overwrite) {
    return;
  }
  bool found = false;
  on_root(ranks_, [&] { found = can_be_resumed(case_.output.directory); });
  options_.resume = ranks_.any(found);
  options_.overwrite = !options_.resume;
}

/// All that can be found wrong before anything is allocated or written.
void Run::check() {
  mpi::check_launcher(ranks_);
  on_root(ranks_, [&] { check_output_directory(case_.output.directory, old_results(), inputs()); });
  if (options_.resume) {
    resume_points_ = resume_points(ranks_, case_, options_.resume_from, warnings_);
  } else if (case_.initial_file) {
    on_root(ranks_, [&] {
      check_dataset(case_.initial_file->path, case_.initial_file->dataset, case_.problem.grid);
    });
  }
  plan_ = make_run_plan(ranks_, case_);
  shared_devices_ = ranks_.any(plan_.device.backend == Backend::cuda && plan_.device.sharers > 1);
  warnings_.insert(warnings_.end(), plan_.warnings.begin(), plan_.warnings.end());
  check_memory(ranks_, plan_);
  if (std::string const hint = hint_about_idle_cores(plan_.device); !hint.empty()) {
    warnings_.push_back(hint);
  }
  on_root(ranks_, [&] {
    std::int64_t const from = options_.resume ? resume_points_.front().state.iteration : 0;
    sizes_ = output_sizes(case_, from, old_files(case_.output.directory, old_results()));
    check_disk(case_, sizes_);
  });
}

int Run::report_dry_run() {
  print(header_lines(case_, plan_, ranks_.size(), name(case_.run.transport), plan_.sweep,
                     shared_devices_));
  print(output_lines(case_, sizes_));
  if (!resume_points_.empty()) {
    ResumePoint const& point = resume_points_.front();
    log_.line("would resume  from " + point.file.string() + ", iteration " +
              std::to_string(point.state.iteration));
  }
  print_warnings();
  log_.line("It fits; nothing was computed or written.");
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

/// Runs that were killed leave memory taken, which this one may need.
void Run::clear_shared_memory() {
  mpi::AbandonedMemory mine;
  if (ranks_.local_rank() == 0) {
    mine = mpi::remove_abandoned_memory("/dev/shm");
  }
  std::int64_t const files = ranks_.sum(mine.files);
  double const bytes = ranks_.sum(static_cast<double>(mine.bytes));
  if (files > 0) {
    warnings_.push_back("killed runs had left " + format_bytes(bytes) + " in " +
                        format_count(files, "file") + " in /dev/shm, which are removed");
  }
}

void Run::build_solver() {
  solver_ = make_solver(ranks_, case_.problem, case_.method, *plan_.solver);
  load_values();
}

/// A resumed run's or a person's own values instead of the case's initial field.
void Run::load_values() {
  if (!options_.resume && !case_.initial_file) {
    return;
  }
  HostValues values(case_.problem.precision,
                    static_cast<std::size_t>(solver_->subdomain().owned().point_count()));
  if (options_.resume) {
    resumed_from_ = load_newest(ranks_, solver_->subdomain(), resume_points_, values, warnings_);
    solver_->restore(std::as_const(values).view(), resumed_from_->state);
    return;
  }
  std::visit(
      [&](auto numbers) {
        read_dataset(ranks_, case_.initial_file->path, case_.initial_file->dataset,
                     solver_->subdomain(), numbers.data());
      },
      values.view());
  solver_->set_initial(std::as_const(values).view());
  solver_->read_field(values.view());  // with the boundary's values, whatever the file has there
  if (!all_finite(ranks_, std::as_const(values).view())) {
    throw InputError(case_.initial_file->path.string() + ", dataset \"" +
                     case_.initial_file->dataset + "\" holds values that are not finite in " +
                     name(case_.problem.precision));
  }
}

void Run::open_output() {
  on_root(ranks_, [&] {
    output_ = prepare_output_directory(case_.output.directory, old_results(), inputs(), case_.text);
    log_.also_to(case_.output.directory / "run.log");
  });
  print(header_lines(case_, plan_, ranks_.size(), solver_->transport_name(), solver_->plan(),
                     shared_devices_));
  print(output_lines(case_, sizes_));
  if (resumed_from_) {
    log_.line("resumed       from " + resumed_from_->file.string() + ", iteration " +
              std::to_string(resumed_from_->state.iteration));
  } else if (options_.resume_or_overwrite) {
    log_.line("started       anew: there was nothing to go on from");
  }
  report_directory();
  print_warnings();
}

/// What was found in the output directory and is not as a person may expect it.
void Run::report_directory() {
  if (!output_.remains.empty()) {
    log_.line("removed       what a killed run left: " + join(output_.remains));
  }
  if (output_.case_file_differs) {
    warnings_.emplace_back(
        "case.toml in the output directory is the case file itself and stays as it is; the case as "
        "run is in the fields' files (isotherm info --case FILE)");
  }
}

int Run::solve() try {
  FieldWriter writer(ranks_, case_, *solver_, log_);
  Iterations iterations(ranks_, case_, *solver_, writer, log_, watch_, resumed_from_.has_value());
  Summary summary = blank_summary();
  summary.outcome = iterations.run();
  if (summary.outcome == Outcome::stopped) {
    summary.message = "stopped on request " + iterations.stop_signal();
  }
  describe_result(writer, summary);
  SolverTimes const times = solver_->times();
  summary.performance =
      measure_performance(ranks_, case_.problem, *solver_, iterations.done(),
                          {since_start_.seconds(), iterations.solve_s(), times.compute_s,
                           times.halo_s, times.reduction_s, writer.seconds()});
  report(summary);
  return exit_code_of(summary.outcome);
} catch (std::exception const& error) {
  report_failure(error.what());
  throw;
}

Summary Run::blank_summary() {
  Summary summary;
  summary.ranks = ranks_.size();
  summary.shared_devices = shared_devices_;
  summary.transport = solver_->transport_name();
  summary.sweep = solver_->plan();
  summary.resumed_from = resumed_from_;
  return summary;
}

void Run::describe_result(FieldWriter const& writer, Summary& summary) {
  summary.state = solver_->state();
  summary.time_s = solver_->time_s();
  summary.converged = solver_->converged();
  if (!writer.files().empty()) {
    SnapshotFile const& last = *std::find_if(
        writer.files().begin(), writer.files().end(),
        [&](SnapshotFile const& file) { return file.info.iteration == summary.state.iteration; });
    summary.final_file = last.path.filename().string();
    summary.checksum = last.info.checksum;
  }
}

/// On the root: the last lines, the log and summary.json, which names itself among the files.
void Run::report(Summary& summary) {
  log_.line(outcome_line(case_, summary));
  print(footer_lines(*summary.performance));
  on_root(ranks_, [&] { write_summary(summary); });
}

void Run::write_summary(Summary& summary) {
  auto const path = case_.output.directory / "summary.json";
  summary.files = {"summary.json"};
  for (auto const& file : results_in(case_.output.directory)) {
    if (file != path) {
      summary.files.push_back(file.filename().string());
    }
  }
  std::sort(summary.files.begin(), summary.files.end());
  write_file_atomically(path, to_json(case_, plan_, summary));
}

/// What is left behind where a run breaks: the reason, in the log and in summary.json as far as
/// that can still be written. Communicates with nobody, since this rank may be the only one here.
void Run::report_failure(std::string const& message) {
  log_.error(message);
  if (!ranks_.is_root()) {
    return;
  }
  try {
    Summary summary = blank_summary();
    summary.message = message;
    write_summary(summary);
  } catch (std::exception const& error) {
    log_.error(std::string("summary.json could not be written: ") + error.what());
  }
}

void Run::print_warnings() {
  for (std::string const& warning : warnings_) {
    log_.warning(warning);
  }
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
