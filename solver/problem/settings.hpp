#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "decomposition/transport/transport.hpp"
#include "kernels/core/box.hpp"
#include "kernels/core/error.hpp"
#include "kernels/core/queue/queue.hpp"
#include "kernels/sweep/plan_table.hpp"
#include "solver/problem/problem.hpp"
#include "solver/problem/time_steps.hpp"

namespace isotherm {

/// The maximum number of iterations, and of iterations between two events. Up to this number
/// float64, in which times are computed, represents every integer, and sums of a few such numbers
/// fit in 63 bits.
constexpr std::int64_t max_iterations = std::int64_t{1} << 52;

/// The quantity that a tolerance bounds, and its reference.
enum class RelativeTo {
  field,  ///< the estimated error of the field, relative to the range of its values
  rhs,   ///< the residual, relative to that of a field that is constant but for its boundary values
  first  ///< the residual, relative to the first residual of the run
};

/// The shape of a multigrid cycle: how often it visits the levels below a level. V: once. W: twice.
/// F: twice, the second time as a V.
enum class Cycle { v, f, w };
/// The weights of smoothing sweeps: those of a Chebyshev polynomial, or of damped Jacobi.
enum class Smoother { chebyshev, jacobi };
/// The coarser levels of cycles in a heterogeneous medium.
enum class HierarchyKind {
  automatic,  ///< grids; if they converge slowly, aggregates
  grids,      ///< every second point of each axis
  aggregates  ///< strongly linked points (solver/multigrid/aggregates/)
};

/// Returns its name in case files.
std::string name(HierarchyKind kind);

/// The parameters of multigrid cycles. The defaults are the fastest that were measured
/// (docs/explanation/solvers.md).
struct MultigridSettings {
  Cycle cycle = Cycle::v;
  Smoother smoother = Smoother::chebyshev;
  int pre = 4;   ///< smoothing sweeps before the coarse-grid correction, 1 to max_sweeps
  int post = 4;  ///< smoothing sweeps after it
  /// Precision of corrections; none: as the grid requires (solver/multigrid/cycle_types.hpp). A
  /// float32 field always has float32 corrections.
  std::optional<Precision> precision{};
  /// Maximum number of points on an axis of the coarsest grid, 3 to max_coarsest(); none:
  /// usual_coarsest() (solver/multigrid/levels/coarsening.hpp).
  std::optional<int> coarsest{};
  HierarchyKind hierarchy = HierarchyKind::automatic;  ///< heterogeneous media only
  /// Maximum number of sweeps on each side.
  static constexpr int max_sweeps = 8;

  bool operator==(MultigridSettings const&) const = default;
};

/// The method, its step length, and its stopping criteria.
struct MethodSettings {
  std::string name = "jacobi";  ///< a name of methods()
  std::int64_t iterations =
      0;  ///< the maximum number of iterations or time steps; up to max_iterations
  /// Δt of a method that advances time. Steps that have to end at a given time are shortened, never
  /// lengthened.
  double time_step_s = 0.0;
  double start_time_s = 0.0;  ///< the time of the initial field
  /// Other step lengths of parts of the run, see TimesWanted::parts. Δt is the longest of them.
  std::vector<StepsUntil> step_parts{};
  double longest_step_s = std::numeric_limits<double>::infinity();  ///< see TimesWanted
  /// Implicit steps: how the solver divides the steps above, which are then the longest ones.
  AdaptiveSteps adaptive{};
  /// Output times: a step ends at each of them; ascending.
  std::vector<double> times_s{};
  /// The run ends at this time, after as many `iterations` as needed.
  std::optional<double> end_time_s{};
  TimeSteps time_steps{};  ///< laid out by lay_out_steps(); empty: all are of time_step_s
  /// The run stops when the error, or the residual, is at most this fraction of its reference; 0:
  /// never.
  double tolerance = 0.0;
  RelativeTo relative_to = RelativeTo::field;
  double absolute_tolerance = 0.0;  ///< also stop when residual <= this, in the residual's unit
  Norm norm = Norm::l2;
  std::int64_t check_every = 100;  ///< iterations between residuals, up to max_iterations; 0: never
  MultigridSettings multigrid{};   ///< of the methods that cycle
  /// Implicit steps: relative reduction of the residual in the linear system of each step.
  double step_tolerance = 1e-6;
  /// Implicit steps: each system is solved directly, not by multigrid cycles.
  bool direct_steps = false;
};

/// Lays out the time steps that the settings ask for, beginning at `from`, or at the start of the
/// run. If the settings give an end time, `iterations` becomes the number of steps to it.
/// @throws SettingError  if there are more steps than can be counted
void lay_out_steps(MethodSettings& method, TimePosition const& from);
void lay_out_steps(MethodSettings& method);
/// Returns true if a tolerance, relative or absolute, can end the run.
bool has_tolerance(MethodSettings const& method);
/// Returns the lengths of the shortest and the longest step of the run.
std::pair<double, double> step_lengths(MethodSettings const& method);
/// Returns the settings' steps, also if none were laid out.
TimeSteps time_steps_of(MethodSettings const& method);

/// An error in a setting, which it names by its key in case files.
class SettingError : public InputError {
 public:
  /// @param fault  the text after the key: "is 2 (needs a number between 0 and 1)"
  SettingError(std::string key, std::string fault)
      : InputError(key + ' ' + fault), key_(std::move(key)), fault_(std::move(fault)) {}
  [[nodiscard]] std::string const& key() const { return key_; }
  [[nodiscard]] std::string const& fault() const { return fault_; }

 private:
  std::string key_;
  std::string fault_;
};

/// Checks the settings as far as possible without the problem. @throws SettingError
void check_settings(MethodSettings const& method);

/// The device, the decomposition and the kernel variants of a run. None of them changes the result.
struct Execution {
  Backend backend = Backend::cpu;
  int device = 0;
  Extent3 parts{1, 1, 1};
  TransportKind transport = TransportKind::automatic;
  std::string plan = "auto";  ///< a name of sweep_plans_for(), or "auto"
  /// Measured kernel variants, which "auto" prefers to the built-in table.
  PlanTable plan_table{};
  /// Host memory of this rank that is free beyond the need of the run. Aggregates replace grids
  /// only if they fit in it (HierarchyKind::automatic).
  std::size_t spare_bytes = std::numeric_limits<std::size_t>::max();
  /// The same of this rank's share of its GPU; not used on the CPU.
  std::size_t spare_device_bytes = std::numeric_limits<std::size_t>::max();
};

}  // namespace isotherm
