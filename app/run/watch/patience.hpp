#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/core/queue/waiting.hpp"

// The rule that ends a job in which a rank hangs. Each rank measures how long its main thread has
// been in the same state. It shows that to the other ranks of its host as the name of a thread,
// without communication. A rank that has waited too long judges what it sees of the others
// (docs/reliability.md, "When a rank hangs").

namespace isotherm {

/// The condition of a rank's process, as the operating system shows it.
enum class Condition { runs, waits_for_device, stopped, traced, ended };

/// Returns true for processes that do not continue by themselves: stopped, traced or ended.
bool stands_still(Condition condition);

/// The state of a rank's main thread, and for how long it has not changed.
struct SinceThen {
  WaitsFor what = WaitsFor::nothing;  ///< `nothing` if it works or hangs
  double seconds = 0.0;               ///< in this state without a change
};

/// Encodes a state as the name of a thread, "i-ranks 12.5", of at most 15 characters. All processes
/// of the host can read it, and `top -H` shows it.
std::string in_a_thread_name(SinceThen const& standing);
/// Decodes a thread's name. Returns nothing if it encodes no state.
std::optional<SinceThen> from_a_thread_name(std::string_view name);
/// Returns the state that a thread of process `pid` shows as its name, or nothing if none does.
std::optional<SinceThen> standing_of(int pid);

/// Returns the bytes that this process has read and written, without those of the calling thread.
/// They distinguish work on files from no work at all.
std::uint64_t bytes_moved();

/// Measures the state of this process's watched thread. Reading or writing files counts as
/// progress, even if it takes place in no marked wait.
class OwnStanding {
 public:
  /// Returns the state. To be called every `seconds`, the interval between two calls.
  SinceThen after(double seconds);

 private:
  std::uint64_t changes_ = 0;  ///< Standing::changes at the last call
  std::uint64_t bytes_ = 0;    ///< bytes_moved() at the last call
  SinceThen standing_{};       ///< result of the last call
};

/// The state of a rank, as another rank of its host sees it.
struct SeenStanding {
  int rank = 0;
  int pid = 0;
  Condition condition = Condition::runs;
  double still_s = 0.0;                 ///< for how long its process has been stopped or ended
  std::optional<SinceThen> standing{};  ///< the state it shows; outdated if its process is stopped
};

/// The conclusion of a rank that has waited long.
struct Verdict {
  bool ends = false;  ///< the job has to be ended
  /// Ranks that do not answer. Empty if all ranks wait for each other or for another host.
  std::vector<SeenStanding> blamed{};
};

/// Decides whether the job has to be ended, by the rule in docs/reliability.md ("When a rank
/// hangs").
/// @param seen        all ranks of the host, including the one that asks
/// @param own         state of the rank that asks
/// @param patience_s  maximum time that a rank may keep others waiting
Verdict judge(std::vector<SeenStanding> const& seen, SinceThen const& own, double patience_s);

/// Returns the first rank that waits; it ends the job. Nothing if no rank waits.
std::optional<int> first_that_waits(std::vector<SeenStanding> const& seen);

}  // namespace isotherm
