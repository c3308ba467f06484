#pragma once

#include <cstdint>

namespace isotherm {

/// The kinds of events that a thread may wait for, possibly forever: messages or flags of other
/// ranks, work of a device, or the file system.
enum class WaitsFor : std::uint8_t { nothing, ranks, device, disk };

/// The state of the watched thread. If a watchdog reads equal states twice, the thread has neither
/// begun nor ended a wait in between: it is in the same wait, or it computes.
struct WaitState {
  std::uint64_t changes = 0;  ///< grows when a wait begins and when it ends
  WaitsFor now = WaitsFor::nothing;
};

/// Makes the calling thread the watched one: watched_state() reports its waits from now on. A
/// process has one watched thread, its main thread.
void watch_this_thread();
/// Returns the state of the watched thread. Any thread may call it.
WaitState watched_state();

/// Marks a wait of the watched thread for the lifetime of the object. It has no effect inside
/// another Waiting. In other threads the end of a wait for the disk is a change. Files that a
/// thread writes in the background are therefore progress.
///
///   Waiting const waiting(WaitsFor::disk);
///   fsync(descriptor);
class Waiting {
 public:
  /// Marks the beginning of the wait.
  explicit Waiting(WaitsFor what);
  /// Marks its end.
  ~Waiting();
  Waiting(Waiting const&) = delete;
  Waiting& operator=(Waiting const&) = delete;

 private:
  bool marks_;          ///< this is the outermost Waiting of the watched thread
  bool is_other_call_;  ///< a wait for the disk in another thread
};

}  // namespace isotherm
