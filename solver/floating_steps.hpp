#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "solver/capacitance_matrix.hpp"
#include "solver/discretise/flux/heat_flow_meter.hpp"
#include "solver/floating_regions.hpp"
#include "solver/forwarding_solver.hpp"
#include "solver/iteration/solver_plan.hpp"
#include "solver/problem/time_steps.hpp"

namespace isotherm {

/// Takes implicit time steps of a problem with floating conductors: regions that conduct perfectly,
/// so each has one unknown value U_i. A given power Q_i heats conductor and medium:
///
///   M_i dU_i/dt = Q_i − F_i(u, U),   M_i = Σ c V over the points of conductor i
///
/// F is the flux from the conductor into the medium. Backward Euler makes this a linear system for
/// the new field u and the new values U. Another solver takes each step with the old values. The
/// field then lacks Σ δ_i w_i, where w_i is the field of a step from 0 in which conductor i alone
/// has the value 1 (superposition), and
///
///   Σ_j (C_ij + δ_ij M_i / Δt) δ_j = Q_i − F_i,   C_ij = F_i(w_j)
///
/// All w are computed once for each length of a step. The field contains U, so a run resumes from
/// its values alone. All members are collective.
class FloatingSteps final : public ForwardingSolver {
 public:
  /// Makes the solver; conductors begin with the mean of the initial field in them. Its arguments
  /// are those of make_solver(). @throws InputError  as make_solver() and FloatingRegions do
  FloatingSteps(mpi::Communicator const& ranks, Problem problem, MethodSettings method,
                SolverPlan const& plan);

  void advance_to(std::int64_t iteration) override;
  [[nodiscard]] bool converged() const override { return solver_->converged(); }
  [[nodiscard]] bool stalled() const override { return solver_->stalled(); }
  [[nodiscard]] SolverState state() override { return solver_->state(); }
  [[nodiscard]] double time_s() const override { return solver_->time_s(); }
  /// The conductors assume the values that the field has in their regions.
  void restore(ConstValues values, SolverState const& state) override;
  void set_initial(ConstValues values) override;
  void set_region_values(std::vector<RegionValue> const& values) override {
    solver_->set_region_values(values);
  }
  [[nodiscard]] std::vector<FloatingConductor> floating_conductors() override;

 private:
  /// The fields w of steps of one length.
  struct Responses {
    double step_s;
    std::vector<std::vector<double>> fields;  ///< of each conductor: this rank's points
    CapacitanceMatrix matrix;                 ///< C + M / Δt
  };

  /// Returns the initial field of the problem, at this rank's points.
  [[nodiscard]] std::vector<double> initial_field();
  /// Finds M and the means of a field, which conductors assume.
  void begin_with_means(ConstValues field);
  /// Returns w and C for steps of this length.
  [[nodiscard]] Responses respond(double step_s);
  /// Corrects the field and the values after a step of this length.
  void correct(double step_s);
  /// Adds Σ δ w to the present field.
  void add_responses(std::vector<double> const& changes);
  /// Removes residuals of the present iteration, which is measured again.
  [[nodiscard]] HeatFlows measure();

  mpi::Communicator ranks_;
  Problem problem_;
  MethodSettings method_;
  Execution where_;  ///< of the steps for w
  TimeSteps steps_;
  FloatingRegions regions_;
  std::vector<double> capacities_{};  ///< M
  std::vector<double> values_;        ///< U, in the order of the regions
  std::optional<Responses> responses_{};
  std::function<HeatFlows()> meter_{};  ///< none before its first use
};

/// Refuses methods that FloatingSteps cannot correct. @throws InputError
void check_floating_steps(Problem const& problem, MethodSettings const& method);

/// Returns an upper bound on the bytes of the auxiliary steps in the memory of the rank's queue,
/// see solver_bytes().
std::size_t floating_steps_bytes(Problem const& problem, MethodSettings const& method,
                                 SolverPlan const& plan);

}  // namespace isotherm
