#include "kernels/core/finite.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <type_traits>

namespace isotherm {
namespace {

/// Values per block. The loop over a block does not stop at the first bad value, which lets the
/// compiler vectorise it.
constexpr std::int64_t block = 1 << 15;

/// Returns true if all values of a block are finite. A value is infinite or NaN if and only if all
/// bits of its exponent are ones.
template <class Real>
bool is_finite_block(Real const* values, std::int64_t count) {
  using Bits = std::conditional_t<sizeof(Real) == 4, std::uint32_t, std::uint64_t>;
  constexpr Bits exponent = sizeof(Real) == 4 ? Bits{0x7f800000} : Bits(0x7ff0000000000000);
  Bits found = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    found |= static_cast<Bits>((std::bit_cast<Bits>(values[i]) & exponent) == exponent);
  }
  return found == 0;
}

/// Checks block by block on all threads. A thread skips its remaining blocks after a bad one.
template <class Real>
bool all_finite_of(std::span<Real const> values) {
  auto const count = static_cast<std::int64_t>(values.size());
  bool finite = true;
#pragma omp parallel for schedule(static) reduction(&& : finite) if (count > block)
  for (std::int64_t first = 0; first < count; first += block) {
    finite = finite && is_finite_block(values.data() + first, std::min(block, count - first));
  }
  return finite;
}

template <class Real>
bool all_finite_here_of(std::span<Real const> values) {
  return is_finite_block(values.data(), static_cast<std::int64_t>(values.size()));
}

}  // namespace

bool all_finite_here(std::span<float const> values) { return all_finite_here_of(values); }
bool all_finite_here(std::span<double const> values) { return all_finite_here_of(values); }

bool all_finite(std::span<float const> values) { return all_finite_of(values); }
bool all_finite(std::span<double const> values) { return all_finite_of(values); }

}  // namespace isotherm
