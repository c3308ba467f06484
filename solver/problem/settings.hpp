#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "decomposition/transport/transport.hpp"
#include "kernels/core/box.hpp"
#include "kernels/core/error.hpp"
#include "kernels/core/queue.hpp"
#include "kernels/sweep/plan_table.hpp"
#include "solver/problem/problem.hpp"

namespace isotherm {

/// The largest number of iterations, and of iterations between two events. Up to here float64, in
/// which times are computed, represents every whole number, and sums of a few such numbers fit in
/// 63 bits.
constexpr std::int64_t most_iterations = std::int64_t{1} << 52;

/// The method, its step and when it stops.
struct MethodSettings {
  std::string name = "jacobi";  ///< of methods()
  std::int64_t iterations =
      0;  ///< the largest number of iterations or time steps; up to most_iterations
  double time_step_s = 0.0;  ///< Δt of a method that advances time
  double tolerance = 0.0;    ///< stop when residual <= tolerance · first residual; 0: never
  Norm norm = Norm::l2;
  std::int64_t check_every =
      100;  ///< iterations between residuals, up to most_iterations; 0: never
};

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
