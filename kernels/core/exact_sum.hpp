#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace isotherm {

/// An exact sum of float64 numbers: only the final result is rounded. The sum depends neither on
/// the order of its terms nor on how ranks share them.
///
/// The accumulator is a fixed-point number, a long accumulator: U. Kulisch and W. L. Miranker, The
/// arithmetic of the digital computer: a new approach, SIAM Review 28 (1986). Its range extends
/// from below the smallest float64 to beyond the largest. It consists of signed 64-bit limbs of 32
/// bits each; the upper half of a limb collects carries. Adding a term takes a few nanoseconds.
class ExactSum {
 public:
  /// Adds a term. Infinities and NaN go into not_finite() instead.
  void add(double term) {
    if (!std::isfinite(term)) {
      not_finite_ += term;
      return;
    }
    // term = whole * 2^(exponent - digits) with a 53-bit integer `whole`. Shifted to its place it
    // spans at most three limbs. Signed shifts keep the sign in the topmost one.
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
    if (++terms_ % max_terms_between_carries == 0) limbs_ = carry(limbs_);
  }

  /// Adds all terms of another sum. Both sums are normalised first, so no limb can overflow.
  void add(ExactSum const& other) {
    std::array<std::int64_t, limb_count> const theirs = carry(other.limbs_);
    limbs_ = carry(limbs_);
    for (std::size_t i = 0; i < limb_count; ++i) limbs_[i] += theirs[i];
    limbs_ = carry(limbs_);
    not_finite_ += other.not_finite_;
  }

  /// Returns the sum as integers that can be added across ranks: element by element, modulo 2^64.
  /// The element-wise sum of up to 2^31 such vectors is valid input of value_of(). Terms that are
  /// not finite are not included.
  [[nodiscard]] std::vector<std::uint64_t> parts() const {
    std::array<std::int64_t, limb_count> const carried = carry(limbs_);
    return {carried.begin(), carried.end()};
  }
  /// Returns the float64 nearest to a sum of parts(), up to a few units in the last place. Equal
  /// sums give equal bits.
  static double value_of(std::vector<std::uint64_t> const& parts) {
    std::array<std::int64_t, limb_count> limbs{};
    for (std::size_t i = 0; i < limbs.size(); ++i) limbs[i] = static_cast<std::int64_t>(parts[i]);
    // The addition across ranks may have filled the upper halves of the limbs.
    limbs = carry(limbs);
    bool const negative = limbs.back() < 0;
    if (negative) {  // a two's complement has many leading ones, whose terms would cancel
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
  /// Returns the sum of the terms that were not finite (an infinity or NaN); 0 if all were finite.
  [[nodiscard]] double not_finite() const { return not_finite_; }

 private:
  /// Digits of a float64 significand.
  static constexpr int digits = 53;
  /// −log2 of the weight of bit 0; the smallest float64 begins at bit 26.
  static constexpr int lowest_bit = 1152;
  static constexpr unsigned limb_bits = 32;
  static constexpr std::uint64_t mask = 0xffffffffU;
  /// 72 limbs are 2304 bits; the largest float64 ends below bit 2176.
  static constexpr std::size_t limb_count = 72;
  /// A term changes a limb by less than 2^34, so 2^28 terms cannot overflow 63 bits.
  static constexpr std::int64_t max_terms_between_carries = std::int64_t{1} << 28;

  /// Normalises: the same number with all limbs but the last in [0, 2^32). The last limb has the
  /// sign.
  static std::array<std::int64_t, limb_count> carry(std::array<std::int64_t, limb_count> limbs) {
    for (std::size_t i = 0; i + 1 < limbs.size(); ++i) {
      limbs[i + 1] += limbs[i] >> limb_bits;
      limbs[i] &= static_cast<std::int64_t>(mask);
    }
    return limbs;
  }

  /// Limb i has the weight 2^(32 i − lowest_bit).
  std::array<std::int64_t, limb_count> limbs_{};
  /// Number of finite terms, which determines when carries are propagated.
  std::int64_t terms_ = 0;
  /// Sum of the infinities and NaNs among the terms; it does not enter the limbs.
  double not_finite_ = 0.0;
};

}  // namespace isotherm
