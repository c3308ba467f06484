#include "app/sweep/sweep.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <fmt/format.h>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "app/sweep/child_process.hpp"
#include "app/sweep/run_row.hpp"
#include "app/sweep/run_table.hpp"
#include "app/sweep/sweep_points.hpp"
#include "case/basics/elapsed.hpp"
#include "case/basics/exit_code.hpp"
#include "case/basics/stop_request.hpp"
#include "case/basics/text/text.hpp"
#include "case/basics/text/wording.hpp"
#include "case/read_case.hpp"
#include "io/files/atomic_file.hpp"
#include "kernels/core/error.hpp"

// The sweep starts processes of the same program, because a failure or an exhausted memory then
// ends one run only, and because several may run at the same time.

namespace isotherm::app {

namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds poll_interval{20};

/// The state of a run of the study.
enum class State { waiting, skipped, running, done, not_converged, stopped, failed };

/// Returns the name of a state for the table, as in summary.json.
std::string name(State state) {
  switch (state) {
    case State::waiting:
      return "not run";
    case State::running:
    case State::stopped:
      return "stopped";
    case State::skipped:
    case State::done:
      return "done";
    case State::not_converged:
      return "not-converged";
    case State::failed:
      break;
  }
  return "failed";
}

/// A run of the study.
struct Member {
  SweepPoint point;
  fs::path directory;
  std::vector<std::string> overrides;  ///< all of them, with that of the output directory
  std::string text{};                  ///< of the case as it runs; empty: the case is not valid
  State state = State::waiting;
  std::string message{};  ///< why it failed, or what it has found
};

/// A run that has been started.
struct Running {
  Member* member;
  int slot;  ///< number among those that run at the same time
  std::unique_ptr<ChildProcess> process;
  Elapsed since_start{};
};

/// The study: its runs, one after the other or several at a time.
class Study {
 public:
  Study(mpi::Communicator const& ranks, SweepOptions const& options);

  /// Prints the runs, and does nothing else. Returns the exit code: failed if a case is invalid.
  [[nodiscard]] int list() const;
  /// Does all runs and makes the table. Returns the exit code.
  int run();

 private:
  /// Reads all cases, unless a signal arrives. @throws InputError  if none is valid
  void read_cases(mpi::Communicator const& ranks);
  /// Returns the options that set the keys of a run.
  [[nodiscard]] OptionSpellings spellings(SweepPoint const& point) const;
  /// Skips a run that an earlier sweep has finished with the same case.
  void skip_if_finished(Member& member);
  /// Starts waiting runs while there are free slots.
  void start_some();
  /// Takes note of runs that have ended.
  void collect();
  /// Passes a request to stop to all runs, once.
  void pass_signal();
  /// Sets the state of a run that has ended.
  void conclude(Running const& run, int code);
  /// Prints a line about a run that has ended or was skipped.
  void report(Member const& member, std::string const& what);
  /// Checks that the table replaces no other file. @throws InputError
  void check_table() const;
  /// Writes or prints the table.
  void write_table() const;
  /// Prints the runs that are not done, and returns the exit code.
  [[nodiscard]] int conclusion() const;
  [[nodiscard]] std::int64_t count(State state) const {
    return std::ranges::count(members_, state, &Member::state);
  }

  SweepOptions const& options_;
  std::vector<Member> members_;
  std::vector<Running> running_{};
  std::size_t next_ = 0;  ///< the first run that may still be waiting
  bool stopping_ = false;
  std::int64_t reported_ = 0;
};

Study::Study(mpi::Communicator const& ranks, SweepOptions const& options) : options_(options) {
  std::vector<SweepAxis> axes;
  for (std::string const& over : options.over) {
    axes.push_back(parse_over(over));
    if (options.quiet) continue;
    for (std::string const& repetition : axes.back().repetitions) {
      std::cerr << "isotherm: " << visible(repetition) << '\n';
    }
  }
  fs::path const root = options.output.empty()
                            ? fs::path(options.case_file.stem().string() + "-sweep")
                            : options.output;
  for (SweepPoint& point : combine(axes)) {
    std::vector<std::string> overrides = options.overrides;
    for (Setting const& one : point.settings) overrides.push_back(one.assignment());
    fs::path const directory = root / point.name;
    overrides.push_back(text_override("output.directory", directory.string()));
    members_.push_back({std::move(point), directory, std::move(overrides)});
  }
  read_cases(ranks);
}

/// The values of --over reach the case as overrides, too.
OptionSpellings Study::spellings(SweepPoint const& point) const {
  OptionSpellings all = options_.spellings;
  for (Setting const& one : point.settings) all.add(one.assignment(), "--over " + one.assignment());
  return all;
}

void Study::read_cases(mpi::Communicator const& ranks) {
  for (Member& member : members_) {
    stopping_ = StopRequest::made();
    if (stopping_) return;
    try {
      member.text = read_case(ranks, options_.case_file, member.overrides).text;
    } catch (InputError const& fault) {
      member.state = State::failed;
      member.message = spellings(member.point).renamed(fault.what());
    }
  }
  bool const all_fail = count(State::failed) == std::ssize(members_);
  if (all_fail) throw InputError(members_.front().message);
}

int Study::list() const {
  for (Member const& member : members_) {
    std::cout << visible(member.directory.string()) +
                     (member.message.empty() ? "" : "  fails: " + visible(member.message)) + '\n';
  }
  std::cout << format_count(std::ssize(members_), "run") << "; nothing was written\n";
  return stopping_                  ? exit_code::stopped
         : count(State::failed) > 0 ? exit_code::failed
                                    : exit_code::done;
}

int Study::run() {
  check_table();
  StopRequest const listening(!options_.quiet);
  StopRequest::promise_checkpoint(true);
  for (Member& member : members_) {
    if (member.state == State::failed) report(member, "failed: " + member.message);
    if (member.state == State::waiting) skip_if_finished(member);
  }
  start_some();
  while (!running_.empty()) {
    std::this_thread::sleep_for(poll_interval);
    pass_signal();
    collect();
    start_some();
  }
  write_table();
  return conclusion();
}

/// A run that has not reached its tolerance is finished, too: it would end in the same way again.
void Study::skip_if_finished(Member& member) {
  nlohmann::json const summary = nlohmann::json::parse(
      contents_of(member.directory / "summary.json").value_or(""), nullptr, false);
  if (!summary.is_object() || contents_of(member.directory / "case.toml") != member.text) return;
  std::string const status = summary.value("status", "");
  if (status == "done") {
    member.state = State::skipped;
  } else if (status == name(State::not_converged)) {
    member.state = State::not_converged;
    member.message = "the tolerance was not reached";
  } else {
    return;
  }
  report(member, "skipped: finished by an earlier sweep");
}

void Study::start_some() {
  while (!stopping_ && std::ssize(running_) < options_.jobs && next_ < members_.size()) {
    Member& member = members_[next_++];
    if (member.state != State::waiting) continue;
    int slot = 0;
    while (std::ranges::find(running_, slot, &Running::slot) != running_.end()) ++slot;
    std::vector<std::string> words{"run", options_.case_file.string(), "--quiet",
                                   "--resume-or-overwrite"};
    for (std::string const& one : member.overrides) {
      words.emplace_back("--set");
      words.push_back(one);
    }
    fs::path const parent = member.directory.parent_path();
    std::error_code failure;
    fs::create_directories(parent, failure);
    if (failure) {
      throw InputError("the directory " + parent.string() +
                       " cannot be created: " + failure.message() + " (choose another --output)");
    }
    running_.push_back(
        {&member, slot,
         std::make_unique<ChildProcess>(words, child_environment(slot, options_.jobs))});
    member.state = State::running;
  }
}

void Study::pass_signal() {
  if (stopping_ || !StopRequest::made()) return;
  stopping_ = true;
  for (Running const& run : running_) run.process->send(SIGTERM);
}

void Study::collect() {
  std::erase_if(running_, [this](Running const& run) {
    auto const code = run.process->poll();
    if (code) conclude(run, *code);
    return code.has_value();
  });
}

void Study::conclude(Running const& run, int code) {
  Member& member = *run.member;
  std::string const message = spellings(member.point).renamed(run.process->message());
  std::string const time = format_seconds(run.since_start.seconds());
  if (code == exit_code::done) {
    member.state = State::done;
    return report(member, "done in " + time);
  }
  member.state = code == exit_code::not_converged ? State::not_converged
                 : code == exit_code::stopped     ? State::stopped
                                                  : State::failed;
  member.message = code == exit_code::not_converged ? "the tolerance was not reached"
                   : code == exit_code::stopped     ? "stopped with a checkpoint"
                   : code > 128                     ? fmt::format("ended by signal {}", code - 128)
                                : (message.empty() ? fmt::format("exit code {}", code) : message);
  report(member, name(member.state) + " after " + time +
                     (member.state == State::failed ? ": " + member.message : ""));
}

void Study::report(Member const& member, std::string const& what) {
  ++reported_;
  if (options_.quiet) return;
  std::cout << fmt::format("[{}/{}] {}  {}", reported_, members_.size(), member.point.name,
                           visible(what))
            << std::endl;
}

void Study::check_table() const {
  if (options_.table.empty()) return;
  std::vector<RunRow> rows;
  for (Member const& member : members_) rows.emplace_back(fs::path(), member.point.settings);
  std::string const first =
      options_.columns.empty() ? default_columns(rows).front() : options_.columns.front();
  check_table_file(options_.table, first, "name another with --table");
}

void Study::write_table() const {
  std::vector<RunRow> rows;
  for (Member const& member : members_) {
    // The directory of a run that was refused may contain the results of another case.
    bool const has_results = member.state != State::failed && member.state != State::waiting;
    rows.emplace_back(has_results ? member.directory : fs::path(), member.point.settings);
    rows.back().set_status(name(member.state));
  }
  std::vector<std::string> const columns =
      options_.columns.empty() ? default_columns(rows) : options_.columns;
  // The results are safe, and `isotherm table` can make another table of them.
  for (std::string const& column : unknown_columns(rows, columns)) {
    bool const by_user = std::ranges::find(options_.columns, column) != options_.columns.end();
    if (!by_user) continue;
    std::string const near = nearest_name(column, default_columns(rows), 1);
    std::cerr << fmt::format(
        "isotherm: warning: no run has the column {} ({}isotherm table {} shows the columns)\n",
        in_quotes(column), near.empty() ? "" : "did you mean " + visible(near) + "? ",
        visible(members_.front().directory.parent_path().string()));
  }
  if (!options_.table.empty()) {
    write_file_atomically(options_.table, format_table(rows, columns, format_for(options_.table)));
  } else if (!options_.quiet) {
    std::cout << '\n' << format_table(rows, columns, TableFormat::text);
  }
}

int Study::conclusion() const {
  std::int64_t const failed = count(State::failed);
  std::int64_t const not_converged = count(State::not_converged);
  std::int64_t const done = count(State::done) + count(State::skipped);
  std::cout.flush();
  for (Member const& member : members_) {
    if (member.state != State::failed && member.state != State::not_converged) continue;
    std::cerr << "isotherm: " << member.point.name << ": " << visible(member.message) << '\n';
  }
  if (!options_.quiet) {
    std::cout << fmt::format("{} of {} done", done, format_count(std::ssize(members_), "run"))
              << (stopping_ ? "; the same command resumes the others" : "") << std::endl;
  }
  require(std::cout.good(),
          "cannot write to standard output (`isotherm table` prints the table again)");
  return stopping_           ? exit_code::stopped
         : failed > 0        ? exit_code::failed
         : not_converged > 0 ? exit_code::not_converged
                             : exit_code::done;
}

}  // namespace

int sweep(mpi::Communicator const& ranks, SweepOptions const& options) {
  if (ranks.size() > 1) {
    throw InputError(
        "sweep starts its runs itself: start it without mpirun (--jobs N runs N of them at the "
        "same time)");
  }
  if (options.case_file == "-") {
    throw InputError("sweep needs a case file, since each run reads it (not standard input)");
  }
  if (!options.table.empty() && options.table.has_parent_path() &&
      !fs::is_directory(options.table.parent_path())) {
    throw InputError("--table: there is no directory " + options.table.parent_path().string());
  }
  Study study(ranks, options);
  return options.dry_run ? study.list() : study.run();
}

}  // namespace isotherm::app
