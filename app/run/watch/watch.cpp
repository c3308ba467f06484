#include "app/run/watch/watch.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <fstream>
#include <iostream>
#include <limits>
#include <pthread.h>
#include <sstream>
#include <unistd.h>

#include "case/basics/exit_code.hpp"
#include "case/basics/start_thread.hpp"
#include "case/basics/text/text.hpp"
#include "case/basics/text/wording.hpp"
#include "decomposition/ranks/host_name.hpp"
#include "decomposition/ranks/together.hpp"

// Two tasks share the thread. Reporting (ISOTHERM_PATIENCE_S) needs one rank per host and only
// prints. Ending the job ([run] patience) needs all ranks and follows the rule in patience.cpp.

namespace isotherm {

namespace {

constexpr double default_patience_s = 30.0;  // before a silence is reported
constexpr double most_patience_s = 1e9;      // 30 years, which a clock can still wait for
constexpr double looks_per_patience = 8.0;   // observations per patience
constexpr double longer_than_before = 3.0;   // multiple of the longest legitimate silence
constexpr std::size_t most_named = 8;        // maximum number of ranks in one line

/// Reads ISOTHERM_PATIENCE_S.
/// @throws InputError  if it is not a number of seconds
double patience_from_environment() {
  char const* const text = std::getenv("ISOTHERM_PATIENCE_S");
  if (text == nullptr) return default_patience_s;
  double seconds = 0.0;
  std::string_view const all = text;
  auto const [end, error] = std::from_chars(all.data(), all.data() + all.size(), seconds);
  if (error != std::errc{} || end != all.data() + all.size() || !std::isfinite(seconds) ||
      seconds < 0.0) {
    throw InputError(fmt::format(
        "ISOTHERM_PATIENCE_S=\"{}\" in the environment is not a number of seconds, 0 or more",
        all));
  }
  return std::min(seconds, most_patience_s);
}

/// Derives the condition of a rank from the state of its process. A process with another start time
/// has reused the number, so the rank has ended.
Condition condition_of(std::optional<ProcessState> const& state, std::uint64_t started) {
  if (!state || state->started != started) return Condition::ended;
  switch (state->letter) {
    case 'Z':
    case 'X':
      return Condition::ended;
    case 'T':
      return Condition::stopped;
    case 't':
      return Condition::traced;
    case 'D':
      return Condition::waits_for_device;
    // Running or sleeping: a thread that waits in MPI does either.
    default:
      return Condition::runs;
  }
}

/// Describes why others may wait for a rank; null if it runs.
char const* describe(Condition condition) {
  switch (condition) {
    case Condition::ended:
      return "has ended";
    case Condition::stopped:
      return "is stopped";
    case Condition::traced:
      return "is held by a debugger";
    case Condition::waits_for_device:
      return "waits for a disk, a file server or a device";
    case Condition::runs:
      break;
  }
  return nullptr;
}

}  // namespace

/// Parses /proc/PID/stat. The name of the process stands in parentheses and may contain blanks, so
/// parsing starts after the last parenthesis.
std::optional<ProcessState> process_state(int pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string text;
  std::getline(file, text, '\0');
  auto const name_end = text.rfind(')');  // a process may have any name, even with parentheses
  if (name_end == std::string::npos) return std::nullopt;
  std::istringstream fields(text.substr(name_end + 1));
  ProcessState state;
  fields >> state.letter;
  std::string skipped;
  for (int field = 4; field < 22; ++field) {  // numbered as in proc(5)
    fields >> skipped;
  }
  fields >> state.started;
  return fields ? std::optional(state) : std::nullopt;
}

bool stands_still(SeenRank const& seen) { return stands_still(seen.condition); }

News news_of(Silence const& silence, std::vector<SeenRank> const& seen, double usual_s) {
  bool found = false;
  for (SeenRank const& one : seen) {
    if (!stands_still(one)) continue;
    // A rank is news again if its condition has changed.
    if (!silence.named.contains({one.rank, one.condition})) return News::waiting;
    found = true;
  }
  bool const too_long = !found && !silence.mentioned && silence.seconds > usual_s;
  return too_long ? News::no_progress : News::none;
}

Silence after_speaking(Silence silence, std::vector<SeenRank> const& seen) {
  silence.mentioned = true;
  for (SeenRank const& one : seen) {
    if (stands_still(one)) {
      silence.named.insert({one.rank, one.condition});
    }
  }
  return silence;
}

/// A run on one rank is not watched: nobody waits for it.
Watch::Watch(mpi::Communicator const& ranks, RunLog& log)
    : log_(log), is_root_(ranks.is_root()), rank_(ranks.rank()), host_(host_name()) {
  on_root(ranks, [&] { patience_s_ = patience_from_environment(); });
  patience_s_ = ranks.max(patience_s_);  // all other ranks have 0
  if (ranks.size() > 1) {
    gather_processes(ranks);
    start(ranks.local_rank());
  }
}

Watch::~Watch() {
  {
    std::lock_guard const lock(mutex_);
    ends_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) {
    thread_.join();
  }
}

/// Two atomic operations: cheap enough for every chunk.
void Watch::progress(std::int64_t iteration) {
  iteration_ = iteration;
  ++beats_;
}

/// Collects the processes of all ranks, and keeps those that are visible from here. The host's name
/// is not enough: processes in another container may have the same host name and process numbers.
void Watch::gather_processes(mpi::Communicator const& ranks) {
  auto const self = process_state(getpid()).value_or(ProcessState{});
  std::vector<std::string> const hosts = ranks.all_gather(host_);
  std::vector<std::string> const identities =
      ranks.all_gather(fmt::format("{} {}", getpid(), self.started));
  for (int rank = 0; rank < ranks.size(); ++rank) {
    Process process{rank, 0, 0};
    std::istringstream(identities[static_cast<std::size_t>(rank)]) >> process.pid >>
        process.started;
    std::string const& host = hosts[static_cast<std::size_t>(rank)];
    several_hosts_ = several_hosts_ || host != host_;
    auto const state = host == host_ ? process_state(process.pid) : std::nullopt;
    // The process is visible from here, and it is the same one.
    if (state && state->started == process.started) {
      processes_.push_back(process);
    }
  }
}

void Watch::end_after(double patience_s) {
  {
    std::lock_guard const lock(mutex_);
    most_wait_s_ = patience_s;
  }
  // The thread computes its interval anew.
  wake_.notify_all();
}

void Watch::before_ending(std::function<void(std::string const&)> work) {
  std::lock_guard const lock(mutex_);
  before_ending_ = std::move(work);
}

void Watch::start(int local_rank) {
  // The second rank of a host reports while the first one is stopped.
  reports_ = local_rank < 2 && patience_s_ > 0.0;
  // The calling thread, which is the main thread.
  watch_this_thread();
  thread_ = start_thread([this] {
    try {
      watch();
    } catch (std::exception const& error) {  // a run continues without its watchdog
      speak(std::string("nobody watches the ranks any more: ") + error.what());
    }
  });
}

/// Returns the seconds between two observations, or nothing if neither reports nor the end of the
/// job are wanted.
std::optional<double> Watch::interval_s() const {
  double const reporting = reports_ ? patience_s_ : std::numeric_limits<double>::infinity();
  double const ending = most_wait_s_ > 0.0 ? most_wait_s_ : std::numeric_limits<double>::infinity();
  double const shortest = std::min(reporting, ending);
  return std::isinf(shortest) ? std::nullopt : std::optional(shortest / looks_per_patience);
}

/// Counts its own observations instead of reading a clock: while this process is stopped, no time
/// passes for it.
void Watch::watch() {
  std::int64_t seen_beats = beats_;
  Silence silence;
  OwnStanding own;
  std::unique_lock lock(mutex_);
  while (!ends_) {
    auto const interval = interval_s();
    auto const changed = [&] { return ends_ || interval_s() != interval; };
    if (!interval) {
      wake_.wait(lock, changed);
    } else if (!wake_.wait_for(lock, std::chrono::duration<double>(*interval), changed)) {
      // The lock is held during an observation, so end_after() and before_ending() wait for its
      // end.
      if (reports_) report(*interval, seen_beats, silence);
      if (most_wait_s_ > 0.0) see_whether_to_end(own.after(*interval), *interval);
    }
  }
}

/// Called once per interval. Progress ends a silence; otherwise the silence grows by the interval.
void Watch::report(double interval_s, std::int64_t& seen_beats, Silence& silence) {
  if (std::int64_t const beats = beats_; beats != seen_beats) {
    seen_beats = beats;
    end(silence);
  } else {
    silence.seconds += interval_s;
    look(silence);
  }
}

void Watch::see_whether_to_end(SinceThen const& own, double interval_s) {
  // The name of this thread is how other ranks learn the state.
  pthread_setname_np(pthread_self(), in_a_thread_name(own).c_str());
  // Other processes are examined only if this rank has waited for a quarter of the patience.
  bool const has_waited_long = own.what != WaitsFor::nothing && own.seconds >= most_wait_s_ / 4.0;
  if (!has_waited_long) return still_s_.clear();
  std::vector<SeenStanding> const seen = see_standings(interval_s);
  Verdict const verdict = judge(seen, own, most_wait_s_);
  // Several ranks may reach the same verdict; only the first one acts.
  if (verdict.ends && first_that_waits(seen) == rank_) end_job(verdict.blamed, own.seconds);
}

/// Combines the condition of each process with the state that it shows.
std::vector<SeenStanding> Watch::see_standings(double interval_s) {
  std::vector<SeenStanding> all;
  for (SeenRank const& one : see_ranks()) {
    // Counted in intervals, like all times here.
    double& still_s = still_s_[one.rank];
    still_s = stands_still(one) ? still_s + interval_s : 0.0;
    all.push_back({one.rank, one.pid, one.condition, still_s, standing_of(one.pid)});
  }
  return all;
}

/// "rank 2 (pid 4711 on node3) is stopped", or a general statement if no rank can be named.
std::string Watch::evidence(std::vector<SeenStanding> const& blamed, double waited_s) const {
  std::vector<std::string> notes;
  for (SeenStanding const& one : blamed) {
    if (notes.size() == most_named) {
      notes.emplace_back("more");
      break;
    }
    char const* const note = describe(one.condition);
    notes.push_back(
        fmt::format("rank {} (pid {} on {}) {}", one.rank, one.pid, host_,
                    note != nullptr ? note : "neither works with the others nor waits"));
  }
  std::string const who =
      !notes.empty()   ? join(notes, " and ")
      : several_hosts_ ? "no rank on " + host_ + " works: one on another host does not answer"
                       : "all ranks wait for each other";
  return fmt::format("no answer for {}, since {}: {}; the job is ended after [run] patience",
                     format_seconds(waited_s), since(), who);
}

/// All main threads are in calls of MPI, or gone, so nothing less than the whole job can be ended.
void Watch::end_job(std::vector<SeenStanding> const& blamed, double waited_s) {
  std::string const text = evidence(blamed, waited_s);
  // To standard error first, since the log may be unreachable.
  std::cerr << fmt::format("isotherm: rank {}: {}\n", rank_, text) << std::flush;
  std::thread([] {  // in case the MPI library hangs in its abort
    std::this_thread::sleep_for(std::chrono::seconds(20));
    std::_Exit(exit_code::failed);
  })
      .detach();
  try {
    if (is_root_ && before_ending_) before_ending_(text);
  } catch (std::exception const& error) {
    std::cerr << fmt::format("isotherm: {}\n", error.what());
  }
  mpi::abort_job(exit_code::failed);
}

/// Reports a silence once it is longer than the patience, if there is news.
void Watch::look(Silence& silence) {
  if (silence.seconds < patience_s_) return;
  std::vector<SeenRank> const seen = see_ranks();
  if (!speaks(seen)) return;
  // Only the root reports a silence without a cause.
  double const usual_s =
      is_root_ ? longer_than_before * longest_s_ : std::numeric_limits<double>::infinity();
  News const news = news_of(silence, seen, usual_s);
  if (news == News::none) return;
  speak(fmt::format("{} for {}, since {}: {}", news == News::waiting ? "waiting" : "no progress",
                    format_seconds(silence.seconds), since(), notes_on(seen)));
  silence = after_speaking(silence, seen);
}

/// Called when progress resumes.
void Watch::end(Silence& silence) {
  // A silence with a stopped rank is not legitimate work, so it does not count.
  longest_s_ = std::max(longest_s_, silence.named.empty() ? silence.seconds : 0.0);
  if (silence.mentioned) {
    speak("it goes on after " + format_seconds(silence.seconds));
  }
  silence = {};
}

/// Only the root has the log; other ranks write to standard error.
void Watch::speak(std::string const& text) {
  if (is_root_) {
    log_.warning(text);
  } else {
    std::cerr << "isotherm: warning: " + text + "\n" << std::flush;
  }
}

/// Examines all ranks at one moment, so that what is reported about them is consistent.
std::vector<SeenRank> Watch::see_ranks() const {
  std::vector<SeenRank> seen;
  for (Process const& process : processes_) {
    seen.push_back(
        {process.rank, process.pid, condition_of(process_state(process.pid), process.started)});
  }
  return seen;
}

/// The first rank of a host reports, or the second while the first is stopped or ended.
bool Watch::speaks(std::vector<SeenRank> const& seen) const {
  if (seen.empty()) return is_root_;
  return seen.front().pid == getpid() || stands_still(seen.front());
}

/// A run may have to read its values before it knows its iteration.
std::string Watch::since() const {
  std::int64_t const iteration = iteration_;
  return iteration == not_yet ? "the start" : fmt::format("iteration {}", iteration);
}

/// "rank 2 (pid 4711 on node3) is stopped", or that nothing is known.
std::string Watch::notes_on(std::vector<SeenRank> const& seen) const {
  std::vector<std::string> notes;
  for (SeenRank const& one : seen) {
    char const* const note = describe(one.condition);
    if (note == nullptr) continue;
    if (notes.size() == most_named) {
      return join(notes) + " and more";
    }
    notes.push_back(fmt::format("rank {} (pid {} on {}) {}", one.rank, one.pid, host_, note));
  }
  if (!notes.empty()) return join(notes);
  return fmt::format("no rank on {} is stopped{}; a step may take long", host_,
                     several_hosts_ ? ", other hosts cannot be seen from here" : "");
}

}  // namespace isotherm
