#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "solver/capacitance_matrix.hpp"
#include "solver/discretise/flux/heat_flow_meter.hpp"
#include "solver/floating_regions.hpp"
#include "solver/forwarding_solver.hpp"
#include "solver/iteration/solver_plan.hpp"

namespace isotherm {

/// Solves a steady problem with floating conductors: regions with one unknown value U_i each, from
/// which a given flux Q_i flows into the medium.
///
/// Another solver, of any method, solves the problem with given values U. The flux F_i(U) of its
/// field is linear in U, so Newton's method needs one step if the capacitance matrix C is exact:
///
///   U ← U + C⁻¹ (Q − F(U))
///
/// C comes from multigrid solutions of low accuracy, which suffice, because the step is repeated:
/// each time the other solver claims that its field is within the tolerance, the fluxes of that
/// field are measured in float64. The step C⁻¹ (Q − F) then is the error of U. The run converges if
/// it is within the tolerance, relative to the range of the field. Otherwise U is corrected, and
/// the iteration continues from the present field.
///
/// The field contains U, so a run resumes from its values alone. The matrix is computed when it is
/// needed first. All members are collective.
class FloatingSolver final : public ForwardingSolver {
 public:
  /// Makes the solver for given values. Its arguments are those of make_solver().
  /// @throws InputError  as make_solver() and FloatingRegions do
  FloatingSolver(mpi::Communicator const& ranks, Problem problem, MethodSettings method,
                 SolverPlan const& plan);

  void advance_to(std::int64_t iteration) override;
  [[nodiscard]] bool converged() const override { return solver_->converged() && settled_; }
  [[nodiscard]] bool stalled() const override { return stuck_ || (solver_->stalled() && settled_); }
  /// The error includes that of the conductors' values, once it is known.
  [[nodiscard]] SolverState state() override;
  [[nodiscard]] double time_s() const override { return 0.0; }
  /// The conductors assume the values that the field has in their regions.
  void restore(ConstValues values, SolverState const& state) override;
  void set_initial(ConstValues values) override;
  void set_region_values(std::vector<RegionValue> const& values) override;
  [[nodiscard]] std::vector<FloatingConductor> floating_conductors() override;

 private:
  /// Returns C, which is computed by the first call.
  [[nodiscard]] CapacitanceMatrix const& capacitance();
  /// Returns U before the first iteration.
  [[nodiscard]] std::vector<double> first_values();
  /// Returns C⁻¹ (Q − F(0)), with F(0) from a solution of low accuracy.
  [[nodiscard]] std::vector<double> values_by_rough_solution();
  /// Returns the flows of a solver's field.
  [[nodiscard]] HeatFlows measure(Solver& solver);
  /// Returns Q − F.
  [[nodiscard]] std::vector<double> missing_fluxes(HeatFlows const& flows) const;
  /// Returns the range of the field, or its magnitude if it is constant.
  [[nodiscard]] double scale();
  /// Measures the error of U. Returns true if it was too large and U has been corrected.
  bool correct();
  /// Sets U in the solver; the iteration continues from the present field.
  void set(std::vector<double> values);

  mpi::Communicator ranks_;
  Problem problem_;
  MethodSettings method_;
  Execution where_;  ///< of solutions by multigrid
  FloatingRegions regions_;
  std::optional<CapacitanceMatrix> capacitance_{};  ///< none before its first use
  double accuracy_;                                 ///< of the capacitance matrix
  std::function<HeatFlows()> meter_{};  ///< of solver_'s field; none before its first use
  std::vector<double> values_;          ///< U, in the order of the regions
  bool known_ = false;                  ///< `values_` are more than a guess
  bool settled_ = false;           ///< the conductors of the present field are within the tolerance
  bool stuck_ = false;             ///< corrections no longer reduce the error of U
  int poor_ = 0;                   ///< corrections in sequence that did not reduce it much
  std::optional<double> size_{};   ///< of the last correction
  std::optional<double> error_{};  ///< of U in the present field, relative to the field's range
};

}  // namespace isotherm
