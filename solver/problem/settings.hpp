#pragma once

#include <cstdint>
#include <string>

#include "decomposition/transport/transport.hpp"
#include "kernels/core/box.hpp"
#include "kernels/core/queue.hpp"
#include "kernels/sweep/plan_table.hpp"
#include "solver/problem/problem.hpp"

namespace isotherm {

/// What iterations, and the intervals between them, may come to: float64, in which times are
/// computed from them, counts so far without gaps; and sums of a few of them fit in 63 bits.
constexpr std::int64_t most_iterations = std::int64_t{1} << 52;

/// How a problem is iterated.
struct MethodSettings {
  enum class Name { jacobi, ftcs };
  Name name = Name::jacobi;
  std::int64_t iterations =
      0;                     ///< at most this many iterations or time steps; up to most_iterations
  double time_step_s = 0.0;  ///< FTCS: Δt
  double tolerance = 0.0;    ///< stop when residual <= tolerance · first residual; 0: never
  Norm norm = Norm::l2;
  std::int64_t check_every =
      100;  ///< iterations between residuals, up to most_iterations; 0: never
};

/// Where and how the sweeps run; never changes the result.
struct Execution {
  Backend backend = Backend::cpu;
  int device = 0;
  Extent3 parts{1, 1, 1};
  TransportKind transport = TransportKind::automatic;
  std::string plan = "auto";  ///< a name of solver_plans(), or "auto"
  PlanTable plan_table{};     ///< what "auto" goes by, before the built-in table
};

}  // namespace isotherm
