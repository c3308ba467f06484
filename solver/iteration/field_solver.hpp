#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "kernels/multigrid/value_range.hpp"
#include "solver/discretise/boundary.hpp"
#include "solver/iteration/residual_monitor.hpp"
#include "solver/iteration/solver_interface.hpp"
#include "solver/iteration/solver_request.hpp"
#include "solver/level/evaluation_fault.hpp"
#include "solver/level/source.hpp"
#include "solver/level/unknowns/fixed_points.hpp"

namespace isotherm {

/// The common base of all solvers: the problem's boundary values, fixed points and source on this
/// rank's part of the grid, the residual monitor, and the position of the run.
///
/// A derived class owns the field and the operator. Its constructor calls, in this order:
///
///     make_source();                       // after the operator, whose faults are reported first
///     set_first_boundary();
///     measure_reference(evaluated_in, [&] { … });   // if residuals need one
///     set_initial_state();
///
/// Neither copyable nor movable.
template <class Real>
class FieldSolver : public Solver {
 public:
  FieldSolver(FieldSolver const&) = delete;
  FieldSolver& operator=(FieldSolver const&) = delete;

  [[nodiscard]] bool converged() const override { return monitor_.stopped(); }
  [[nodiscard]] bool stalled() const override { return stalled_ && !converged(); }
  [[nodiscard]] std::int64_t iteration() const override { return iteration_; }
  [[nodiscard]] SolverState state() override;
  [[nodiscard]] double time_s() const override { return steps_.time_of(iteration_); }
  std::vector<Residual> take_residuals() override;

  [[nodiscard]] AnyFieldView field_view() const override { return field().view(); }
  void read_field(Values values) override { field().read(span_of<Real>(values)); }
  void take_field(FieldCopy& copy, Values values) override {
    field().take(copy, span_of<Real>(values));
  }
  void restore(ConstValues values, SolverState const& state) override;
  void set_initial(ConstValues values) override;
  void check_claims_by(ErrorCheck const& check) override;
  void observe_parts(std::function<void(double time_s)> const& observer) override {
    observer_ = observer;
  }
  void read_source(Values values) override;
  void wait() override;

  [[nodiscard]] Subdomain const& subdomain() const override { return space_.subdomain(); }
  [[nodiscard]] SweepPlan const& plan() const override { return plan_.passes.full(); }
  [[nodiscard]] std::string remark() const override { return remark_; }
  [[nodiscard]] TransportDescription transport_description() const override {
    return space_.halo().transport_description();
  }
  void set_region_values(std::vector<RegionValue> const& values) override;
  /// Computation is the time in calls of the solver that neither halos nor reductions need.
  [[nodiscard]] SolverTimes times() const override;
  [[nodiscard]] Queue& queue() override { return queue_; }

 protected:
  /// Makes everything but the field. Collective.
  /// @param changes  from which the error is estimated
  FieldSolver(SolverRequest const& request, ResidualMonitor::Changes changes);

  /// The field that holds the present values.
  [[nodiscard]] virtual DistributedField<Real>& field() = 0;
  [[nodiscard]] virtual DistributedField<Real> const& field() const = 0;
  /// The conductances that show which points take part in the heat flow; none with constant
  /// coefficients.
  [[nodiscard]] virtual Links<Real> links() const { return {}; }
  /// Host time spent in halo exchanges, in seconds.
  [[nodiscard]] virtual double halo_seconds() const { return space_.halo().seconds(); }
  /// Resumes from a state; {} is the start of a run. @pre  The field has its values already.
  virtual void resume(SolverState const& state);

  /// Evaluates the source if the problem has one. Collective.
  /// @throws ValueRefusal  on every rank, if a value is not finite, like the next two
  void make_source();
  /// Sets the boundary values of a field that is zero otherwise. Collective.
  void set_first_boundary();
  /// Sets the initial values, and those of fixed points. Collective.
  void set_initial_state();
  /// Measures the reference residual ‖b − A c‖ of the field that is constant but for its boundary
  /// values. The constant c is one of the given values. Adding a constant to all given values
  /// therefore leaves the reference unchanged. Collective.
  /// @param evaluated_in  the precision in which residuals are evaluated; none if those of a
  ///                      constant field are exactly 0
  /// @param measure  measures the residual of the field by the monitor
  /// @param given    the problem with the given values, if problem_ lacks some
  /// @returns  the constant
  template <class Measure>
  double measure_reference(std::optional<Precision> evaluated_in, Measure const& measure,
                           Problem const* given = nullptr) {
    double const level = set_constant(given != nullptr ? *given : problem_);
    measure();
    monitor_.take_as_reference(evaluated_in ? rounding_of_sweep(problem_, *evaluated_in, level)
                                            : 0.0);
    return level;
  }

  /// Enqueues setting the values of Dirichlet faces and fixed points.
  void set_boundary(double time_s);
  /// Enqueues setting those values if any depend on time. fetch() reports values that are not
  /// finite, like those of set_source_time().
  void set_varying_boundary(double time_s);
  /// Enqueues setting the source at another time if it depends on time.
  void set_source_time(double time_s);
  /// Sets the source for time steps of another length. Collective.
  void set_scheme(Scheme const& scheme);
  [[nodiscard]] FieldView<Real const> source() const {
    return source_ ? source_->field().view() : FieldView<Real const>{};
  }

  /// Checks the values that were set while time advanced. Collective. @throws Error  see fetch()
  void check_varying();
  /// Waits for the measured residuals. A boundary value or a source that was not finite is reported
  /// first, since it is the cause of a residual that is not. Collective.
  /// @throws Error  on every rank
  void fetch();
  /// Ends the run if a claim about the field is confirmed: that it is within the tolerance, or that
  /// iterations change nothing but rounding. After a refuted claim the run continues, unless no
  /// later iteration changes the field. Collective.
  /// @param claims    the field is within the tolerance, by the residuals that were fetched
  /// @param at_floor  at the rounding floor the check decides if there is no estimate of the error
  void judge(bool claims, bool is_rounding, bool at_floor = false) {
    bool const confirmed = monitor_.confirms(iteration_) ||
                           (is_rounding && monitor_.confirms(iteration_, true, at_floor));
    if (confirmed) monitor_.stop();
    stalled_ = !confirmed && (is_rounding || (claims && monitor_.is_exact()));
  }
  /// Checks a field whose earlier claim was refuted once more, at the end of the run. Collective.
  void judge_last_field() {
    if (!monitor_.stopped() && monitor_.confirms(iteration_, true)) monitor_.stop();
  }
  /// Checks that a target is within the run. @throws Error  if it exceeds the settings' iterations
  void check_target(std::int64_t target) const;
  /// Returns true if a time step is long enough for its change to be more than rounding, compared
  /// with the longest step of the run. The change is rounded to the field's precision, however
  /// short the step is.
  [[nodiscard]] bool change_exceeds_rounding(double step_s) const {
    constexpr double smallest_part = precision_of<Real> == Precision::float32 ? 0.5 : 1e-3;
    return step_s >= smallest_part * longest_step_s_;
  }

  mpi::Communicator ranks_;
  Problem problem_;
  MethodSettings method_;
  SolverPlan plan_;
  TimeSteps steps_;
  double longest_step_s_;  ///< of the run; 0 without time
  bool varies_in_time_;    ///< a boundary value or the source does
  Queue queue_;
  FieldSpace<Real> space_;
  DirichletFaces<Real> dirichlet_;
  FixedPoints<Real> fixed_points_;             ///< fixed points inside
  std::optional<SourceField<Real>> source_{};  ///< only if there is a source or flux
  RangeMeter range_meter_;
  ResidualMonitor monitor_;
  std::string remark_{};                    ///< see remark()
  std::function<void(double)> observer_{};  ///< see observe_parts()
  bool stalled_ = false;                    ///< the residual stagnates
  std::int64_t iteration_ = 0;              ///< iterations done
  double advancing_s_ = 0.0;  ///< in calls of the solver, halos and reductions included
  double reduction_s_ = 0.0;  ///< in reductions of the solver itself

 private:
  /// Makes the field constant but for its boundary values, and returns the constant, one of the
  /// given values of a problem. Collective.
  double set_constant(Problem const& given);
  /// Notes a value that was not finite in the last evaluation of the source.
  void note_source();

  double source_time_s_ = problem_.start_time_s;
  EvaluationFault fault_{};  ///< the first value that was not finite
};

}  // namespace isotherm
