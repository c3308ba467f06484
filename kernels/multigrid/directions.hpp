#pragma once

#include "kernels/core/field.hpp"
#include "kernels/core/queue/memory.hpp"
#include "kernels/core/queue/queue.hpp"

// Building blocks of the conjugate gradient method, which is preconditioned by multigrid cycles:
// inner products of fields, and the update of the search direction p ← z + β p.

namespace isotherm {

/// Two inner products over points, Σ a b and Σ b c.
struct Products {
  double ab = 0.0;
  double bc = 0.0;
};

/// Computes inner products of fields in float64. The order of summation depends on the box alone,
/// so results are reproducible bit for bit.
class FieldProducts {
 public:
  explicit FieldProducts(Queue& queue);

  /// Returns an upper bound on the memory in bytes; see Buffer::footprint.
  static std::size_t footprint(Backend backend);

  /// Returns both inner products over the points of `box` of this rank. Waits for the queue. `c`
  /// may be none; then the second product is zero.
  template <class Correction, class Real>
  [[nodiscard]] Products of(Queue& queue, FieldView<Correction const> a, FieldView<Real const> b,
                            FieldView<Real const> c, LocalBox box);

  /// Maximum number of partial sums. A part sums every most_parts-th row.
  static constexpr int most_parts = 1024;

 private:
  Buffer parts_;
  Buffer host_;
};

/// Returns a search direction's new value, correction + keep · before. If `keep` is zero, `before`
/// may be anything, even NaN.
template <class Real>
ISOTHERM_INLINE Real directed(double correction, double keep, Real before) {
  double const kept = keep != 0.0 ? keep * static_cast<double>(before) : 0.0;
  return static_cast<Real>(correction + kept);
}

/// Enqueues the update of the search direction: direction(p) = scale · correction(p) + keep ·
/// direction(p) at the points of `box`.
template <class Correction, class Real>
void set_direction(Queue& queue, FieldView<Correction const> correction, double scale,
                   FieldView<Real> direction, double keep, LocalBox box);

}  // namespace isotherm
