#pragma once

#include "kernels/core/memory.hpp"
#include "kernels/multigrid/modes.hpp"
#include "solver/problem/problem.hpp"

namespace isotherm {

/// The exact solution of a hierarchy's last level, by modes. Without a Dirichlet face that leaves
/// constants alone, about which the equation says nothing. Stays where it is.
template <class Real>
class CoarsestSolve {
 public:
  /// @param correction  of the level; has at most most_mode_points
  /// @param queue       outlives the object
  CoarsestSolve(Queue& queue, Problem const& correction);
  template <class Level>
  CoarsestSolve(Queue& queue, Level const& last) : CoarsestSolve(queue, last.plan().problem) {}

  /// Bytes that it takes at most, see Buffer::footprint.
  static std::size_t footprint(Backend backend, Problem const& correction);

  /// Enqueues finding the correction whose residual the source is, at the points `unknown`.
  void operator()(FieldView<Real const> source, FieldView<Real> correction, LocalBox unknown) {
    solve_by_modes(*queue_, modes_, source, correction, unknown);
  }

 private:
  Queue* queue_;
  Buffer numbers_{};  ///< what `modes_` points to
  Modes<Real> modes_{};
};

}  // namespace isotherm
