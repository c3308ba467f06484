#pragma once

#include "kernels/core/field.hpp"
#include "kernels/core/partial_results.hpp"

namespace isotherm {

/// Weights of the trapezoidal rule: points in the given planes, at most two per axis, have weight
/// 1/2. On an edge they have 1/4, at a corner 1/8.
struct HalfPlanes {
  /// Stands for no plane.
  static constexpr std::int64_t none = INT64_MIN;
  /// The two planes of each axis.
  Index3 lower{none, none, none};
  Index3 upper{none, none, none};

  /// Returns the weight of a point.
  [[nodiscard]] ISOTHERM_HOST_DEVICE double weight(std::int64_t i, std::int64_t j,
                                                   std::int64_t k) const {
    auto const weight_at = [](std::int64_t at, std::int64_t a, std::int64_t b) {
      return at == a || at == b ? 0.5 : 1.0;
    };
    return weight_at(i, lower.x, upper.x) * weight_at(j, lower.y, upper.y) *
           weight_at(k, lower.z, upper.z);
  }
};

/// Sums of fields, for means. They are computed in float64 in an order that depends on the box
/// alone, so results are reproducible bit for bit. Sums cover one rank; the caller adds those of
/// other ranks.
class FieldSums {
 public:
  /// The sums Σ weight · field and Σ weight · |field| over points.
  struct Sums {
    double signed_sum = 0.0;
    double absolute_sum = 0.0;

    /// Adds the sums over other points.
    ISOTHERM_INLINE void add(Sums const& other) {
      signed_sum += other.signed_sum;
      absolute_sum += other.absolute_sum;
    }
  };

  explicit FieldSums(Queue& queue) : partial_(queue) {}

  /// Returns an upper bound on the memory in bytes; see Buffer::footprint.
  static std::size_t footprint(Backend backend) { return PartialResults<Sums>::footprint(backend); }

  /// Returns the sums over the points of `box` of this rank. Waits for the queue.
  /// @throws Error  if the field does not cover the box
  template <class Real>
  [[nodiscard]] Sums sum(Queue& queue, FieldView<Real const> field, LocalBox box,
                         HalfPlanes const& halves);

 private:
  PartialResults<Sums> partial_;
};

/// Enqueues field(p) += value at the points of `box`, computed in float64.
/// @throws Error  if the field does not cover the box
template <class Real>
void add_constant(Queue& queue, FieldView<Real> field, LocalBox box, double value);

}  // namespace isotherm
