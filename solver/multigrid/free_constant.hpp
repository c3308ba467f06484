#pragma once

#include <string>

#include "decomposition/grid/subdomain.hpp"
#include "decomposition/ranks/mpi.hpp"
#include "kernels/multigrid/mean.hpp"
#include "solver/problem/problem.hpp"

namespace isotherm {

/// What a problem without a Dirichlet face needs besides. The solution of a steady one is unique
/// but for a constant, and there is one only if all that flows in cancels. That of an implicit step
/// has the mean that what flows in tells, which is more exact than what a system tells that is
/// nearly singular.
template <class Real>
class FreeConstant {
 public:
  /// All that is passed by reference outlives the object.
  FreeConstant(mpi::Communicator const& ranks, Problem const& problem, Subdomain const& subdomain,
               Queue& queue);

  /// Takes from a source of sweeps what keeps the problem from having a solution: rounding, and
  /// more where the problem says that it is to be projected.
  /// @param factor  f = factor · source
  /// @returns  what was taken, in a sentence, where it is more than rounding. Collective.
  /// @throws ValueRefusal  on every rank, where it is more and must not be taken
  std::string make_compatible(FieldView<Real> source, double factor);

  /// Of the values, each point by its volume. Collective; waits.
  [[nodiscard]] double mean(FieldView<Real> field);
  /// Collective; waits.
  void set_mean(FieldView<Real> field, double mean);

 private:
  /// Over all ranks, each point by its volume.
  FieldSums::Sums sum(FieldView<Real> field);

  mpi::Communicator const* ranks_;
  Problem const* problem_;
  Queue* queue_;
  LocalBox points_;  ///< all are unknown
  HalfPlanes halves_;
  double volume_ = 1.0;  ///< of the grid, in cells
  FieldSums sums_;
};

}  // namespace isotherm
