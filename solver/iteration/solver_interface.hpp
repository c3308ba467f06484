#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "decomposition/field/field_copy.hpp"
#include "decomposition/grid/subdomain.hpp"
#include "kernels/core/field.hpp"
#include "kernels/core/queue.hpp"
#include "kernels/multigrid/value_range.hpp"
#include "kernels/sweep/sweep.hpp"
#include "solver/iteration/error_estimate.hpp"
#include "solver/problem/settings.hpp"
#include "solver/problem/values.hpp"

namespace isotherm {

/// The residual that belongs to an iteration.
///
/// Of a steady method: the named norm of f + ∇·∇u over the unknown points; of one that advances
/// time: of u_t = D ∇·∇u + f. l2 is the root of the mean square. It belongs to the field before the
/// sweep that measured it.
struct Residual {
  std::int64_t iteration = 0;  ///< iterations done when the field had this residual
  double time_s = 0.0;         ///< the field's time, where the method advances it
  double value = 0.0;
  /// The estimated error of that field, relative to the range of its values (ErrorEstimate); none
  /// where it cannot be told yet, or the tolerance does not ask for it.
  std::optional<double> error{};
  double range = 0.0;  ///< the range of values that `error` is relative to; 0 if it is not known
};

/// The range of the field's values, to which errors are relative, and the changes since it was
/// measured.
struct MeasuredRange {
  ValueRange values{};
  double moved = 0.0;           ///< how far a value may have moved since then
  double largest_change = 0.0;  ///< of a value, at the newest check
};

/// What, beside the field, an iteration needs to go on exactly as if it had never stopped.
struct SolverState {
  std::int64_t iteration = 0;
  std::optional<double> first_residual{};
  std::optional<Residual> last_residual{};  ///< the newest residual that is known to the host
  std::optional<double> reference{};        ///< what residuals are relative to; not restored, but
                                            ///< measured anew
  double time_s = 0.0;                   ///< of the field; from it the settings' steps are laid out
  std::optional<TimeSegment> segment{};  ///< of the step that led there, for a method in time
  std::vector<ChangeSample> changes{};   ///< from which the error is estimated
  std::optional<MeasuredRange> range{};  ///< if it has been measured

  [[nodiscard]] TimePosition position() const { return {iteration, time_s, segment}; }
};

/// The largest residual that the settings' tolerances allow, as far as it is known; 0 if they bound
/// the error instead.
double allowed_residual(MethodSettings const& method, SolverState const& state);
/// Whether the newest residual, or the error that is estimated from it, is within the tolerances.
bool claims_convergence(MethodSettings const& method, SolverState const& state);

/// Where a field's values lie: in device memory on CUDA.
using AnyFieldView = std::variant<FieldView<float const>, FieldView<double const>>;

/// Seconds spent since the start, by this rank's host clock.
struct SolverTimes {
  double compute_s = 0.0;    ///< enqueueing and waiting for sweeps
  double halo_s = 0.0;       ///< in halo exchanges
  double reduction_s = 0.0;  ///< reducing residuals over the ranks
};

/// What cycles spend on one of their grids, or, outside them, on the field.
struct LevelTime {
  Extent3 points{};  ///< of the whole grid
  double seconds = 0.0;
};

/// Owns the fields of one problem on all ranks and iterates them. Collective: all ranks call the
/// same members in the same order.
class Solver {
 public:
  virtual ~Solver() = default;

  /// Iterates until iteration() == `iteration`, or until the tolerance is reached.
  ///
  /// Residuals are measured in the sweeps that follow iterations 0, check_every, 2 check_every … .
  /// They reach the host without making the device wait: the residual of one check is read at the
  /// next check, and the tolerance is decided at checks only. So a run stops one check after the
  /// residual that reached the tolerance, on every backend and rank count alike, wherever the
  /// caller stops in between. Once `iterations` are done the last residual is read as well.
  /// @throws Error  on every rank, where a residual is not finite: names its iteration; where a
  ///                boundary value or the source is not at a later time: names it, the point and
  ///                the time; or where `iteration` lies beyond the settings' iterations
  virtual void advance_to(std::int64_t iteration) = 0;

  /// As advance_to(), and measures what cycles spend on the field, which comes first, and on each
  /// level of its corrections, the finest first: on this rank, by its queue's events. Empty for
  /// methods that do not cycle. Measuring takes some time too.
  virtual std::vector<LevelTime> time_levels(std::int64_t iteration) {
    advance_to(iteration);
    return {};
  }

  /// True once a check has stopped the run because the residual before it was within the tolerance
  /// (MethodSettings); at the last iteration of the run, if the last residual was.
  [[nodiscard]] virtual bool converged() const = 0;
  /// True where the residual no longer falls, though the tolerance asks for it: no later iteration
  /// would help. Methods that do not look for it say false.
  [[nodiscard]] virtual bool stalled() const { return false; }
  /// Iterations done.
  [[nodiscard]] virtual std::int64_t iteration() const = 0;
  /// Waits for the newest residual, if the host does not know it yet. Collective.
  /// @throws Error  as advance_to()
  [[nodiscard]] virtual SolverState state() = 0;
  /// The field's time by the settings' steps, of a method that advances time, else 0.
  [[nodiscard]] virtual double time_s() const = 0;
  /// Residuals measured since the last call of this function, oldest first; waits for the newest,
  /// if the host does not know it yet. Collective. @throws Error  as advance_to()
  virtual std::vector<Residual> take_residuals() = 0;

  /// This rank's values where they lie, for who comes without a copy; all that is enqueued may
  /// still change them (wait()). The memory stays as long as the solver, but the next call that is
  /// not const may put the field elsewhere, or something else there.
  [[nodiscard]] virtual AnyFieldView field_view() const = 0;
  /// Copies this rank's owned values to host memory; waits.
  /// @param values  subdomain().owned().point_count() numbers of the problem's precision
  /// @throws Error  where their number or their type is another (so all functions that take values)
  virtual void read_field(Values values) = 0;
  /// Begins such a copy, and does not wait: the solver may go on, and copy.drain(), on any thread,
  /// returns when the values are there.
  virtual void take_field(FieldCopy& copy, Values values) = 0;
  /// Replaces the owned values and the state: a resumed run. Dirichlet points keep what `values`
  /// holds (a checkpoint holds their boundary values).
  /// The settings' steps are those that were laid out from the state on (lay_out_steps).
  /// @throws Error  where the state's iteration is negative, or beyond the settings' iterations
  virtual void restore(ConstValues values, SolverState const& state) = 0;
  /// Replaces the owned values by given ones, at iteration 0; Dirichlet points then take their
  /// boundary value.
  virtual void set_initial(ConstValues values) = 0;
  /// The source f at this rank's owned points, as read_field().
  virtual void read_source(Values values) = 0;

  /// What the solver has changed about the problem so that it can be solved, in a sentence; empty
  /// where nothing.
  [[nodiscard]] virtual std::string remark() const { return {}; }

  /// Waits until the device has ended all work.
  virtual void wait() = 0;

  [[nodiscard]] virtual Subdomain const& subdomain() const = 0;
  [[nodiscard]] virtual SweepPlan const& plan() const = 0;
  [[nodiscard]] virtual std::string transport_name() const = 0;
  [[nodiscard]] virtual SolverTimes times() const = 0;
  [[nodiscard]] virtual Queue& queue() = 0;
};

}  // namespace isotherm
