#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "jobs/run/run_log.hpp"

namespace isotherm {

/// What the system says of a process.
struct ProcessState {
  char letter = '?';  ///< R runs, S sleeps, D waits for a device, T stopped, t traced, Z ended
  std::uint64_t started = 0;  ///< tells it from a later process with the same number
};

/// Nothing where there is no such process.
std::optional<ProcessState> process_state(int pid);

/// How a rank's process stands, as far as others may have to wait for it.
enum class Condition { runs, waits_for_device, stopped, traced, ended };

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
/// is stopped itself; the root's thread speaks also where it finds nothing. Nothing is ended: a
/// long step is no mistake.
///
/// ISOTHERM_PATIENCE_S in the root's environment says after how many seconds, 0: never.
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
  void look(Silence& silence);
  void end(Silence& silence);
  void speak(std::string const& text);
  [[nodiscard]] std::vector<SeenRank> see_ranks() const;
  [[nodiscard]] bool speaks(std::vector<SeenRank> const& seen) const;
  [[nodiscard]] std::string since() const;
  [[nodiscard]] std::string notes_on(std::vector<SeenRank> const& seen) const;

  RunLog& log_;
  bool is_root_;
  double patience_s_ = 0.0;
  double longest_s_ = 0.0;  ///< silence that ended by itself: the next may be as long
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
