#pragma once

#include <cstdint>
#include <random>

#include "decomposition/ranks/mpi.hpp"

namespace isotherm {

/// Random sleeps for tests. With ISOTHERM_RANDOM_DELAYS=N in the environment of the root rank,
/// every rank sleeps for 1 … N microseconds before each pass. Ranks then drift apart much further
/// than in ordinary runs, which exposes missing synchronisation. Results must not change.
class RandomDelays {
 public:
  /// Reads the variable on the root and shares it. Collective.
  /// @throws InputError  on every rank, if the variable is not a whole number in range
  explicit RandomDelays(mpi::Communicator const& ranks);

  /// Sleeps for a random time, or not at all if the variable is not set.
  void sleep();

 private:
  std::int64_t longest_us_;  ///< 0: never sleep
  std::mt19937 generator_;   ///< seeded with the rank
};

}  // namespace isotherm
