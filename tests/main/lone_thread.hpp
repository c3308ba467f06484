#pragma once

#include <chrono>
#include <filesystem>
#include <iterator>
#include <thread>

namespace isotherm::test {

/// Returns the number of threads of this process as counted by the kernel, including those of
/// libraries.
inline auto threads() {
  std::filesystem::directory_iterator const tasks("/proc/self/task");
  return std::distance(begin(tasks), end(tasks));
}

/// Waits some time for all other threads to end.
/// @returns  false  if some do not
inline bool becomes_lone_thread() {
  for (int tries = 0; tries < 1000; ++tries) {
    if (threads() == 1) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

}  // namespace isotherm::test
