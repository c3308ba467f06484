#include "io/snapshot/thread_work.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <omp.h>

namespace isotherm {

void on_threads(std::int64_t count, int max_threads,
                std::function<void(std::int64_t i)> const& work) {
  int const all =
      max_threads > 0 ? std::min(max_threads, omp_get_max_threads()) : omp_get_max_threads();
  // No more threads than calls, so idle threads are not started.
  auto const threads = static_cast<int>(std::clamp<std::int64_t>(count, 1, all));
  // `failed` is checked without a lock; `failure` is written inside the critical section only.
  std::atomic<bool> failed = false;
  std::exception_ptr failure;
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
  for (std::int64_t i = 0; i < count; ++i) {
    // OpenMP cannot leave the loop early; the remaining iterations do nothing.
    if (failed) continue;
    try {
      work(i);
    } catch (...) {  // no exception may leave the parallel region
#pragma omp critical(isotherm_thread_work)
      if (!failed.exchange(true)) failure = std::current_exception();
    }
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace isotherm
