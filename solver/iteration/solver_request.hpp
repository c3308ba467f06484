#pragma once

#include "decomposition/ranks/mpi.hpp"
#include "solver/iteration/solver_plan.hpp"
#include "solver/problem/problem.hpp"
#include "solver/problem/settings.hpp"

namespace isotherm {

/// The arguments from which a solver is made. All must outlive the construction; `ranks` is copied
/// by solvers.
struct SolverRequest {
  mpi::Communicator const& ranks;
  Problem const& problem;
  MethodSettings const& method;
  SolverPlan const& plan;
};

}  // namespace isotherm
