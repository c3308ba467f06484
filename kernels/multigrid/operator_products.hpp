#pragma once

#include "kernels/multigrid/search_direction.hpp"
#include "kernels/operators/conductances.hpp"

namespace isotherm {

/// Applies an operator to search directions and computes both inner products that the length of a
/// step needs. On CUDA one pass over memory does both.
///
/// The order of summation depends on the box alone, so results are reproducible bit for bit.
class OperatorProducts {
 public:
  explicit OperatorProducts(Queue& queue);

  /// Returns an upper bound on the memory in bytes; see Buffer::footprint.
  static std::size_t footprint(Backend backend);

  /// Enqueues image(q) = (A p)(q) = Σ g (p(q) − p(neighbour)) + shift c V p(q) at the points q of
  /// `box`, zero at fixed points, computed in float64. Returns (r, p) and (p, A p) over these
  /// points; the caller adds those of other ranks. Waits for the queue.
  /// @param p  with the ghost layer that the operator reads
  /// @throws Error  if a field does not cover the points that are accessed
  template <class Correction, class Real, int dimension>
  [[nodiscard]] InnerProducts apply(Queue& queue, Conductances<Real, dimension> const& op,
                                    double shift, FieldView<Real const> p,
                                    FieldView<Correction const> r, FieldView<Real> image,
                                    LocalBox box);
  /// Computes inner products of other fields.
  [[nodiscard]] FieldInnerProducts& of_fields() { return products_; }

 private:
  /// Maximum number of blocks that sum products; each of them yields a partial result.
  static constexpr std::size_t max_parts = 16384;

  FieldInnerProducts products_;  ///< also for the CPU, and boxes of more blocks
  Buffer parts_, host_;          ///< partial results on a device, and their copies on the host
};

}  // namespace isotherm
