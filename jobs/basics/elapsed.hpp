#pragma once

#include <chrono>

namespace isotherm {

/// A clock that starts when it is made and never jumps.
class Elapsed {
 public:
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace isotherm
