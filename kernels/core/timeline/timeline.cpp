#include "kernels/core/timeline/timeline.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <exception>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "kernels/core/queue/dispatch.hpp"
#include "kernels/core/timeline/cuda/nvtx.hpp"

namespace isotherm {

namespace {

/// A range while it is recorded.
struct Record {
  TimelineRange range{};
  bool has_ended = false;
  std::optional<Event> begin{};
  std::optional<Event> end{};
};

/// Converts events of the device to seconds since the start of the timeline.
///
/// CUDA returns the time between two events as milliseconds in float32. So the reference moves:
/// within a second of it, times are exact to a tenth of a microsecond.
class DeviceClock {
 public:
  /// @param first    an event before all others
  /// @param first_s  its time
  DeviceClock(Event const& first, double first_s) : reference_(&first), reference_s_(first_s) {}

  /// Sets the times of a record's device. Must be called in the order of the records.
  void measure(Record& record) {
    constexpr double far_s = 1.0;
    record.end->wait();
    double const begin_s = time_of(*record.begin);
    record.range.device_begin_s = begin_s;
    record.range.device_end_s = time_of(*record.end);
    record.range.is_on_device = true;
    // No later range begins before this one, so differences remain positive.
    if (begin_s - reference_s_ < far_s) return;
    reference_ = &*record.begin;
    reference_s_ = begin_s;
  }

 private:
  [[nodiscard]] double time_of(Event const& event) const {
    return reference_s_ + event.seconds_since(*reference_);
  }

  Event const* reference_;
  double reference_s_;
};

/// The recording of this process.
class Recorder {
 public:
  [[nodiscard]] bool is_on() const { return is_on_.load(std::memory_order_relaxed); }

  /// Forgets earlier records and begins.
  void start(std::int64_t maximum, Moment start) {
    std::scoped_lock const lock(mutex_);
    forget_records();
    records_.reserve(static_cast<std::size_t>(maximum));  // no range includes a reallocation
    maximum_ = maximum;
    omitted_ = 0;
    start_ = start;
    threads_ = {std::this_thread::get_id()};
    is_on_ = true;
  }

  /// Begins a record. Returns its number, or −1 if there is none.
  std::int64_t begin(char const* name, Queue* queue) {
    std::scoped_lock const lock(mutex_);
    auto const count = static_cast<std::int64_t>(records_.size());
    if (!is_on()) return -1;
    if (count >= maximum_) {
      ++omitted_;
      return -1;
    }
    Record& record = records_.emplace_back();
    record.range.name = name;
    record.range.thread = number_of_thread();
    if (queue != nullptr) {
      if (!first_event_) mark_first_event(*queue);
      record.begin.emplace(*queue).record(*queue);
    }
    record.range.begin_s = now();
    return first_number_ + count;
  }

  /// Ends a record, unless its recording has ended before.
  void end(std::int64_t number, Queue* queue) {
    std::scoped_lock const lock(mutex_);
    std::int64_t const index = number - first_number_;
    if (!is_on() || index < 0) return;
    Record& record = records_[static_cast<std::size_t>(index)];
    record.range.end_s = now();
    if (queue != nullptr) record.end.emplace(*queue).record(*queue);
    record.has_ended = true;
  }

  /// Ends the recording and returns the ranges.
  Timeline take() {
    std::scoped_lock const lock(mutex_);
    is_on_ = false;
    Timeline timeline{{}, omitted_};
    std::optional<DeviceClock> clock;
    if (first_event_) clock.emplace(*first_event_, first_event_s_);
    for (Record& record : records_) {
      if (!record.has_ended) continue;
      if (record.begin && record.end) clock->measure(record);
      timeline.ranges.push_back(record.range);
    }
    forget_records();
    return timeline;
  }

 private:
  [[nodiscard]] double now() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

  /// Frees the records. Their numbers are not used again.
  void forget_records() {
    first_number_ += static_cast<std::int64_t>(records_.size());
    records_.clear();
    records_.shrink_to_fit();
    first_event_.reset();
  }

  /// Records the event that the times of the device are relative to, and its time. The queue is
  /// made idle first, so the event happens when it is recorded.
  void mark_first_event(Queue& queue) {
    queue.wait();
    first_event_.emplace(queue).record(queue);
    first_event_->wait();
    first_event_s_ = now();
  }

  /// Returns the number of the calling thread.
  int number_of_thread() {
    auto const me = std::this_thread::get_id();
    auto const found = std::ranges::find(threads_, me);
    auto const number = static_cast<int>(found - threads_.begin());
    if (found == threads_.end()) threads_.push_back(me);
    return number;
  }

  std::atomic<bool> is_on_{false};  ///< changes under the mutex; read without it, too
  std::mutex mutex_;                ///< guards all members below
  std::vector<Record> records_{};
  std::int64_t first_number_ = 0;  ///< that of records_[0]
  std::int64_t maximum_ = 0;
  std::int64_t omitted_ = 0;
  std::vector<std::thread::id> threads_{};
  std::optional<Event> first_event_{};
  double first_event_s_ = 0.0;
  Moment start_{};
};

/// Returns the recorder of this process. It is never destroyed, because its events need the
/// device.
Recorder& recorder() {
  static auto* const only = new Recorder;  // NOLINT(cppcoreguidelines-owning-memory)
  return *only;
}

}  // namespace

void start_timeline(std::int64_t maximum, Moment start) { recorder().start(maximum, start); }
Timeline end_timeline() { return recorder().take(); }

TimelineScope::TimelineScope(char const* name, Queue* queue)
    : queue_(queue != nullptr && queue->backend() == Backend::cuda ? queue : nullptr) {
  if (recorder().is_on()) number_ = recorder().begin(name, queue_);
  if constexpr (HasCuda::value) cuda::begin_nvtx_range(name);
}

// If the device has failed, the next call that waits for it reports that. The range is lost.
TimelineScope::~TimelineScope() {
  if constexpr (HasCuda::value) cuda::end_nvtx_range();
  if (number_ < 0) return;
  try {
    recorder().end(number_, queue_);
  } catch (std::exception const&) {
    number_ = -1;
  }
}

char const* level_range_name(std::size_t level) {
  static auto const names = [] {
    std::array<std::string, 100> all;  // 31 halvings of each of three axes
    for (std::size_t n = 0; n < all.size(); ++n) all[n] = "level " + std::to_string(n);
    return all;
  }();
  return names[std::min(level, names.size() - 1)].c_str();
}

}  // namespace isotherm
