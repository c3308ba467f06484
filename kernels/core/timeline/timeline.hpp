#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/core/queue/queue.hpp"

// A timeline: the ranges of time in which a process did its parts of a run, on its threads and on
// its device.
//
// docs/developer/profiling.md lists the names of the ranges. In builds with CUDA the same ranges
// are visible to NVIDIA's profilers (NVTX), whether a timeline is recorded or not.

namespace isotherm {

/// A range of time of one process, in seconds since the start of the timeline.
struct TimelineRange {
  char const* name = "";  ///< of static storage duration
  int thread = 0;         ///< 0: the thread that called start_timeline(); others in order of use
  double begin_s = 0.0;   ///< by the host's clock. The host may enqueue work and not wait for it
  double end_s = 0.0;
  bool is_on_device = false;    ///< the next two times are known
  double device_begin_s = 0.0;  ///< the device has ended the work enqueued before the range
  double device_end_s = 0.0;    ///< the device has ended the work enqueued in the range, too
};

/// All ranges that a process has recorded, in the order of their beginnings.
struct Timeline {
  std::vector<TimelineRange> ranges{};
  std::int64_t omitted = 0;  ///< number of ranges after the maximum of start_timeline()
};

/// A moment by a host's clock.
using Moment = std::chrono::steady_clock::time_point;

/// Begins to record the ranges of this process. Other threads must not use a timeline meanwhile.
/// @param maximum  number of ranges that are recorded; later ones are only counted. A range takes
///                 approximately 100 bytes, on a device 200 bytes and two events
/// @param start    from which times are counted
void start_timeline(std::int64_t maximum, Moment start = std::chrono::steady_clock::now());
/// Ends the recording, waits for the device, and returns the ranges that have ended.
/// @throws Error  if the device failed
Timeline end_timeline();

/// Records a range for its lifetime, if a timeline is recorded. Otherwise it costs a few
/// nanoseconds. The ranges of a thread nest, and so do those of a device that belong to one queue.
///
///     TimelineScope const scope("halo", queue);   // on the host, and on the queue's device
///     exchange.begin(field);
///
/// @param name   must have static storage duration
/// @param queue  whose work is measured, between two events. A queue on the CPU has no other times
///               than the host's. It must outlive the range
class TimelineScope {
 public:
  explicit TimelineScope(char const* name) : TimelineScope(name, nullptr) {}
  TimelineScope(char const* name, Queue& queue) : TimelineScope(name, &queue) {}
  ~TimelineScope();
  TimelineScope(TimelineScope const&) = delete;
  TimelineScope& operator=(TimelineScope const&) = delete;

 private:
  TimelineScope(char const* name, Queue* queue);

  std::int64_t number_ = -1;  ///< of the record; −1: none
  Queue* queue_ = nullptr;    ///< null: the range has no times of a device
};

/// Returns the name of the range of a multigrid level: "level 0" for the finest one.
char const* level_range_name(std::size_t level);

}  // namespace isotherm
