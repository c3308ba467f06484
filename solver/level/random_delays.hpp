#pragma once

#include <chrono>
#include <cstdlib>
#include <random>
#include <string>
#include <thread>

namespace isotherm {

/// A switch for tests: with ISOTHERM_RANDOM_DELAYS=N in the environment every pass of every rank
/// starts after a sleep of 0 … N microseconds, so that ranks drift apart as they never do by
/// themselves. The result must not change.
class RandomDelays {
 public:
  explicit RandomDelays(int rank)
      : longest_us_(longest_from_environment()), generator_(static_cast<unsigned>(rank) + 1U) {}

  void sleep() {
    if (longest_us_ <= 0) return;
    std::uniform_int_distribution<long> delay_us(0, longest_us_);
    std::this_thread::sleep_for(std::chrono::microseconds(delay_us(generator_)));
  }

 private:
  static long longest_from_environment() {
    char const* const text = std::getenv("ISOTHERM_RANDOM_DELAYS");
    return text != nullptr ? std::strtol(text, nullptr, 10) : 0;
  }

  long longest_us_;
  std::mt19937 generator_;
};

}  // namespace isotherm
