#pragma once

#include "kernels/core/field.hpp"
#include "kernels/core/partial_results.hpp"

// Building blocks of the conjugate gradient method, which is preconditioned by multigrid cycles:
// inner products of fields, and the update of the search direction p ← z + β p. The method:
// M. R. Hestenes and E. Stiefel, Methods of conjugate gradients for solving linear systems, J. Res.
// Nat. Bur. Standards 49 (1952).

namespace isotherm {

/// Two inner products over points, Σ a b and Σ b c.
struct InnerProducts {
  double ab = 0.0;
  double bc = 0.0;

  /// Adds the inner products over other points.
  ISOTHERM_INLINE void add(InnerProducts const& other) {
    ab += other.ab;
    bc += other.bc;
  }
};

/// Computes inner products of fields in float64. The order of summation depends on the box alone,
/// so results are reproducible bit for bit. They cover one rank; the caller adds those of other
/// ranks.
class FieldInnerProducts {
 public:
  explicit FieldInnerProducts(Queue& queue) : partial_(queue) {}

  /// Returns an upper bound on the memory in bytes; see Buffer::footprint.
  static std::size_t footprint(Backend backend) {
    return PartialResults<InnerProducts>::footprint(backend);
  }

  /// Returns both inner products over the points of `box` of this rank. Waits for the queue. `c`
  /// may be none; then the second product is zero.
  /// @throws Error  if a field does not cover the box
  template <class Correction, class Real>
  [[nodiscard]] InnerProducts of(Queue& queue, FieldView<Correction const> a,
                                 FieldView<Real const> b, FieldView<Real const> c, LocalBox box);

 private:
  PartialResults<InnerProducts> partial_;
};

/// Enqueues the update of the search direction: direction(p) = scale · correction(p) + keep ·
/// direction(p) at the points of `box`, computed in float64. If `keep` is zero, the old direction
/// is ignored and may be anything, even NaN.
/// @throws Error  if a field does not cover the box
template <class Correction, class Real>
void update_search_direction(Queue& queue, FieldView<Correction const> correction, double scale,
                             FieldView<Real> direction, double keep, LocalBox box);

}  // namespace isotherm
