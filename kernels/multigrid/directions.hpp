#pragma once

#include "kernels/core/field.hpp"
#include "kernels/core/memory.hpp"
#include "kernels/core/queue.hpp"

// What conjugate gradients take beside cycles: products of fields, and directions.

namespace isotherm {

/// Σ a b and Σ b c over points.
struct Products {
  double ab = 0.0;
  double bc = 0.0;
};

/// Takes them, in float64, in an order that depends on the box alone.
class FieldProducts {
 public:
  explicit FieldProducts(Queue& queue);

  /// See Buffer::footprint.
  static std::size_t footprint(Backend backend);

  /// Over the points of `box`; waits. `c` may be none: then the second product is zero.
  template <class Correction, class Real>
  [[nodiscard]] Products of(Queue& queue, FieldView<Correction const> a, FieldView<Real const> b,
                            FieldView<Real const> c, LocalBox box);

  /// The most partial sums that are kept.
  static constexpr int most_parts = 1024;

 private:
  Buffer parts_;
  Buffer host_;
};

/// A direction's new value. Nothing is kept of the one before, whatever it is, where `keep` is
/// zero.
template <class Real>
ISOTHERM_INLINE Real directed(double correction, double keep, Real before) {
  double const kept = keep != 0.0 ? keep * static_cast<double>(before) : 0.0;
  return static_cast<Real>(correction + kept);
}

/// Enqueues direction(p) = scale · correction(p) + keep · direction(p) at the points of `box`.
template <class Correction, class Real>
void set_direction(Queue& queue, FieldView<Correction const> correction, double scale,
                   FieldView<Real> direction, double keep, LocalBox box);

}  // namespace isotherm
