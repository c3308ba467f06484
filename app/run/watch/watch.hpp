#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "app/run/log/run_log.hpp"
#include "app/run/watch/rank_status.hpp"
#include "case/case.hpp"

namespace isotherm::app {

/// The watchdog of a run with several ranks. If one rank hangs, all others wait in MPI and cannot
/// report it. So a thread on each rank observes the ranks of its host (RankStatus).
///
/// It reports a lack of progress after ISOTHERM_PATIENCE_S seconds (30 if the root's environment
/// does not set it; 0: never). It ends the job if a rank keeps others waiting for longer than [run]
/// patience and does not work. The threads must not call MPI, which belongs to the main thread. The
/// only exception is the thread that aborts the job.
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

  /// Reports progress. Call it on every rank after each chunk of work. Thread-safe; costs two
  /// atomic operations.
  void progress(std::int64_t iteration);

  /// Sets for how long a rank may keep others waiting before the job is ended; 0: forever. Before
  /// the first call, while the case is read, it is the default of [run] patience.
  void end_after(double patience_s);
  /// Returns for how long a rank may keep others waiting, in s; 0: forever.
  [[nodiscard]] double ends_after_s() const;
  /// Sets a function that is called on the root with the reason, just before the job is ended. It
  /// must not communicate.
  void before_ending(std::function<void(std::string const&)> work);

 private:
  /// Iteration before the first progress().
  static constexpr std::int64_t not_yet = -1;

  /// The loop of the thread.
  void watch();
  /// Returns the minimum of report_s_ and end_s_, where 0 stands for infinity.
  [[nodiscard]] double shortest_patience_s() const;
  /// Observes the ranks, `seconds` after the last observation.
  void look(double seconds);
  /// Reports the lack of progress, if there is news.
  void report(std::vector<SeenRank> const& seen);
  /// Ends a time without progress.
  void end_stall();
  /// Reports the evidence and aborts all ranks.
  [[noreturn]] void end_job(std::vector<SeenRank> const& blamed);
  /// Prints a warning.
  void speak(std::string const& text);
  /// "no progress for 33.8 s, since iteration 1200": begins each message.
  [[nodiscard]] std::string stall_prefix(char const* what) const;
  /// "rank 2 (pid 4711 on node3) is stopped", for each of the ranks.
  static std::string list(std::vector<SeenRank> const& ranks, double patience_s);

  RunLog& log_;
  bool is_root_;
  int rank_;
  std::optional<RankStatus> status_{};  ///< none if there is one rank only
  double report_s_ = 0.0;               ///< time without progress before a report; 0: never
  double end_s_ =
      RunSettings{}.patience_s;  ///< time that ranks wait before the job is ended; 0: never
  std::function<void(std::string const&)> before_ending_{};  ///< see before_ending()
  std::atomic<std::int64_t> progress_count_{0};              ///< number of calls of progress()
  std::atomic<std::int64_t> iteration_{not_yet};             ///< of the last call
  std::int64_t seen_beats_ = 0;  ///< progress_count_ at the last observation
  double silent_s_ = 0.0;        ///< since the last progress
  double longest_s_ = 0.0;       ///< of these times, if no rank was stopped
  bool has_spoken_ = false;      ///< something was reported since the last progress
  std::string named_{};          ///< ranks that the last report named
  mutable std::mutex mutex_;     ///< guards end_s_, before_ending_ and ends_
  std::condition_variable wake_;
  bool ends_ = false;  ///< the thread has to return
  std::thread thread_;
};

}  // namespace isotherm::app
