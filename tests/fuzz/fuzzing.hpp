#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace isotherm::test {

/// Numbers that a seed determines.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15U + 1) {}
  std::uint64_t next();
  /// 0 … count − 1; 0 where there is no such number.
  std::size_t below(std::size_t count);
  bool chance(unsigned one_in) { return below(one_in) == 0; }

 private:
  std::uint64_t state_;
};

/// A text or file as it is, but for some of its bytes: flipped, left out, repeated, put somewhere
/// else, cut off, or replaced by one of `words`.
std::string mutated(Random& random, std::string input, std::vector<std::string> const& words);

/// The files of tests/fuzz/corpus, and of jobs/cases those that are small, whose names end so.
std::vector<std::string> corpus(std::string const& ending);

/// What is known to happen where nothing of isotherm's is at fault.
struct Tolerance {
  std::string reason{};  ///< empty: nothing is
  unsigned one_in = 0;   ///< so many inputs may a process die of, or take more than 1 GiB
};

/// Has child processes handle the inputs of the seeds 0, 1, 2 …, in batches. Each must end within
/// 10 s of CPU time and 1 GiB, return, or throw an InputError or an Error of one line. Else the
/// test fails, and says which seed it was; ISOTHERM_FUZZ_SEED=N handles that one alone, in this
/// process, for a debugger.
/// @param few  how many there are, unless ISOTHERM_FUZZ_INPUTS says another number
void fuzz(std::uint64_t few, std::function<void(std::uint64_t seed)> const& handle,
          Tolerance const& tolerance = {});

}  // namespace isotherm::test
