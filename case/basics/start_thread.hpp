#pragma once

#include <system_error>
#include <thread>
#include <utility>

#include "kernels/core/error.hpp"

namespace isotherm {

/// Starts a thread that executes `work`. Use it instead of std::thread, whose exception only
/// reports "Resource temporarily unavailable". The caller joins the thread, as with std::thread.
///
///     std::thread writer = start_thread([&] { write_fields(); });
///
/// @throws Error  if the system cannot start another thread; the message names the limits
template <class Work>
std::thread start_thread(Work&& work) {
  try {
    return std::thread(std::forward<Work>(work));
  } catch (std::system_error const& failure) {
    throw Error("cannot start a thread: " + failure.code().message() +
                " (the limit on processes and threads is reached: raise ulimit -u, or pids.max of "
                "the container or job, or start fewer ranks)");
  }
}

}  // namespace isotherm
