#pragma once

#include <string>

#include "decomposition/grid/subdomain.hpp"
#include "decomposition/ranks/mpi.hpp"
#include "kernels/multigrid/mean.hpp"
#include "solver/problem/problem.hpp"

namespace isotherm {

/// Treats the null space of a problem with constant coefficients and without Dirichlet faces.
///
/// The constants are the null space of such a steady problem. Its solution is determined only up to
/// a constant, and exists only if the source and the boundary fluxes cancel. In an implicit time
/// step the mean follows from the heat balance, which is more accurate than the solution of the
/// nearly singular system.
///
/// Means are weighted by volume: points on a face have half a cell (the trapezoidal rule). In a
/// heterogeneous medium FloatingComponents has this role.
template <class Real>
class ConstantNullSpace {
 public:
  /// Keeps references to all arguments, which must outlive the object.
  ConstantNullSpace(mpi::Communicator const& ranks, Problem const& problem,
                    Subdomain const& subdomain, Queue& queue);

  /// Makes the source of a sweep compatible with the insulated faces: subtracts its mean. That is
  /// rounding, or more if the problem asks for a projection. Collective.
  /// @param factor  f = factor · source
  /// @returns  a sentence about the subtracted source if it exceeds rounding, else an empty string
  /// @throws ValueRefusal  on every rank, if the mean exceeds rounding and must not be subtracted
  std::string make_compatible(FieldView<Real> source, double factor);

  /// Returns the mean of the values, each weighted by its point's volume. Collective; waits.
  [[nodiscard]] double mean(FieldView<Real const> field);
  /// Adds a constant to the values, so their volume-weighted mean becomes `mean`. Collective;
  /// waits.
  void set_mean(FieldView<Real> field, double mean);

 private:
  /// Returns the volume-weighted sums over all ranks.
  FieldSums::Sums sum(FieldView<Real const> field);

  mpi::Communicator const* ranks_;
  Problem const* problem_;
  Queue* queue_;
  LocalBox points_;      ///< all of the rank's points are unknown
  HalfPlanes halves_;    ///< the planes whose points have half a volume
  double volume_ = 1.0;  ///< of the grid, in cells
  FieldSums sums_;
};

}  // namespace isotherm
