#include "jobs/run/background.hpp"

#include <chrono>
#include <csignal>
#include <pthread.h>
#include <utility>

#include "jobs/basics/start_thread.hpp"
#include "kernels/core/error.hpp"
#include "kernels/core/queue.hpp"

namespace isotherm {

namespace {

/// Signals are for the thread that started all others.
void block_signals() {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
}

}  // namespace

Background::Background(int threads)
    : thread_(start_thread([this, threads] {
        block_signals();
        set_cpu_threads(threads);  // each thread has its own number
        serve();
      })) {}

Background::~Background() {
  {
    std::lock_guard const lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Background::start(std::function<void()> work) {
  {
    std::lock_guard const lock(mutex_);
    require(!work_, "work was begun in the background before the last was done");
    work_ = std::move(work);
  }
  changed_.notify_all();
}

bool Background::busy() const {
  std::lock_guard const lock(mutex_);
  return static_cast<bool>(work_);
}

bool Background::wait(double most_s) const {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, std::chrono::duration<double>(most_s), [this] { return !work_; });
}

void Background::serve() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return work_ || ends_; });
    if (!work_) return;
    lock.unlock();
    work_();
    lock.lock();
    work_ = nullptr;
    changed_.notify_all();
  }
}

}  // namespace isotherm
