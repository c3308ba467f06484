#pragma once

#include "decomposition/ranks/mpi.hpp"
#include "solver/iteration/solver_plan.hpp"
#include "solver/problem/problem.hpp"
#include "solver/problem/settings.hpp"

namespace isotherm {

/// The arguments from which a solver is made: functions of the method table take one request
/// (solver/methods.hpp). All must outlive the construction; `ranks` is copied by solvers.
struct SolverRequest {
  mpi::Communicator const& ranks;  ///< that share the problem's points
  Problem const& problem;
  MethodSettings const& method;
  SolverPlan const& plan;  ///< from plan_solver()
};

}  // namespace isotherm
