#pragma once

#include <cstdint>

namespace isotherm {

/// The kinds of events that a thread may wait for, possibly forever.
enum class WaitsFor : std::uint8_t { nothing, ranks, device, disk };

/// The state of a watched thread. If a watchdog sees the same state twice, the thread has been in
/// one and the same wait, or in none.
struct Standing {
  std::uint64_t changes = 0;  ///< grows when a wait begins and when it ends
  WaitsFor now = WaitsFor::nothing;
};

/// Makes the calling thread the watched one: watched_standing() reports its waits from now on. A
/// process has one watched thread, its main thread.
void watch_this_thread();
/// Returns the state of the watched thread. Any thread may call it.
Standing watched_standing();

/// Marks a wait of the watched thread for the lifetime of the object. It has no effect inside
/// another Waiting. In other threads the end of a wait for a disk counts as a change, so files that
/// a thread writes in the background are progress.
///
///   Waiting const waiting(WaitsFor::disk);
///   fsync(descriptor);
class Waiting {
 public:
  explicit Waiting(WaitsFor what);
  ~Waiting();
  Waiting(Waiting const&) = delete;
  Waiting& operator=(Waiting const&) = delete;

 private:
  bool marks_;
  bool is_other_call_;
};

}  // namespace isotherm
