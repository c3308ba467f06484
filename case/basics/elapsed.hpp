#pragma once

#include <chrono>

namespace isotherm {

/// A monotonic clock that starts when it is constructed. Changes of the system time do not affect
/// it.
///
///   Elapsed const elapsed;
///   work();
///   log(elapsed.seconds());
class Elapsed {
 public:
  /// Returns the seconds since construction.
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// Started when the program was loaded: the age of this process.
inline Elapsed const program_start;

}  // namespace isotherm
