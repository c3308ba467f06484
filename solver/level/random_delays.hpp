#pragma once

#include <cstdint>
#include <random>

#include "decomposition/ranks/mpi.hpp"

namespace isotherm {

/// A switch for tests: with ISOTHERM_RANDOM_DELAYS=N in the root's environment every pass of every
/// rank starts after a sleep of 1 … N microseconds, so that ranks drift apart as they never do by
/// themselves. The result must not change.
class RandomDelays {
 public:
  /// Collective. @throws InputError  on every rank, where ISOTHERM_RANDOM_DELAYS is no such number
  explicit RandomDelays(mpi::Communicator const& ranks);

  void sleep();

 private:
  std::int64_t longest_us_;
  std::mt19937 generator_;
};

}  // namespace isotherm
