#pragma once

#include <cstdint>
#include <string>

#include "decomposition/transport/transport.hpp"
#include "kernels/core/box.hpp"
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
  enum class Name { jacobi, ftcs };
  Name name = Name::jacobi;
  std::int64_t iterations =
      0;  ///< the largest number of iterations or time steps; up to most_iterations
  double time_step_s = 0.0;  ///< FTCS: Δt
  double tolerance = 0.0;    ///< stop when residual <= tolerance · first residual; 0: never
  Norm norm = Norm::l2;
  std::int64_t check_every =
      100;  ///< iterations between residuals, up to most_iterations; 0: never
};

/// On which device, on how many ranks and with which plan to compute. Nothing here changes the
/// result.
struct Execution {
  Backend backend = Backend::cpu;
  int device = 0;
  Extent3 parts{1, 1, 1};
  TransportKind transport = TransportKind::automatic;
  std::string plan = "auto";  ///< a name of solver_plans(), or "auto"
  PlanTable plan_table{};     ///< where "auto" looks before the built-in table
};

}  // namespace isotherm
