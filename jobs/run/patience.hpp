#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/core/waiting.hpp"

namespace isotherm {

/// How a rank's process stands, as far as others may have to wait for it.
enum class Condition { runs, waits_for_device, stopped, traced, ended };

/// True of those that do not go on by themselves.
bool stands_still(Condition condition);

/// For how long a rank's main thread has done the same.
struct SinceThen {
  WaitsFor what = WaitsFor::nothing;  ///< nothing: it works, or hangs
  double seconds = 0.0;
};

/// In few letters, as the name of a thread, which every process of the host can read (and `top -H`
/// shows): "i-ranks 12.5".
std::string in_a_thread_name(SinceThen const& standing);
/// Nothing where the name says no such thing.
std::optional<SinceThen> from_a_thread_name(std::string_view name);
/// What a thread of this process has as its name.
std::optional<SinceThen> standing_of(int pid);

/// Bytes that this process has read and written, but for the thread that asks. They tell work with
/// files from nothing at all.
std::uint64_t bytes_moved();

/// How the watched thread of this process stands. What reads or writes files in no single wait, is
/// seen to have got on.
class OwnStanding {
 public:
  /// To be called every `seconds`.
  SinceThen after(double seconds);

 private:
  std::uint64_t changes_ = 0;
  std::uint64_t bytes_ = 0;
  SinceThen standing_{};
};

/// A rank as another one of its host sees it.
struct SeenStanding {
  int rank = 0;
  int pid = 0;
  Condition condition = Condition::runs;
  double still_s = 0.0;                 ///< for how long it was seen to stand still
  std::optional<SinceThen> standing{};  ///< what it says of itself; old where it stands still
};

/// What a rank that has waited long makes of what it sees.
struct Verdict {
  bool ends = false;                   ///< the job is to be ended
  std::vector<SeenStanding> blamed{};  ///< who does not answer; none: all wait for each other, or
                                       ///< for another host
};

/// The rule by which a job is ended, in docs/reliability.md ("When a rank hangs").
/// @param seen  all ranks of the host, the one that asks among them
/// @param own   how the one that asks stands
Verdict judge(std::vector<SeenStanding> const& seen, SinceThen const& own, double patience_s);

/// Of those that wait, the first: the one that ends the job. Nothing where none does.
std::optional<int> first_that_waits(std::vector<SeenStanding> const& seen);

}  // namespace isotherm
