#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "kernels/core/cpu/splitmix64.hpp"

namespace isotherm::test {

/// A pseudorandom generator (splitmix64): the seed determines all numbers.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed * splitmix64_step + 1) {}
  std::uint64_t next();
  /// Returns a number below `count`; 0 if `count` is 0.
  std::size_t below(std::size_t count);
  bool chance(unsigned one_in) { return below(one_in) == 0; }

 private:
  std::uint64_t state_;
};

/// Returns a mutated text or file: some bytes are flipped, removed, duplicated, moved, truncated,
/// or replaced by one of `words`.
std::string mutated(Random& random, std::string input, std::vector<std::string> const& words);

/// Returns the contents of the files of tests/fuzz/corpus, and of the small ones of jobs/cases,
/// whose names end with `ending`.
std::vector<std::string> corpus(std::string const& ending);

/// Known failures that are not isotherm's fault.
struct Tolerance {
  std::string reason{};  ///< empty: no failure is tolerated
  unsigned one_in = 0;   ///< one input in `one_in` may end a process, or take more than 1 GiB
};

/// Handles the inputs of the seeds 0, 1, 2 … in child processes, in batches. Each input must end
/// within 10 s of CPU time and 1 GiB, and either return or throw an InputError or Error of one
/// line. Otherwise the test fails and reports the seed. ISOTHERM_FUZZ_SEED=N handles a single seed
/// in this process, for a debugger.
/// @param few  number of inputs, unless ISOTHERM_FUZZ_INPUTS is set; a quarter with sanitizers
void fuzz(std::uint64_t few, std::function<void(std::uint64_t seed)> const& handle,
          Tolerance const& tolerance = {});

}  // namespace isotherm::test
