#pragma once

#include <cstdint>

#include "kernels/core/host_device.hpp"

namespace isotherm {

/// Largest length of a Fourier transform on any backend. It bounds the tables and a thread's
/// memory.
constexpr std::int64_t max_fft_length = std::int64_t{1} << 16;

/// The radices of the stages of a Fourier transform, in the order in which they are applied.
/// Kernels receive it by value.
struct FftPlan {
  /// 3^10 < 2^16 < 3^11; powers of two need fewer stages.
  static constexpr int max_stages = 16;

  int length = 1;
  int stages = 0;
  std::uint8_t radix[max_stages] = {};  // NOLINT(modernize-avoid-c-arrays): read by kernels
};

/// Returns true if `length` is 2^a 3^b 5^c 7^d and at most max_fft_length.
bool is_fft_length(std::int64_t length);

/// Returns the plan for a length. Powers of two are divided into radices 8 and 4, and 2 if nothing
/// else is left.
/// @throws Error  unless is_fft_length(length)
FftPlan fft_plan(std::int64_t length);

}  // namespace isotherm
