#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "app/run/log/run_log.hpp"
#include "app/run/watch/patience.hpp"

// The watchdog of a run with several ranks. If one rank hangs, all others wait in MPI and cannot
// report it. So a thread on each rank observes the processes of its host through /proc, without
// MPI.

namespace isotherm {

/// The state of a process, as the operating system reports it.
struct ProcessState {
  char letter = '?';  ///< R runs, S sleeps, D waits for a device, T stopped, t traced, Z ended
  std::uint64_t started = 0;  ///< start time; distinguishes a later process with the same number
};

/// Returns the state of a process, or nothing if there is none with this number.
std::optional<ProcessState> process_state(int pid);

/// A rank as it was seen at one moment.
struct SeenRank {
  int rank;
  int pid;
  Condition condition;
};

/// Returns true for ranks that do not continue by themselves.
bool stands_still(SeenRank const& seen);

/// A time without progress, and what was reported about it.
struct Silence {
  double seconds = 0.0;    ///< duration up to now
  bool mentioned = false;  ///< it was reported
  /// Ranks that were reported as stopped or ended, and how.
  std::set<std::pair<int, Condition>> named{};
};

/// What there is to report about a time without progress.
enum class News { none, no_progress, waiting };

/// Decides what to report. Each rank that is stopped or ended is reported once. If there is none, a
/// lack of progress is reported once it lasts longer than `usual_s`.
News news_of(Silence const& silence, std::vector<SeenRank> const& seen, double usual_s);

/// Returns the silence, updated with what was reported.
Silence after_speaking(Silence silence, std::vector<SeenRank> const& seen);

/// The watchdog: reports that a run of several ranks makes no progress, and for which ranks the
/// others wait. These are stopped (by a signal or a debugger) or gone, as far as the system shows
/// it.
///
/// A thread on the first rank of each host observes the processes of that host. A thread on the
/// second rank does so while the first is stopped itself. The root's thread reports even if it
/// finds nothing. ISOTHERM_PATIENCE_S in the root's environment sets the time before a report, in
/// seconds; 0: never.
///
/// If a rank keeps others waiting for longer than [run] patience, one of them ends the job. There
/// must be evidence that the rank does not work (patience.hpp). For this purpose a thread on every
/// rank shows the state of its main thread. The threads must not call MPI, which belongs to the
/// main thread. The only exception is the thread that aborts the job.
///
///   Watch watch(ranks, log);
///   watch.end_after(600.0);
///   while (…) watch.progress(iteration);
class Watch {
 public:
  /// Starts the thread if there are several ranks. Collective.
  /// @param log  must outlive this object
  /// @throws InputError  if ISOTHERM_PATIENCE_S is not a number of seconds
  Watch(mpi::Communicator const& ranks, RunLog& log);
  /// Stops the thread.
  ~Watch();
  Watch(Watch const&) = delete;
  Watch& operator=(Watch const&) = delete;

  /// Reports progress. To be called on every rank after each chunk of work.
  void progress(std::int64_t iteration);

  /// Sets for how long a rank may keep others waiting before the job is ended; 0: forever.
  void end_after(double patience_s);
  /// Sets a function that is called on the root with the reason, just before the job is ended. It
  /// must not communicate.
  void before_ending(std::function<void(std::string const&)> work);

 private:
  /// Iteration before the first progress().
  static constexpr std::int64_t not_yet = -1;
  /// Identity of a rank's process.
  struct Process {
    int rank;
    int pid;
    std::uint64_t started;
  };

  /// Collects the processes of this host. Collective.
  void gather_processes(mpi::Communicator const& ranks);
  /// Starts the thread.
  void start(int local_rank);
  /// The loop of the thread.
  void watch();
  /// Seconds between two observations; nothing if none are needed.
  [[nodiscard]] std::optional<double> interval_s() const;
  /// Reports a lack of progress of this process, or its end.
  void report(double interval_s, std::int64_t& seen_beats, Silence& silence);
  /// Shows the state of the main thread to other ranks, and ends the job if the rule demands it.
  void see_whether_to_end(SinceThen const& own, double interval_s);
  /// Returns the states of all ranks of the host.
  std::vector<SeenStanding> see_standings(double interval_s);
  /// Reports the evidence and aborts all ranks.
  [[noreturn]] void end_job(std::vector<SeenStanding> const& blamed, double waited_s);
  /// Describes why the job is ended.
  [[nodiscard]] std::string evidence(std::vector<SeenStanding> const& blamed,
                                     double waited_s) const;
  /// Examines the ranks of the host and reports news.
  void look(Silence& silence);
  /// Ends a silence, and reports that if the silence was reported.
  void end(Silence& silence);
  /// Prints a warning.
  void speak(std::string const& text);
  /// Returns the conditions of all ranks of the host.
  [[nodiscard]] std::vector<SeenRank> see_ranks() const;
  /// Returns true if this rank is the one that reports for its host.
  [[nodiscard]] bool speaks(std::vector<SeenRank> const& seen) const;
  /// "iteration 1200" or "the start".
  [[nodiscard]] std::string since() const;
  /// Describes the ranks that are stopped, ended or waiting.
  [[nodiscard]] std::string notes_on(std::vector<SeenRank> const& seen) const;

  RunLog& log_;
  bool is_root_;
  int rank_;
  bool reports_ = false;      ///< this is one of the first two ranks of its host
  double patience_s_ = 0.0;   ///< before a silence is reported
  double most_wait_s_ = 0.0;  ///< before the job is ended; 0: never
  std::function<void(std::string const&)> before_ending_{};  ///< see before_ending()
  /// By rank: for how long its process has been stopped or ended.
  std::map<int, double> still_s_{};
  double longest_s_ = 0.0;      ///< longest silence that ended by itself: the next may be as long
  bool several_hosts_ = false;  ///< some ranks are on other hosts
  std::string host_;
  std::vector<Process> processes_;                ///< ranks of this host that are visible from here
  std::atomic<std::int64_t> beats_{0};            ///< number of calls of progress()
  std::atomic<std::int64_t> iteration_{not_yet};  ///< of the last call
  std::mutex mutex_;                              ///< guards most_wait_s_, before_ending_ and ends_
  std::condition_variable wake_;
  bool ends_ = false;  ///< the thread has to return
  std::thread thread_;
};

}  // namespace isotherm
