#pragma once

#include <cstdint>

namespace isotherm {

/// The distance of consecutive states of splitmix64.
inline constexpr std::uint64_t splitmix64_step = 0x9e3779b97f4a7c15;

/// Returns the pseudo-random bits that splitmix64 (Sebastiano Vigna, 2015) computes from a state.
/// Number n of the sequence with the seed s is splitmix64(s + n · splitmix64_step).
[[nodiscard]] constexpr std::uint64_t splitmix64(std::uint64_t state) {
  state += splitmix64_step;
  state = (state ^ (state >> 30U)) * 0xbf58476d1ce4e5b9U;
  state = (state ^ (state >> 27U)) * 0x94d049bb133111ebU;
  return state ^ (state >> 31U);
}

}  // namespace isotherm
