#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace isotherm {

/// A sum of float64 numbers without any rounding before its end, so that it does not depend on the
/// order of its terms, nor on who adds which of them. It is a fixed-point number that reaches from
/// the smallest float64 beyond the largest; adding a term takes some nanoseconds.
class ExactSum {
 public:
  void add(double term) {
    if (!std::isfinite(term)) {
      not_finite_ += term;
      return;
    }
    int exponent = 0;
    auto const whole = static_cast<std::int64_t>(std::ldexp(std::frexp(term, &exponent), digits));
    auto const place = static_cast<unsigned>(exponent - digits + lowest_bit);
    unsigned const shift = place % limb_bits;
    std::size_t const limb = place / limb_bits;
    std::uint64_t const low = (static_cast<std::uint64_t>(whole) & mask) << shift;
    std::int64_t const high = (whole >> limb_bits) * (std::int64_t{1} << shift);
    limbs_[limb] += static_cast<std::int64_t>(low & mask);
    limbs_[limb + 1] +=
        static_cast<std::int64_t>(low >> limb_bits) + (high & static_cast<std::int64_t>(mask));
    limbs_[limb + 2] += high >> limb_bits;
    if (++terms_ % most_terms_between_carries == 0) limbs_ = carry(limbs_);
  }

  /// All terms of another sum.
  void add(ExactSum const& other) {
    std::array<std::int64_t, limb_count> const theirs = carry(other.limbs_);
    limbs_ = carry(limbs_);
    for (std::size_t i = 0; i < limb_count; ++i) limbs_[i] += theirs[i];
    limbs_ = carry(limbs_);
    not_finite_ += other.not_finite_;
  }

  /// The sum in parts, which add up modulo 2^64 where several sums are put together: those of up to
  /// 2^31 of them. What is not finite is not in them.
  [[nodiscard]] std::vector<std::uint64_t> parts() const {
    std::array<std::int64_t, limb_count> const carried = carry(limbs_);
    return {carried.begin(), carried.end()};
  }
  /// What parts() became, rounded; the same for the same sum.
  static double value_of(std::vector<std::uint64_t> const& parts) {
    std::array<std::int64_t, limb_count> limbs{};
    for (std::size_t i = 0; i < limbs.size(); ++i) limbs[i] = static_cast<std::int64_t>(parts[i]);
    limbs = carry(limbs);
    bool const negative = limbs.back() < 0;
    if (negative) {  // its digits are those of a complement, of which many would cancel
      for (std::int64_t& limb : limbs) limb = -limb;
      limbs = carry(limbs);
    }
    double value = 0.0;
    for (std::size_t i = 0; i < limbs.size(); ++i) {
      int const exponent = static_cast<int>(limb_bits * i) - lowest_bit;
      value += std::ldexp(static_cast<double>(limbs[i]), exponent);
    }
    return negative ? -value : value;
  }
  /// The sum of the terms that were not finite; 0 where all were.
  [[nodiscard]] double not_finite() const { return not_finite_; }

 private:
  static constexpr int digits = 53;
  static constexpr int lowest_bit = 1152;  // of the smallest number's 53 digits, and some to spare
  static constexpr unsigned limb_bits = 32;
  static constexpr std::uint64_t mask = 0xffffffffU;
  static constexpr std::size_t limb_count = 72;
  static constexpr std::int64_t most_terms_between_carries = std::int64_t{1} << 28;

  /// The same number with all limbs but the last from 0 to 2^32 - 1.
  static std::array<std::int64_t, limb_count> carry(std::array<std::int64_t, limb_count> limbs) {
    for (std::size_t i = 0; i + 1 < limbs.size(); ++i) {
      limbs[i + 1] += limbs[i] >> limb_bits;
      limbs[i] &= static_cast<std::int64_t>(mask);
    }
    return limbs;
  }

  std::array<std::int64_t, limb_count> limbs_{};
  std::int64_t terms_ = 0;
  double not_finite_ = 0.0;
};

}  // namespace isotherm
