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

enum class Backend { cpu, cuda };

/// "cpu" or "cuda".
char const* name(Backend backend);

/// An ordered lane of work on one backend: work enqueued later starts after work enqueued earlier
/// has ended. On the CPU the work is done before the call that enqueues it returns; on CUDA a Queue
/// is a stream on one device.
///
/// Queues are independent of each other: a program may have several, on one device or on many, and
/// any thread may use any of them, but one thread at a time. Which device is CUDA's current one in
/// the calling thread makes no difference; calls may change it.
class Queue {
 public:
  /// @param device  CUDA device number; ignored on the CPU
  /// @throws Error  if the backend is cuda and this build or machine has none
  explicit Queue(Backend backend, int device = 0);
  ~Queue();
  Queue(Queue&&) noexcept;
  Queue& operator=(Queue&&) noexcept;

  [[nodiscard]] Backend backend() const { return backend_; }
  [[nodiscard]] int device() const { return device_; }

  /// Returns when all work enqueued so far has ended. @throws Error if any of it failed.
  void wait();

  /// Makes work enqueued here from now on start after all work enqueued on `other` so far.
  void wait_for(Queue& other);

  /// Makes its device CUDA's current one in the calling thread, for a library that works on that.
  void make_current() const;
  /// The stream, a cudaStream_t; null on the CPU. For device transports only.
  [[nodiscard]] void* native() const;
  /// What sweeps on the CPU work in.
  [[nodiscard]] cpu::Scratch& scratch() const { return *scratch_; }
  /// Null on the CPU. For what is compiled with CUDA only.
  [[nodiscard]] cuda::Lane* lane() const { return lane_.get(); }

 private:
  struct EndLane {
    void operator()(cuda::Lane* lane) const noexcept;
  };
  Backend backend_;
  int device_;
  std::unique_ptr<cpu::Scratch> scratch_;
  std::unique_ptr<cuda::Lane, EndLane> lane_;  // null on the CPU
};

/// A moment in a Queue's work. Querying and waiting concern the work enqueued before record().
class Event {
 public:
  explicit Event(Queue& queue);
  ~Event();
  Event(Event&&) noexcept;
  Event& operator=(Event&&) noexcept;

  void record(Queue& queue);
  [[nodiscard]] bool reached() const;
  void wait() const;
  /// Makes work enqueued on `queue` from now on start after the recorded moment.
  void enqueue_wait(Queue& queue) const;
  /// Seconds between two recorded and reached events, by the device's clock (the host's on CPU).
  [[nodiscard]] double seconds_since(Event const& earlier) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// What a device is and offers.
struct DeviceInfo {
  std::string name;              ///< as the vendor names it
  int compute_capability = 0;    ///< 90 for 9.0; 0 on the CPU
  int multiprocessors = 0;       ///< cores on the CPU
  std::size_t memory_bytes = 0;  ///< in all
  std::size_t free_bytes = 0;    ///< now
  std::size_t l2_bytes = 0;
  std::string uuid;  ///< no other device has the same, on any host; empty on the CPU
};

/// Number of usable CUDA devices; 0 where the build or the machine has none (never throws).
int cuda_device_count();
/// Why cuda_device_count() is 0, in a few words; empty where it is not.
std::string cuda_absence_reason();
/// True where this build contains the CUDA backend.
bool built_with_cuda();
DeviceInfo device_info(Backend backend, int device = 0);

/// Threads that the CPU backend uses in this process (OMP_NUM_THREADS, or see set_cpu_threads).
int cpu_threads();
/// Of one core; a megabyte where the system does not tell.
std::int64_t second_level_cache_bytes();
void set_cpu_threads(int threads);

}  // namespace isotherm
