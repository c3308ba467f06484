#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace isotherm {

namespace cpu {
class Scratch;
}
namespace cuda {
struct Lane;
}

/// The hardware that work runs on: the cores of the host, or a CUDA device.
enum class Backend { cpu, cuda };

/// Returns "cpu" or "cuda".
char const* name(Backend backend);

/// An ordered sequence of work on one backend: work enqueued later starts after work enqueued
/// earlier has ended.
///
/// On the CPU, a call that enqueues work completes the work before it returns. On CUDA a Queue is a
/// stream of one device.
///
/// Queues are independent: a program may have several, on one device or on many. Any thread may use
/// a Queue, but only one at a time. The calling thread's current CUDA device does not matter, and
/// calls may change it.
///
///   Queue queue(Backend::cuda, 0);
///   fill_bytes(queue, buffer.data(), 0, buffer.bytes());
///   queue.wait();
class Queue {
 public:
  /// @param device  number of the CUDA device; ignored on the CPU
  /// @throws Error  if the backend is cuda and this build or machine has none
  explicit Queue(Backend backend, int device = 0);
  ~Queue();
  Queue(Queue&&) noexcept;
  Queue& operator=(Queue&&) noexcept;

  [[nodiscard]] Backend backend() const { return backend_; }
  [[nodiscard]] int device() const { return device_; }

  /// Waits until all work that has been enqueued has ended.
  /// @throws Error  if any of it failed
  void wait();

  /// Makes work that is enqueued here later start after all work that `other` contains now. A queue
  /// on CUDA does not block the caller; for a queue on the CPU the call itself waits.
  void wait_for(Queue& other);

  /// Makes the queue's device CUDA's current one in the calling thread, for libraries that work on
  /// the current device. Does nothing on the CPU.
  void make_current() const;
  /// Returns the cudaStream_t of the queue, null on the CPU. For the device transports only.
  [[nodiscard]] void* native() const;
  /// Returns the working memory of the CPU sweeps.
  [[nodiscard]] cpu::Scratch& scratch() const { return *scratch_; }
  /// Returns the CUDA state of the queue, null on the CPU. For code in folders cuda/ only.
  [[nodiscard]] cuda::Lane* lane() const { return lane_.get(); }

 private:
  /// The deleter of a Lane.
  struct EndLane {
    void operator()(cuda::Lane* lane) const noexcept;
  };
  Backend backend_;
  int device_;
  std::unique_ptr<cpu::Scratch> scratch_;
  std::unique_ptr<cuda::Lane, EndLane> lane_;  // null on the CPU
};

/// A moment in a Queue's work. reached() and wait() refer to the work enqueued before the last
/// record(). On the CPU that work has already ended.
///
///   Event before(queue);
///   Event after(queue);
///   before.record(queue);
///   sweep(queue, rule, pass, plan);
///   after.record(queue);
///   after.wait();
///   double const seconds = after.seconds_since(before);
class Event {
 public:
  /// Creates an event for queues of the same device as `queue`.
  explicit Event(Queue& queue);
  ~Event();
  Event(Event&&) noexcept;
  Event& operator=(Event&&) noexcept;

  /// Sets the moment: the end of the work that `queue` contains now.
  /// @throws Error  if the event was made for a queue of another device
  void record(Queue& queue);
  /// Returns true if the recorded moment has passed. Never blocks.
  [[nodiscard]] bool reached() const;
  /// Blocks until the recorded moment has passed.
  void wait() const;
  /// Makes work that is enqueued on `queue` later start after the recorded moment.
  void enqueue_wait(Queue& queue) const;
  /// Returns the seconds between two recorded and reached events, by the device's clock (by the
  /// host's on the CPU).
  [[nodiscard]] double seconds_since(Event const& earlier) const;

 private:
  /// An event of CUDA or a time of the host's clock.
  struct State;
  std::unique_ptr<State> state_;
};

/// Properties of a device.
struct DeviceInfo {
  std::string name;              ///< as the vendor names it
  int compute_capability = 0;    ///< 90 for 9.0; 0 on the CPU
  int multiprocessors = 0;       ///< cores on the CPU
  std::size_t memory_bytes = 0;  ///< total
  std::size_t free_bytes = 0;    ///< free at the time of the query
  std::size_t l2_bytes = 0;      ///< second-level cache; 0 if the system does not report it
  std::string uuid;              ///< no other device has the same, on any host; empty on the CPU
};

/// Returns the number of usable CUDA devices, 0 if the build or the machine has none. Never throws.
int cuda_device_count();
/// Returns a short reason why cuda_device_count() is 0, or an empty string if it is not.
std::string cuda_absence_reason();
/// Returns true if this build contains the CUDA backend.
bool built_with_cuda();
/// Returns the properties of a CUDA device or of the host's processor.
/// @throws Error  if CUDA fails or the build has none; never for Backend::cpu
DeviceInfo device_info(Backend backend, int device = 0);

/// Returns the number of threads that the CPU backend uses in this process (OMP_NUM_THREADS, or see
/// set_cpu_threads).
int cpu_threads();
/// Returns the size of one core's second-level cache in bytes, 1 MiB if the system does not report
/// it.
std::int64_t second_level_cache_bytes();
/// Sets the number of threads of the CPU backend in this process.
/// @pre threads > 0
/// @throws Error  otherwise
void set_cpu_threads(int threads);

}  // namespace isotherm
