#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "decomposition/field/staging/field_copy.hpp"
#include "decomposition/grid/subdomain.hpp"
#include "decomposition/ranks/mpi.hpp"
#include "decomposition/transport/transport_description.hpp"
#include "kernels/core/field.hpp"
#include "kernels/core/queue/queue.hpp"
#include "kernels/multigrid/value_range.hpp"
#include "kernels/sweep/sweep.hpp"
#include "solver/iteration/error_estimate.hpp"
#include "solver/problem/settings.hpp"
#include "solver/problem/values.hpp"

namespace isotherm {

/// The residual of the field at an iteration, before the sweep that measured it.
///
/// For a steady method it is the chosen norm of f + ∇²u over the unknown points; for a method that
/// advances time, that of u_t = D ∇²u + f. The norm l2 is the root mean square.
struct Residual {
  std::int64_t iteration = 0;  ///< iterations done when the field had this residual
  double time_s = 0.0;         ///< the field's time, if the method advances it
  double value = 0.0;
  /// The estimated error of that field relative to the range of its values (ErrorEstimate). None if
  /// it is not known yet, or the tolerance does not need it.
  std::optional<double> error{};
  double range = 0.0;  ///< the range of values that `error` is relative to; 0 if it is not known
};

/// The range of the field's values, to which errors are relative, and how far values have moved
/// since it was measured.
struct MeasuredRange {
  ValueRange values{};
  double moved = 0.0;           ///< bound on how far a value has moved since then
  double largest_change = 0.0;  ///< of a value, at the newest check
};

/// A claim that the tolerance was reached, which the ErrorCheck refuted.
struct Refutation {
  std::int64_t iteration = 0;  ///< of the field that the check refuted
  double factor = 1.0;         ///< ratio of the error that it found to the estimated one

  /// Returns the factor of the estimates of a field. They are not believed again before the number
  /// of iterations has doubled.
  [[nodiscard]] double factor_at(std::int64_t later) const {
    return later / 2 < iteration ? factor : 1.0;
  }
  bool operator==(Refutation const&) const = default;
};

/// All that an iteration needs, apart from the field, to continue exactly as if it had never
/// stopped. Checkpoints store it.
struct SolverState {
  std::int64_t iteration = 0;               ///< iterations done
  std::optional<double> first_residual{};   ///< the run's first residual that may end it
  std::optional<Residual> last_residual{};  ///< the newest residual that is known to the host
  /// The norm that residuals are relative to. It is not restored, but measured again.
  std::optional<double> reference{};
  double time_s = 0.0;                   ///< of the field; from it the settings' steps are laid out
  std::optional<TimeSegment> segment{};  ///< of the step that led there, for a method in time
  std::vector<ChangeSample> changes{};   ///< from which the error is estimated
  std::optional<MeasuredRange> range{};  ///< if it has been measured
  std::optional<Refutation> refuted{};   ///< the last claim that was refuted
  /// The error of the field of `iteration` that an ErrorCheck has found, relative to the range of
  /// its values. It is not restored.
  std::optional<double> found_error{};
  std::optional<StepState> steps{};  ///< of a method that divides its time steps
  /// The kind of the coarser levels if the iteration has decided it. It is not restored:
  /// keep_decisions() sets it in the settings from which the solver is made.
  HierarchyKind hierarchy = HierarchyKind::automatic;

  /// Returns the position from which lay_out_steps() continues.
  [[nodiscard]] TimePosition position() const { return {iteration, time_s, segment}; }
};

/// Sets in the settings of a resumed run what the run before has decided and the settings leave
/// open. The choice would otherwise depend on the memory that is free, and later bits on it.
void keep_decisions(MethodSettings& method, SolverState const& state);
/// Returns the largest residual that the settings' tolerances allow, as far as it is known; 0 if
/// they bound the error instead.
double allowed_residual(MethodSettings const& method, SolverState const& state);
/// Returns true if the newest residual, or the error estimated from it, is within the tolerances.
bool claims_convergence(MethodSettings const& method, SolverState const& state);

/// The value of a fixed region, by its number in Medium::fixed.
struct RegionValue {
  std::size_t region = 0;
  double value = 0.0;
};

/// A floating conductor (FixedRegion::floating_flux) as the stored field has it.
struct FloatingConductor {
  std::size_t region = 0;  ///< its number in Medium::fixed
  double value = 0.0;      ///< the value of its points
  double flux = 0.0;       ///< the total flow from it into the medium, measured from the field
  double given_flux = 0.0;
};

/// A view of a field of either precision; its values lie in device memory on CUDA.
using AnyFieldView = std::variant<FieldView<float const>, FieldView<double const>>;

/// Seconds spent since the start, measured with this rank's host clock.
struct SolverTimes {
  double compute_s = 0.0;    ///< enqueueing sweeps and waiting for them
  double halo_s = 0.0;       ///< in halo exchanges
  double reduction_s = 0.0;  ///< reducing residuals over the ranks
};

class Solver;

/// A function that finds the norm of the error of a solver's field by a method independent of the
/// changes that led to the field. It returns none if it cannot find the error. Collective.
/// @param enough  errors much smaller than this norm need no accuracy
using ErrorCheck = std::function<std::optional<double>(mpi::Communicator const& ranks,
                                                       Solver& solver, double enough)>;

/// A solver: owns the fields of one problem on all ranks and iterates them.
///
/// All members are collective: all ranks call the same members in the same order. make_solver()
/// makes one (solver/solver.hpp).
///
///     solver->advance_to(1000);                    // or until the tolerance is reached
///     if (solver->converged()) report(*solver->state().last_residual);
///     solver->read_field(values);                  // this rank's points, x fastest
class Solver {
 public:
  virtual ~Solver() = default;

  /// Iterates until iteration() == `iteration`, or until the tolerance is reached.
  ///
  /// Residuals are measured in the sweeps that follow the iterations 0, check_every, 2 check_every
  /// and so forth. They reach the host without stalling the device: the residual of a check is read
  /// at the next check, and only checks decide about the tolerance. A run therefore stops one check
  /// after the residual that reached the tolerance. This is the same iteration for every backend,
  /// decomposition, and sequence of calls. After `iterations` the last residual is read as well.
  /// @throws Error  on every rank: if a residual is not finite (names its iteration); if a boundary
  ///                value or the source is not finite at a later time (names it, the point and the
  ///                time); if `iteration` exceeds the settings' iterations
  virtual void advance_to(std::int64_t iteration) = 0;

  /// True if the run has reached the tolerance (MethodSettings): a check has stopped it because the
  /// previous residual was within the tolerance, or the last iteration is done and the last
  /// residual is.
  [[nodiscard]] virtual bool converged() const = 0;
  /// True if the residual stagnates above the tolerance, so no later iteration would help. Methods
  /// that do not detect stagnation return false.
  [[nodiscard]] virtual bool stalled() const { return false; }
  /// Returns the number of iterations done.
  [[nodiscard]] virtual std::int64_t iteration() const = 0;
  /// Returns the number of linear iterations within the iterations done: those of a nonlinear
  /// solver, each of whose iterations solves a linear problem. Otherwise 0.
  [[nodiscard]] virtual std::int64_t inner_iterations() const { return 0; }
  /// Returns the state of the iteration. Waits for the newest residual if the host does not know it
  /// yet. Collective.
  /// @throws Error  as advance_to()
  [[nodiscard]] virtual SolverState state() = 0;
  /// Returns the field's time according to the settings' steps; 0 for a method that does not
  /// advance time.
  [[nodiscard]] virtual double time_s() const = 0;
  /// Returns the residuals measured since the last call, oldest first. Waits for the newest one if
  /// the host does not know it yet. Collective. @throws Error  as advance_to() does
  virtual std::vector<Residual> take_residuals() = 0;

  /// Returns a view of this rank's values without copying them. Enqueued work may still change
  /// them: call wait() first. The memory is valid as long as the solver. The next non-const call
  /// may move the field elsewhere, or overwrite the memory.
  [[nodiscard]] virtual AnyFieldView field_view() const = 0;
  /// Copies this rank's owned values to host memory; waits.
  /// @param values  subdomain().owned().point_count() numbers of the problem's precision
  /// @throws Error  if the number or the type of `values` does not fit. All functions that receive
  ///                values throw likewise.
  virtual void read_field(Values values) = 0;
  /// Begins such a copy without waiting, so the solver can continue. copy.move_to_host(), on any
  /// thread, returns when the values have arrived.
  virtual void take_field(FieldCopy& copy, Values values) = 0;
  /// Replaces the owned values and the state, to resume a run. Dirichlet points keep the given
  /// values, which a checkpoint contains. The settings' steps must have been laid out from that
  /// state (lay_out_steps), and its decisions kept (keep_decisions).
  /// @throws Error  if the state's iteration is negative or exceeds the settings' iterations
  virtual void restore(ConstValues values, SolverState const& state) = 0;
  /// Replaces the owned values and starts at iteration 0. Dirichlet points then assume their
  /// boundary values.
  virtual void set_initial(ConstValues values) = 0;
  /// Gives fixed regions other constant values, and sets them in the field. The iteration continues
  /// from the present field; its history is forgotten except for the first residual. Collective.
  virtual void set_region_values(std::vector<RegionValue> const& values) = 0;
  /// Measures the floating conductors of the problem, in the order of the regions. Collective.
  [[nodiscard]] virtual std::vector<FloatingConductor> floating_conductors() { return {}; }
  /// Sets how a claim that the error is within the tolerance is checked before the solver stops. If
  /// the check finds a larger error, the solver continues. make_solver() sets a check by multigrid
  /// for the methods that need one (solver/steady_error.hpp); an empty function removes it. Methods
  /// that need no check ignore the call.
  virtual void check_claims_by(ErrorCheck const& /*check*/) {}

  /// Sets a function that is called between the parts of a divided step (AdaptiveSteps), with the
  /// time of the field. It may read the field. Methods that do not divide steps ignore the call.
  virtual void observe_parts(std::function<void(double time_s)> const& /*observer*/) {}

  /// Evaluates the source f at this rank's owned points, in the layout of read_field().
  virtual void read_source(Values values) = 0;

  /// Returns a sentence about changes that the solver made to the problem to make it solvable, or
  /// about its tolerance; empty if there are none.
  [[nodiscard]] virtual std::string remark() const { return {}; }
  /// Returns a sentence for the log about what has changed in the method since the last call; empty
  /// if nothing has.
  [[nodiscard]] virtual std::string take_event() { return {}; }

  /// Waits until the device has completed all work.
  virtual void wait() = 0;

  /// This rank's part of the grid.
  [[nodiscard]] virtual Subdomain const& subdomain() const = 0;
  /// The kernel variant of its passes; a cycle's name for multigrid.
  [[nodiscard]] virtual SweepPlan const& plan() const = 0;
  /// Describes the transport that sends its halos.
  [[nodiscard]] virtual TransportDescription transport_description() const = 0;
  /// Seconds spent on this rank since construction.
  [[nodiscard]] virtual SolverTimes times() const = 0;
  /// The queue on which it enqueues its work.
  [[nodiscard]] virtual Queue& queue() = 0;
};

}  // namespace isotherm
