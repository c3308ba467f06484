#pragma once

#include <functional>
#include <optional>
#include <string>

#include "kernels/conduction/diagonal_scaling.hpp"
#include "solver/direct/separable_correction.hpp"
#include "solver/level/medium/separable_conductance_rows.hpp"
#include "solver/multigrid/hierarchy.hpp"
#include "solver/problem/problem.hpp"
#include "solver/problem/settings.hpp"

namespace isotherm {

/// The preconditioner of conjugate gradients for a medium with smooth coefficients:
///
///   z = S L⁻¹ S r
///
/// L is the operator of a homogeneous medium on the same grid (smooth_reference()), solved directly
/// by transforms. The diagonal scaling S gives S A S the diagonal of L; it is approximately
/// κ^(-1/2). The scaled operator is then L plus a bounded term, so the number of steps does not
/// depend on the grid (P. Concus and G. Golub, SIAM J. Numer. Anal. 10, 1973).
///
/// If the coefficients turn out not to be smooth, fall_back() replaces it by a multigrid cycle, and
/// use_aggregates() the coarser grids of that cycle. It takes the place of a Hierarchy. Neither
/// copyable nor movable.
template <class RealType, int dimension>
class SmoothCorrection {
 public:
  using Real = RealType;
  using Fallback = Hierarchy<HeterogeneousGrids<Real, dimension>>;
  /// A function that makes the operator of a multigrid hierarchy; see Hierarchy.
  using MakeOperator = std::function<void(OperatorFields<Real> const&)>;

  /// Allocates the fields and computes the transforms. Collective. The parameters are those of
  /// Hierarchy; those without a name do not apply. The ranks must outlive the object.
  SmoothCorrection(mpi::Communicator const& ranks, Problem const& problem, Subdomain const& finest,
                   MultigridSettings const& settings, Execution const& execution, Queue& queue,
                   MakeOperator const& /*make_operator_fields*/ = {}, bool /*mean_free*/ = false);

  /// Computes the scaling. Collective.
  /// @param conductances  the operator A, in the frame of the rank's part
  /// @param space  of its fields
  template <class FieldReal>
  void set_scaling(Conductances<FieldReal, dimension> const& conductances,
                   FieldSpace<FieldReal>& space) {
    SeparableConductanceRows<FieldReal, dimension> const rows(reference_, space);
    set_diagonal_scaling(*queue_, conductances, rows.view(), scale_->view(), unknown_);
    queue_->wait();  // the rows end here
  }

  /// Returns an upper bound on the bytes that the object allocates, before or after fall_back().
  static std::size_t footprint(Problem const& problem, Subdomain const& finest,
                               MultigridSettings const& settings, Backend backend,
                               TransportKind transport);

  /// Returns false: corrections are approximate.
  [[nodiscard]] static constexpr bool is_exact() { return false; }
  /// Returns true before fall_back().
  [[nodiscard]] bool is_direct() const { return direct_.has_value(); }
  /// Replaces the direct solution by multigrid cycles; source() keeps its values. Collective.
  void fall_back(MakeOperator const& make_operator_fields);

  // Aggregates in the hierarchy of these cycles, as of Hierarchy.
  [[nodiscard]] static std::size_t aggregate_host_bytes(Problem const& problem,
                                                        Subdomain const& finest,
                                                        MultigridSettings const& settings,
                                                        Backend backend) {
    return Fallback::aggregate_host_bytes(problem, finest, settings, backend);
  }
  [[nodiscard]] static std::size_t aggregate_bytes(Problem const& problem, Subdomain const& finest,
                                                   MultigridSettings const& settings,
                                                   Backend backend) {
    return Fallback::aggregate_bytes(problem, finest, settings, backend);
  }
  [[nodiscard]] bool can_use_aggregates() const {
    return fallback_ && fallback_->can_use_aggregates();
  }
  void use_aggregates() { fallback_->use_aggregates(); }

  /// Returns the problem and the rank's part of its grid.
  [[nodiscard]] Problem const& problem() const { return problem_; }
  [[nodiscard]] Subdomain const& subdomain() const { return finest_; }

  /// The residual r, indexed as in the rank's part of the grid. cycle() does not change it.
  [[nodiscard]] FieldView<Real const> source() {
    return fallback_ ? fallback_->source() : FieldView<Real const>(source_->view());
  }
  /// The same for writing.
  [[nodiscard]] FieldView<Real> writable_source() {
    return fallback_ ? fallback_->writable_source() : source_->view();
  }
  /// The correction z, indexed likewise. It is zero on Dirichlet faces.
  [[nodiscard]] FieldView<Real const> correction() {
    return fallback_ ? fallback_->correction() : direct_->correction();
  }

  /// Enqueues computing z from r. Collective.
  void cycle();

  [[nodiscard]] double halo_seconds() const {
    return halo_s_before_ + (fallback_ ? fallback_->halo_seconds() : direct_->halo_seconds());
  }
  [[nodiscard]] TransportDescription transport_description() const {
    return fallback_ ? fallback_->transport_description() : direct_->transport_description();
  }

 private:
  mpi::Communicator const* ranks_;
  Queue* queue_;
  Problem problem_;
  Problem reference_;  ///< of L
  Subdomain finest_;
  MultigridSettings settings_;
  Execution execution_;
  LocalBox unknown_;
  std::optional<SeparableCorrection<Real>> direct_{};
  std::optional<Field<Real>> source_{};  ///< r; that of `direct_` is scaled
  std::optional<Field<Real>> scale_{};
  std::optional<Fallback> fallback_{};
  double halo_s_before_ = 0.0;  ///< of `direct_`, if it has been replaced
};

/// The building blocks of conjugate gradients for a smooth medium, as of Hierarchy.
template <class RealType, int dimension>
struct SmoothGrids {
  using Real = RealType;
  static constexpr bool heterogeneous = true;
  static constexpr bool by_conjugate_gradients = true;
  static constexpr bool is_exact = false;
};

template <class Real, int dimension>
struct CorrectionSolverOf<SmoothGrids<Real, dimension>> {
  using type = SmoothCorrection<Real, dimension>;
};

}  // namespace isotherm
