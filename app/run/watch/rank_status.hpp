#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "decomposition/ranks/mpi.hpp"
#include "kernels/core/queue/waiting.hpp"

namespace isotherm::app {

/// The state of a process according to the operating system. `traced`: a debugger has stopped it.
enum class Condition : std::uint8_t { runs, stopped, traced, ended };

/// A rank as another rank of its host sees it.
struct SeenRank {
  int rank = 0;  ///< number in the communicator of the run
  int pid = 0;   ///< number of its process on the host
  Condition condition = Condition::runs;
  WaitsFor waits_for = WaitsFor::nothing;  ///< of its main thread; outdated if it is stopped
  /// Seconds since the main thread entered its state, or since the process was stopped or ended.
  double seconds = 0.0;
};

/// Returns "is stopped", for example; empty if nothing about the rank explains a delay.
/// @param patience_s  number of seconds without a change after which a rank hangs
std::string describe(SeenRank const& seen, double patience_s);

/// The decision of a rank that has waited for others for longer than the patience ([run] patience).
struct Verdict {
  bool ends = false;               ///< the job has to be ended
  std::vector<SeenRank> blamed{};  ///< ranks that do not answer; empty if none can be named
};

/// Decides by the rule in docs/explanation/reliability.md ("When a rank hangs"). The job continues
/// if any rank of the host works, or if a debugger holds one.
/// @param seen  all ranks of the host, among them `own_rank`
Verdict judge(std::vector<SeenRank> const& seen, int own_rank, double patience_s);

/// The states of the ranks of one host. A memory file of each process holds its state, and all
/// others map that file, so no communication is needed.
///
///   RankStatus status(ranks);        // collective
///   status.update(0.5);              // every half second
///   for (SeenRank const& seen : status.see(0.5)) …
class RankStatus {
 public:
  /// Finds the ranks of this host. A rank in another container, whose process this one cannot see,
  /// counts as one of another host. Collective.
  explicit RankStatus(mpi::Communicator const& ranks);
  ~RankStatus();
  RankStatus(RankStatus const&) = delete;
  RankStatus& operator=(RankStatus const&) = delete;

  /// Shows the state of the main thread to the other ranks.
  /// @param seconds  since the last call
  void update(double seconds);
  /// Returns all ranks of this host, this one among them.
  /// @param seconds  since the last call
  std::vector<SeenRank> see(double seconds);
  /// Returns true if there are ranks whose state is not visible here: ranks of other hosts or
  /// containers.
  [[nodiscard]] bool others_elsewhere() const { return others_elsewhere_; }

 private:
  /// The state in one word: milliseconds without a change, and WaitsFor in the lowest bits.
  using Word = std::atomic<std::uint64_t>;
  struct Peer {
    int rank;
    int pid = 0;
    std::uint64_t started = 0;  ///< distinguishes the process from a later one of the same number
    Word* word = nullptr;       ///< its state, in memory that is mapped read-only
    double stopped_s = 0.0;     ///< seconds since the process was stopped or ended
  };

  std::vector<Peer> peers_{};
  Word* own_ = nullptr;
  std::uint64_t changes_ = 0;  ///< of the main thread's state, at the last update
  double idle_s_ = 0.0;        ///< since it changed
  bool others_elsewhere_ = false;
};

}  // namespace isotherm::app
