#pragma once

#include <cstdint>

namespace isotherm {

/// What a thread may have to wait for, without end if that never comes.
enum class WaitsFor : std::uint8_t { nothing, ranks, device, disk };

/// How a thread stands, to one that watches it.
struct Standing {
  std::uint64_t changes = 0;  ///< grows whenever a wait begins or ends
  WaitsFor now = WaitsFor::nothing;
};

/// From now on the waits of the thread that calls are told by watched_standing(). One thread of a
/// process, its main one, is watched.
void watch_this_thread();
/// To any thread.
Standing watched_standing();

/// Marks a wait of the watched thread for the life of the object; of other threads it is nothing.
/// Within another wait it is part of that.
class Waiting {
 public:
  explicit Waiting(WaitsFor what);
  ~Waiting();
  Waiting(Waiting const&) = delete;
  Waiting& operator=(Waiting const&) = delete;

 private:
  bool marks_;
};

}  // namespace isotherm
