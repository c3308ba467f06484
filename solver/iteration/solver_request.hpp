#pragma once

#include "decomposition/ranks/mpi.hpp"
#include "solver/iteration/solver_plan.hpp"
#include "solver/problem/problem.hpp"
#include "solver/problem/settings.hpp"

namespace isotherm {

/// What a solver is made of.
struct SolverRequest {
  mpi::Communicator const& ranks;
  Problem const& problem;
  MethodSettings const& method;
  SolverPlan const& plan;
};

}  // namespace isotherm
