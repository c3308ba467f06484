#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "decomposition/transport/transport.hpp"
#include "kernels/core/box.hpp"
#include "kernels/core/error.hpp"
#include "kernels/core/queue.hpp"
#include "kernels/sweep/plan_table.hpp"
#include "solver/problem/problem.hpp"
#include "solver/problem/time_steps.hpp"

namespace isotherm {

/// The largest number of iterations, and of iterations between two events. Up to here float64, in
/// which times are computed, represents every whole number, and sums of a few such numbers fit in
/// 63 bits.
constexpr std::int64_t most_iterations = std::int64_t{1} << 52;

/// What a tolerance bounds, and what it is relative to.
enum class RelativeTo {
  field,  ///< the estimated error of the field, relative to the range of its values
  rhs,   ///< the residual, relative to that of a field that is constant but for its boundary values
  first  ///< the residual, relative to the first residual of the run
};

/// In which order a multigrid cycle visits the levels below one: once (V), twice (W), or twice of
/// which the second time in a V (F).
enum class Cycle { v, f, w };
/// With which weights multigrid smooths: those of a Chebyshev polynomial, or of damped Jacobi.
enum class Smoother { chebyshev, jacobi };

/// How multigrid cycles. The defaults are the fastest that was measured (docs/solvers.md).
struct MultigridSettings {
  Cycle cycle = Cycle::v;
  Smoother smoother = Smoother::chebyshev;
  int pre = 4;   ///< smoothing sweeps before the correction by coarser levels, 1 to most_sweeps
  int post = 4;  ///< and after it
  /// Of corrections; none: what the grid asks for (solver/multigrid/cycle_types.hpp). Those of a
  /// float32 field are float32.
  std::optional<Precision> precision{};
  /// Grids are coarsened until no axis has more points, 3 to most_coarsest(); none:
  /// usual_coarsest() (solver/multigrid/coarsening.hpp).
  std::optional<int> coarsest{};
  static constexpr int most_sweeps = 8;

  bool operator==(MultigridSettings const&) const = default;
};

/// The method, its step and when it stops.
struct MethodSettings {
  std::string name = "jacobi";  ///< of methods()
  std::int64_t iterations =
      0;  ///< the largest number of iterations or time steps; up to most_iterations
  double time_step_s = 0.0;  ///< Δt of a method that advances time: steps that have to end at some
                             ///< time are shortened, never longer
  double longest_step_s = std::numeric_limits<double>::infinity();  ///< see TimesWanted
  std::vector<double> times_s{};       ///< at which a step has to end, rising, beside end_time_s
  std::optional<double> end_time_s{};  ///< the run ends there, by as many `iterations` as it takes
  TimeSteps time_steps{};  ///< laid out by lay_out_steps(); empty: all are of time_step_s
  double tolerance = 0.0;  ///< stop when the error, or the residual, is at most this share of what
                           ///< it is relative to; 0: never
  RelativeTo relative_to = RelativeTo::field;
  double absolute_tolerance = 0.0;  ///< stop when residual <= this, too; in the residual's unit
  Norm norm = Norm::l2;
  std::int64_t check_every =
      100;                        ///< iterations between residuals, up to most_iterations; 0: never
  MultigridSettings multigrid{};  ///< of the methods that cycle
  double step_tolerance = 1e-6;   ///< of an implicit step: to what share of its first residual the
                                  ///< system of each is solved
};

/// Lays out the steps that the settings ask for, from `from` on, and counts them where they say
/// when to end. @throws SettingError  where there are too many to be counted
void lay_out_steps(MethodSettings& method, TimePosition const& from = {});
/// The lengths of the shortest and of the longest step that is laid out for the run.
std::pair<double, double> step_lengths(MethodSettings const& method);
/// The settings' steps, also where none were laid out.
TimeSteps time_steps_of(MethodSettings const& method);

/// Names the setting that is at fault, as case files call it.
class SettingError : public InputError {
 public:
  /// @param fault  what follows the key: "is 2 (needs a number between 0 and 1)"
  SettingError(std::string key, std::string fault)
      : InputError(key + ' ' + fault), key_(std::move(key)), fault_(std::move(fault)) {}
  [[nodiscard]] std::string const& key() const { return key_; }
  [[nodiscard]] std::string const& fault() const { return fault_; }

 private:
  std::string key_;
  std::string fault_;
};

/// Checks what can be told of the settings without the problem. @throws SettingError
void check_settings(MethodSettings const& method);

/// On which device, on how many ranks and with which plan to compute. Nothing here changes the
/// result.
struct Execution {
  Backend backend = Backend::cpu;
  int device = 0;
  Extent3 parts{1, 1, 1};
  TransportKind transport = TransportKind::automatic;
  std::string plan = "auto";  ///< a name of sweep_plans_for(), or "auto"
  PlanTable plan_table{};     ///< where "auto" looks before the built-in table
};

}  // namespace isotherm
