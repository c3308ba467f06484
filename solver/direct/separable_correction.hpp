#pragma once

#include <functional>
#include <optional>
#include <string>

#include "decomposition/field/assembly.hpp"
#include "decomposition/field/distributed_field.hpp"
#include "kernels/conduction/correction_operator.hpp"
#include "kernels/transforms/separable_solve.hpp"
#include "solver/direct/axis_operator.hpp"
#include "solver/direct/distributed_solve.hpp"
#include "solver/multigrid/hierarchy.hpp"
#include "solver/problem/problem.hpp"
#include "solver/problem/settings.hpp"

namespace isotherm {

/// The exact solution of A e = r by transforms along the axes (kernels/transforms), for problems
/// without an obstacle_to_direct(). It takes the place of a Hierarchy: residuals are refined in the
/// same way, and one correction usually suffices.
///
/// Each axis has the fastest transform that it allows: fast Fourier transforms if its modes are
/// sines or cosines and its number of intervals has no other factors than 2, 3, 5 and 7, else
/// products with dense matrices. Along one axis tridiagonal systems take the place of the latter
/// (separable_operator()).
///
/// If ranks share the grid, they hold slabs of it (DistributedSolve). Each rank holds and
/// solves all of a grid that is too small for that. Three fields on one rank: r, e and, if a
/// transform does not work in place, a working field. Neither copyable nor movable.
template <class RealType>
class SeparableCorrection {
 public:
  using Real = RealType;

  /// Computes eigenvalues and transforms, and allocates the fields. Collective. The parameters are
  /// those of Hierarchy; those without a name do not apply.
  SeparableCorrection(
      mpi::Communicator const& ranks, Problem const& problem, Subdomain const& finest,
      MultigridSettings const& settings, Execution const& execution, Queue& queue,
      std::function<void(OperatorFields<Real> const&)> const& /*make_operator_fields*/ = {},
      bool mean_free = false);

  /// Returns an upper bound on the bytes that the object allocates, see Buffer::footprint.
  static std::size_t footprint(Problem const& problem, Subdomain const& finest,
                               MultigridSettings const& settings, Backend backend,
                               TransportKind transport);

  /// Replaces σ of the problem, on which only the eigenvalues depend. The transforms remain.
  /// Collective.
  /// @param problem  that of the constructor, with another σ
  void set_sigma(Problem const& problem);

  /// Returns true: each correction is exact up to rounding.
  [[nodiscard]] static constexpr bool is_exact() { return true; }
  /// Returns a bound on the ratio of the norm of the error to that of the equation's residual; none
  /// if it is not known. It is known for l2 norms and constant coefficients: 1 / λ_min, times √2
  /// for each axis with a Neumann face, since norms do not weigh its half cells.
  [[nodiscard]] std::optional<double> error_bound(Norm norm) const;

  /// The residual r to solve for, indexed as in the rank's part of the grid.
  [[nodiscard]] FieldView<Real const> source() { return in_frame(source_.view()); }
  /// The same for writing.
  [[nodiscard]] FieldView<Real> writable_source() { return in_frame(source_.writable()); }
  /// The correction e, indexed likewise. It is zero on Dirichlet faces.
  [[nodiscard]] FieldView<Real const> correction() { return in_frame(correction_.view()); }
  /// The same with its halo. Collective.
  [[nodiscard]] FieldView<Real const> correction_with_halo() {
    return in_frame(correction_.with_halo());
  }
  /// The same for writing.
  [[nodiscard]] FieldView<Real> writable_correction() { return in_frame(correction_.writable()); }

  /// Enqueues solving A e = r. Collective.
  void cycle();
  /// True if solve_into() may be called: the last transform can write to any field of the rank's
  /// part, because no values move after it. The same on all ranks.
  [[nodiscard]] bool can_solve_into() const {
    return distributed_ ? distributed_->has_slabs() : !assembly_;
  }
  /// Enqueues solving A e = r, where e is written to the unknown points of another field of the
  /// grid. Collective. @pre can_solve_into()
  void solve_into(FieldView<Real> field);

  /// Returns the host time spent in exchanges until now, in seconds.
  [[nodiscard]] double halo_seconds() const {
    return space_.halo().seconds() + (distributed_ ? distributed_->seconds() : 0.0);
  }
  [[nodiscard]] TransportDescription transport_description() const {
    return distributed_ ? distributed_->transport_description()
                        : space_.halo().transport_description();
  }

 private:
  SeparableCorrection(mpi::Communicator const& ranks, Problem const& problem,
                      Subdomain const& finest, Execution const& execution, Queue& queue,
                      SeparableOperator const& op);
  /// Reindexes a view so that (0, 0, 0) is the first point of the rank's part.
  template <class T>
  [[nodiscard]] FieldView<T> in_frame(FieldView<T> view) const {
    view.origin = &view(offset_.x, offset_.y, offset_.z);
    view.box = {view.box.lower - offset_, view.box.upper - offset_};
    return view;
  }

  mpi::Communicator alone_ = mpi::Communicator::self();
  Queue* queue_;
  std::optional<double> smallest_eigenvalue_{};  ///< with constant coefficients
  double half_cells_ = 1.0;                      ///< √2 for each axis with a Neumann face
  int rank_count_;                               ///< of the run
  bool is_distributed_;                          ///< the ranks share the points of the fields
  Index3 offset_{};                              ///< of the rank's part in the frame of the fields
  FieldSpace<Real> space_;
  DistributedField<Real> source_;
  DistributedField<Real> correction_;
  LocalBox unknown_;                                     ///< all unknowns that the rank holds
  std::optional<SeparableSolve<Real>> solve_{};          ///< none if there is no unknown
  std::optional<DistributedSolve<Real>> distributed_{};  ///< if the ranks share the points
  std::optional<Assembly<Real>> assembly_{};  ///< if each of several ranks holds all points
};

/// The building blocks of a direct solution with constant coefficients, as of Hierarchy.
template <class RealType, int dimension>
struct DirectGrids {
  using Real = RealType;
  static constexpr bool heterogeneous = false;
  static constexpr bool by_conjugate_gradients = false;
  static constexpr bool is_exact = true;
};

/// The same for a medium with separable coefficients.
template <class RealType, int dimension>
struct SeparableGrids {
  using Real = RealType;
  static constexpr bool heterogeneous = true;
  static constexpr bool by_conjugate_gradients = false;
  static constexpr bool is_exact = true;
};

template <class Real, int dimension>
struct CorrectionSolverOf<DirectGrids<Real, dimension>> {
  using type = SeparableCorrection<Real>;
};
template <class Real, int dimension>
struct CorrectionSolverOf<SeparableGrids<Real, dimension>> {
  using type = SeparableCorrection<Real>;
};

}  // namespace isotherm
