#include "kernels/transforms/fft/fft_plan.hpp"

#include "kernels/core/error.hpp"

namespace isotherm {

namespace {

/// Divides `number` by `factor` as often as possible and returns how often.
int take(std::int64_t& number, int factor) {
  int times = 0;
  for (; number % factor == 0; number /= factor) ++times;
  return times;
}

void append(FftPlan& plan, int radix, int times) {
  for (int n = 0; n < times; ++n) plan.radix[plan.stages++] = static_cast<std::uint8_t>(radix);
}

/// Appends radices whose product is 2^exponent.
void append_powers_of_two(FftPlan& plan, int exponent) {
  if (exponent == 1) return append(plan, 2, 1);
  int const remainder = exponent % 3;
  int const fours = remainder == 0 ? 0 : remainder == 2 ? 1 : 2;
  append(plan, 8, (exponent - 2 * fours) / 3);
  append(plan, 4, fours);
}

}  // namespace

bool is_fft_length(std::int64_t length) {
  if (length < 1 || length > max_fft_length) return false;
  for (int const prime : {2, 3, 5, 7}) take(length, prime);
  return length == 1;
}

FftPlan fft_plan(std::int64_t length) {
  require(is_fft_length(length), "no Fourier transform has this length");
  FftPlan plan;
  plan.length = static_cast<int>(length);
  append_powers_of_two(plan, take(length, 2));
  for (int const prime : {3, 5, 7}) append(plan, prime, take(length, prime));
  return plan;
}

}  // namespace isotherm
