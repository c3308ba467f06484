#include "app/run/output/background.hpp"

#include <chrono>
#include <csignal>
#include <pthread.h>
#include <utility>

#include "case/basics/start_thread.hpp"
#include "kernels/core/error.hpp"
#include "kernels/core/queue/queue.hpp"

// One mutex guards the pending work. The condition variable serves both directions: the owner
// announces work, and the thread announces that it is done.

namespace isotherm::app {

namespace {

/// Blocks all signals in the calling thread, so that only the main thread handles them.
void block_signals() {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
}

}  // namespace

/// The thread inherits the owner's signal mask, so it blocks signals itself.
Background::Background(int threads)
    : thread_(start_thread([this, threads] {
        block_signals();
        set_cpu_threads(threads);  // the number of threads is thread-local
        serve();
      })) {}

/// Work that was started is executed to its end first.
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
    require(!work_, "background work was started before the previous work was done");
    work_ = std::move(work);
  }
  changed_.notify_all();
}

/// work_ is reset only after the work has returned, so a moved-from function is never seen here.
bool Background::busy() const {
  std::lock_guard const lock(mutex_);
  return static_cast<bool>(work_);
}

bool Background::wait(double max_s) const {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, std::chrono::duration<double>(max_s), [this] { return !work_; });
}

void Background::serve() {
  std::unique_lock lock(mutex_);
  while (true) {
    // Pending work is executed even if the destructor is already waiting.
    changed_.wait(lock, [this] { return work_ || ends_; });
    if (!work_) return;
    // The work runs without the lock, so busy() and wait() do not block on the mutex.
    lock.unlock();
    work_();
    lock.lock();
    work_ = nullptr;
    // Wakes wait().
    changed_.notify_all();
  }
}

}  // namespace isotherm::app
