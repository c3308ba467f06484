#pragma once

#include "kernels/core/queue/memory.hpp"
#include "kernels/multigrid/coarsest/modes.hpp"
#include "solver/problem/problem.hpp"

namespace isotherm {

/// The exact solver of the coarsest level for constant coefficients, by diagonalisation: a
/// transform to the operator's eigenmodes, a division by the eigenvalues, and the transform back.
///
/// Without a Dirichlet face the correction has no constant component, also if σ > 0; the caller
/// sets the mean. The method is the tensor-product solver of R. Lynch, J. Rice and D. Thomas, 1964.
/// It takes 2 n² multiplications per axis and line of n points. Neither copyable nor movable.
template <class Real>
class CoarsestSolve {
 public:
  /// Computes the eigenmodes and copies them to the queue's memory; waits.
  /// @param correction  the problem of the level; its grid has at most max_mode_points points
  /// @param queue  must outlive the object
  CoarsestSolve(Queue& queue, Problem const& correction);
  /// The same for a hierarchy's last level.
  template <class Level>
  CoarsestSolve(Queue& queue, Level const& last) : CoarsestSolve(queue, last.plan().problem) {}

  /// Returns an upper bound on the bytes that it allocates, see Buffer::footprint.
  static std::size_t footprint(Backend backend, Problem const& correction);

  /// Enqueues solving A e = source for the correction e at the points `unknown`.
  void operator()(FieldView<Real const> source, FieldView<Real> correction, LocalBox unknown) {
    solve_by_modes(*queue_, modes_, source, correction, unknown);
  }

 private:
  Queue* queue_;
  Buffer numbers_{};  ///< the memory that `modes_` points to
  Modes<Real> modes_{};
};

}  // namespace isotherm
