#include "kernels/core/queue.hpp"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <omp.h>
#include <unistd.h>
#include <utility>

#include "kernels/core/cuda/runtime.hpp"
#include "kernels/core/error.hpp"

namespace isotherm {

char const* name(Backend backend) { return backend == Backend::cpu ? "cpu" : "cuda"; }

struct Queue::Stream {
  explicit Stream(int device) : handle(cuda::create_stream(device)) {}
  ~Stream() { cuda::destroy_stream(handle); }
  Stream(Stream const&) = delete;
  Stream& operator=(Stream const&) = delete;
  void* handle;
};

Queue::Queue(Backend backend, int device) : backend_(backend), device_(device) {
  if (backend == Backend::cuda) {
    stream_ = std::make_unique<Stream>(device);
  }
}
Queue::~Queue() = default;
Queue::Queue(Queue&&) noexcept = default;
Queue& Queue::operator=(Queue&&) noexcept = default;

void* Queue::native() const { return stream_ ? stream_->handle : nullptr; }

void Queue::wait() {
  if (stream_) {
    cuda::wait_for_stream(stream_->handle);
  }
}

void Queue::wait_for(Queue& other) {
  if (stream_ && other.stream_) {
    Event now(other);
    now.record(other);
    now.enqueue_wait(*this);
  }
}

struct Event::State {
  explicit State(Backend backend)
      : event(backend == Backend::cuda ? cuda::create_event() : nullptr) {}
  ~State() {
    if (event != nullptr) cuda::destroy_event(event);
  }
  State(State const&) = delete;
  State& operator=(State const&) = delete;
  void* event;  // null on the CPU, whose work has ended when record() is called
  std::chrono::steady_clock::time_point when{};
};

Event::Event(Queue& queue) : state_(std::make_unique<State>(queue.backend())) {}
Event::~Event() = default;
Event::Event(Event&&) noexcept = default;
Event& Event::operator=(Event&&) noexcept = default;

void Event::record(Queue& queue) {
  if (state_->event != nullptr) {
    cuda::record_event(state_->event, queue.native());
  } else {
    state_->when = std::chrono::steady_clock::now();
  }
}

bool Event::reached() const {
  return state_->event == nullptr || cuda::event_reached(state_->event);
}

void Event::wait() const {
  if (state_->event != nullptr) {
    cuda::wait_for_event(state_->event);
  }
}

void Event::enqueue_wait(Queue& queue) const {
  if (state_->event != nullptr) {
    cuda::make_stream_wait(queue.native(), state_->event);
  }
}

double Event::seconds_since(Event const& earlier) const {
  if (state_->event != nullptr) {
    return cuda::seconds_between(earlier.state_->event, state_->event);
  }
  return std::chrono::duration<double>(state_->when - earlier.state_->when).count();
}

int cuda_device_count() { return cuda::device_count(); }
std::string cuda_absence_reason() { return cuda::absence_reason(); }
bool built_with_cuda() { return cuda::built(); }

namespace {

std::string cpu_name() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (line.starts_with("model name")) {
      return line.substr(line.find(':') + 2);
    }
  }
  return "CPU";
}

DeviceInfo cpu_info() {
  auto const page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  DeviceInfo info;
  info.name = cpu_name();
  info.multiprocessors = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
  info.memory_bytes = page * static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES));
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
  static std::int64_t const known = ::sysconf(_SC_LEVEL2_CACHE_SIZE);
  if (known > 0) return known;
#endif
  return std::int64_t{1} << 20;
}

void set_cpu_threads(int threads) {
  require(threads > 0, "the CPU backend needs at least one thread");
  omp_set_num_threads(threads);
}

}  // namespace isotherm
