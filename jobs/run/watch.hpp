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

#include "jobs/run/patience.hpp"
#include "jobs/run/run_log.hpp"

namespace isotherm {

/// What the system says of a process.
struct ProcessState {
  char letter = '?';  ///< R runs, S sleeps, D waits for a device, T stopped, t traced, Z ended
  std::uint64_t started = 0;  ///< tells it from a later process with the same number
};

/// Nothing where there is no such process.
std::optional<ProcessState> process_state(int pid);

/// A rank as it was seen at one moment.
struct SeenRank {
  int rank;
  int pid;
  Condition condition;
};

/// True of those that do not go on by themselves.
bool stands_still(SeenRank const& seen);

/// A time without progress, and what has been said of it.
struct Silence {
  double seconds = 0.0;
  bool mentioned = false;
  std::set<std::pair<int, Condition>> named{};  ///< ranks that were said to stand still, and how
};

/// What there is to say of a silence.
enum class News { none, no_progress, waiting };

/// Each rank that stands still is news once in a silence; what the others do is none. Where nothing
/// stands still it is news once that the silence has lasted longer than `usual_s`.
News news_of(Silence const& silence, std::vector<SeenRank> const& seen, double usual_s);

/// The silence, once what was seen has been said of it.
Silence after_speaking(Silence silence, std::vector<SeenRank> const& seen);

/// Says when a run of several ranks stands still, and which ranks the others wait for: those that
/// are stopped (a signal, a debugger) or gone, as far as the system shows it. A thread on the first
/// rank of each host looks at the processes of that host, and one on the second in case the first
/// is stopped itself; the root's thread speaks also where it finds nothing.
/// ISOTHERM_PATIENCE_S in the root's environment says after how many seconds, 0: never.
///
/// Where a rank keeps others waiting for longer than the case allows ([run] patience), and there is
/// evidence that it is not at work, one of those that wait ends the job (patience.hpp). For this a
/// thread on every rank shows the others how its main thread stands. It must not call MPI, whose
/// calls are the main thread's; but for the one that ends the job.
class Watch {
 public:
  /// The log must outlive this object. Collective.
  /// @throws InputError  where ISOTHERM_PATIENCE_S is no such number
  Watch(mpi::Communicator const& ranks, RunLog& log);
  ~Watch();
  Watch(Watch const&) = delete;
  Watch& operator=(Watch const&) = delete;

  /// To be called on every rank wherever the run has got on.
  void progress(std::int64_t iteration);

  /// From now on a rank may keep others waiting for so long. 0: without end
  void end_after(double patience_s);
  /// What is done with the reason, on the root, just before the job is ended; nothing collective.
  void before_ending(std::function<void(std::string const&)> work);

 private:
  static constexpr std::int64_t not_yet = -1;
  struct Process {
    int rank;
    int pid;
    std::uint64_t started;
  };

  void gather_processes(mpi::Communicator const& ranks);
  void start(int local_rank);
  void watch();
  [[nodiscard]] std::optional<double> interval_s() const;
  void report(double interval_s, std::int64_t& seen_beats, Silence& silence);
  void see_whether_to_end(SinceThen const& own, double interval_s);
  std::vector<SeenStanding> see_standings(double interval_s);
  [[noreturn]] void end_job(std::vector<SeenStanding> const& blamed, double waited_s);
  [[nodiscard]] std::string evidence(std::vector<SeenStanding> const& blamed,
                                     double waited_s) const;
  void look(Silence& silence);
  void end(Silence& silence);
  void speak(std::string const& text);
  [[nodiscard]] std::vector<SeenRank> see_ranks() const;
  [[nodiscard]] bool speaks(std::vector<SeenRank> const& seen) const;
  [[nodiscard]] std::string since() const;
  [[nodiscard]] std::string notes_on(std::vector<SeenRank> const& seen) const;

  RunLog& log_;
  bool is_root_;
  int rank_;
  bool reports_ = false;      ///< one of the first two of its host
  double patience_s_ = 0.0;   ///< before a silence is reported
  double most_wait_s_ = 0.0;  ///< before the job is ended; 0: never
  std::function<void(std::string const&)> before_ending_{};
  std::map<int, double> still_s_{};  ///< by rank: for how long it has stood still
  double longest_s_ = 0.0;           ///< silence that ended by itself: the next may be as long
  bool several_hosts_ = false;
  std::string host_;
  std::vector<Process> processes_;  ///< of this host
  std::atomic<std::int64_t> beats_{0};
  std::atomic<std::int64_t> iteration_{not_yet};
  std::mutex mutex_;
  std::condition_variable wake_;
  bool ends_ = false;
  std::thread thread_;
};

}  // namespace isotherm
