#include "kernels/core/queue/queue.hpp"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <omp.h>
#include <unistd.h>
#include <utility>

#include "kernels/core/cpu/scratch.hpp"
#include "kernels/core/cuda/runtime.hpp"
#include "kernels/core/error.hpp"
#include "kernels/core/queue/waiting.hpp"

namespace isotherm {

char const* name(Backend backend) { return backend == Backend::cpu ? "cpu" : "cuda"; }

/// Defined here, since the header does not know the CUDA functions.
void Queue::EndLane::operator()(cuda::Lane* lane) const noexcept { cuda::destroy_lane(lane); }

Queue::Queue(Backend backend, int device)
    : backend_(backend), device_(device), scratch_(std::make_unique<cpu::Scratch>()) {
  // Scratch memory is created on every backend: it is empty until a CPU sweep needs it.
  if (backend == Backend::cuda) lane_.reset(cuda::create_lane(device));
}
Queue::~Queue() = default;
Queue::Queue(Queue&&) noexcept = default;
Queue& Queue::operator=(Queue&&) noexcept = default;

void Queue::make_current() const {
  if (lane_) cuda::use_device(device_);
}

/// The stream's type is not known to code without the CUDA toolkit.
void* Queue::native() const { return lane_ ? cuda::stream_of(*this) : nullptr; }

void Queue::wait() {
  if (!lane_) return;
  Waiting const waiting(WaitsFor::device);
  cuda::wait(*this);
}

void Queue::wait_for(Queue& other) {
  if (!other.lane_) return;  // CPU work has already ended
  // The event may be destroyed before it is reached: CUDA keeps it alive.
  Event now(other);
  now.record(other);
  now.enqueue_wait(*this);
}

/// An event's handle on CUDA, a time of the host's clock on the CPU.
struct Event::State {
  explicit State(Queue const& queue)
      : device(queue.device()),
        event(queue.backend() == Backend::cuda ? cuda::create_event(device) : nullptr) {}
  ~State() {
    if (event != nullptr) cuda::destroy_event(event);
  }
  State(State const&) = delete;
  State& operator=(State const&) = delete;
  int device;
  void* event;  // null on the CPU: work there has ended when record() is called
  std::chrono::steady_clock::time_point when{};
};

Event::Event(Queue& queue) : state_(std::make_unique<State>(queue)) {}
Event::~Event() = default;
Event::Event(Event&&) noexcept = default;
Event& Event::operator=(Event&&) noexcept = default;

void Event::record(Queue& queue) {
  // An event of CUDA belongs to one device. Recording it elsewhere would be an error of CUDA
  // without a clear message.
  bool const of_device = state_->event != nullptr;
  require(of_device == (queue.backend() == Backend::cuda) &&
              (!of_device || queue.device() == state_->device),
          "the event belongs to another device than the queue that records it");
  if (of_device) {
    cuda::record_event(state_->event, queue);
  } else {
    state_->when = std::chrono::steady_clock::now();
  }
}

bool Event::reached() const {
  return state_->event == nullptr || cuda::event_reached(state_->event);
}

void Event::wait() const {
  if (state_->event != nullptr) {
    Waiting const waiting(WaitsFor::device);
    cuda::wait_for_event(state_->event);
  }
}

void Event::enqueue_wait(Queue& queue) const {
  if (state_->event == nullptr) return;  // the CPU has already reached it
  if (queue.backend() == Backend::cuda) {
    cuda::make_queue_wait(queue, state_->event);
  } else {
    wait();  // the CPU does enqueued work inside the call
  }
}

double Event::seconds_since(Event const& earlier) const {
  if (state_->event != nullptr) {
    return cuda::seconds_between(earlier.state_->event, state_->event, state_->device);
  }
  return std::chrono::duration<double>(state_->when - earlier.state_->when).count();
}

int cuda_device_count() { return cuda::device_count(); }
std::string cuda_absence_reason() { return cuda::absence_reason(); }
bool built_with_cuda() { return cuda::built(); }

namespace {

/// Returns the processor's name from /proc/cpuinfo, "CPU" if that has none.
std::string cpu_name() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    // The line is "model name\t: NAME".
    if (line.starts_with("model name")) {
      return line.substr(line.find(':') + 2);
    }
  }
  return "CPU";
}

/// Returns the properties of the host, as far as the system reports them.
DeviceInfo cpu_info() {
  auto const page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  DeviceInfo info;
  info.name = cpu_name();
  info.multiprocessors = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
  info.memory_bytes = page * static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES));
  // Pages that the kernel could reclaim are not included.
  info.free_bytes = page * static_cast<std::size_t>(sysconf(_SC_AVPHYS_PAGES));
  info.l2_bytes = static_cast<std::size_t>(std::max(0L, sysconf(_SC_LEVEL2_CACHE_SIZE)));
  return info;
}

}  // namespace

DeviceInfo device_info(Backend backend, int device) {
  return backend == Backend::cuda ? cuda::device_info(device) : cpu_info();
}

int cpu_threads() { return omp_get_max_threads(); }

std::int64_t second_level_cache_bytes() {
#if defined(_SC_LEVEL2_CACHE_SIZE)
  // Static, since sweeps call this for every pass.
  static std::int64_t const known = ::sysconf(_SC_LEVEL2_CACHE_SIZE);
  if (known > 0) return known;
#endif
  // Some systems report 0.
  return std::int64_t{1} << 20;
}

void set_cpu_threads(int threads) {
  require(threads > 0, "the CPU backend needs at least one thread");
  omp_set_num_threads(threads);
}

}  // namespace isotherm
