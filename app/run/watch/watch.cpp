#include "app/run/watch/watch.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <iostream>
#include <limits>
#include <string_view>
#include <utility>

#include "case/basics/exit_code.hpp"
#include "case/basics/start_thread.hpp"
#include "case/basics/text/text.hpp"
#include "case/basics/text/wording.hpp"
#include "decomposition/ranks/collective_errors.hpp"
#include "decomposition/ranks/host_name.hpp"

namespace isotherm::app {

namespace {

constexpr double default_patience_s = 30.0;  // before a lack of progress is reported
constexpr double max_timeout_s = 1e9;        // 30 years, which a clock can still wait for
constexpr double looks_per_patience = 8.0;   // observations per patience
constexpr double longer_than_before = 3.0;   // multiple of the longest legitimate silence
constexpr std::size_t max_named_ranks = 8;   // maximum number of ranks in one line

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
  return std::min(seconds, max_timeout_s);
}

}  // namespace

/// A run on one rank is not watched, because no other rank waits for it.
Watch::Watch(mpi::Communicator const& ranks, RunLog& log)
    : log_(log), is_root_(ranks.is_root()), rank_(ranks.rank()) {
  on_root(ranks, [&] { report_s_ = patience_from_environment(); });
  report_s_ = ranks.max(report_s_);  // all other ranks have 0
  if (ranks.size() == 1) return;
  status_.emplace(ranks);
  watch_this_thread();  // the calling thread, which is the main thread
  thread_ = start_thread([this] {
    try {
      watch();
    } catch (std::exception const& error) {  // a run continues without its watchdog
      speak(std::string("the watchdog has failed: ") + error.what());
    }
  });
}

Watch::~Watch() {
  {
    std::lock_guard const lock(mutex_);
    ends_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void Watch::progress(std::int64_t iteration) {
  iteration_ = iteration;
  ++progress_count_;
}

void Watch::end_after(double patience_s) {
  {
    std::lock_guard const lock(mutex_);
    end_s_ = patience_s;
  }
  wake_.notify_all();  // the thread recomputes its interval
}

double Watch::ends_after_s() const {
  std::lock_guard const lock(mutex_);
  return end_s_;
}

void Watch::before_ending(std::function<void(std::string const&)> work) {
  std::lock_guard const lock(mutex_);
  before_ending_ = std::move(work);
}

double Watch::shortest_patience_s() const {
  auto const or_never = [](double s) {
    return s > 0.0 ? s : std::numeric_limits<double>::infinity();
  };
  return std::min(or_never(report_s_), or_never(end_s_));
}

/// Counts its own observations instead of reading a clock: while this process is stopped, no time
/// passes for it.
void Watch::watch() {
  std::unique_lock lock(mutex_);
  while (!ends_) {
    double const patience_s = shortest_patience_s();
    auto const changed = [&] { return ends_ || shortest_patience_s() != patience_s; };
    std::chrono::duration<double> const interval(patience_s / looks_per_patience);
    if (std::isinf(patience_s)) {
      wake_.wait(lock, changed);
    } else if (!wake_.wait_for(lock, interval, changed)) {
      // The lock is held, so end_after() and before_ending() wait for the end of an observation.
      look(interval.count());
    }
  }
}

/// The stages are publishing this rank's state, detecting progress, and examining the other ranks.
/// @pre the caller holds the mutex
void Watch::look(double seconds) {
  status_->update(seconds);
  if (std::exchange(seen_beats_, progress_count_) != seen_beats_) end_stall();
  silent_s_ += seconds;
  // Other processes are examined only if there was no progress for some time.
  if (silent_s_ < shortest_patience_s() / 4.0) return;
  std::vector<SeenRank> const seen = status_->see(seconds);
  if (report_s_ > 0.0 && silent_s_ >= report_s_) report(seen);
  if (end_s_ <= 0.0) return;
  Verdict const verdict = judge(seen, rank_, end_s_);
  if (verdict.ends) end_job(verdict.blamed);
}

/// The first rank of a host that is not stopped itself reports each rank that explains the silence.
/// If there is none, the root reports once that nothing is known.
void Watch::report(std::vector<SeenRank> const& seen) {
  auto const runs = [](SeenRank const& one) { return one.condition == Condition::runs; };
  auto const speaker = std::ranges::find_if(seen, runs);
  if (speaker != seen.end() && speaker->rank != rank_) return;
  std::vector<SeenRank> explaining = seen;
  std::erase_if(explaining, [&](SeenRank const& one) {
    return runs(one) && (one.waits_for != WaitsFor::disk || one.seconds < report_s_);
  });
  if (!explaining.empty()) {
    std::string named = list(explaining, report_s_);
    if (std::exchange(named_, named) == named) return;
    speak(stall_prefix("waiting") + named);
  } else if (is_root_ && !has_spoken_ && silent_s_ > longer_than_before * longest_s_) {
    speak(fmt::format("{}no rank on {} is stopped{}; a step may take long",
                      stall_prefix("no progress"), host_name(),
                      status_->others_elsewhere() ? ", other hosts cannot be seen from here" : ""));
  } else {
    return;
  }
  has_spoken_ = true;
}

void Watch::end_stall() {
  // A time with a stopped rank is no measure of how long legitimate work takes.
  if (named_.empty()) longest_s_ = std::max(longest_s_, silent_s_);
  if (has_spoken_) speak("progress resumed after " + format_seconds(silent_s_));
  silent_s_ = 0.0;
  has_spoken_ = false;
  named_.clear();
}

/// All main threads are in calls of MPI or have ended, so only the whole job can be ended.
void Watch::end_job(std::vector<SeenRank> const& blamed) {
  std::string const who =
      !blamed.empty() ? list(blamed, end_s_)
      : status_->others_elsewhere()
          ? "no rank on " + host_name() + " works: one on another host does not answer"
          : "all ranks wait for each other";
  std::string const text =
      stall_prefix("no answer") + who + "; the job is ended after [run] patience";
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

/// Only the root has the log; other ranks write to standard error.
void Watch::speak(std::string const& text) {
  if (is_root_) {
    log_.warning(text);
  } else {
    std::cerr << "isotherm: warning: " + text + "\n" << std::flush;
  }
}

/// A run may have to read its values before it knows its iteration.
std::string Watch::stall_prefix(char const* what) const {
  std::int64_t const iteration = iteration_;
  return fmt::format("{} for {}, since {}: ", what, format_seconds(silent_s_),
                     iteration == not_yet ? "the start" : fmt::format("iteration {}", iteration));
}

std::string Watch::list(std::vector<SeenRank> const& ranks, double patience_s) {
  std::vector<std::string> notes;
  for (SeenRank const& one : ranks) {
    if (notes.size() == max_named_ranks) {
      notes.emplace_back("more");
      break;
    }
    notes.push_back(fmt::format("rank {} (pid {} on {}) {}", one.rank, one.pid, host_name(),
                                describe(one, patience_s)));
  }
  return join(notes, " and ");
}

}  // namespace isotherm::app
