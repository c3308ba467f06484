#pragma once

#include <cstdint>
#include <random>

namespace isotherm {

/// Returns the next number of NumPy's `RandomState.random_sample`, in [0, 1): (a 2^26 + b) / 2^53,
/// with a of 27 and b of 26 random bits.
///
/// The generator is the Mersenne Twister MT19937 (Matsumoto and Nishimura, 1998), as in NumPy. A
/// case and a NumPy script with the same seed agree bit for bit.
inline double random_sample(std::mt19937& generator) {
  std::uint32_t const high = static_cast<std::uint32_t>(generator()) >> 5U;
  std::uint32_t const low = static_cast<std::uint32_t>(generator()) >> 6U;
  return (high * 67108864.0 + low) / 9007199254740992.0;
}

}  // namespace isotherm
