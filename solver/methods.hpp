#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "solver/discretise/scheme.hpp"
#include "solver/iteration/solver_interface.hpp"
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

/// A method: all that the program knows of it stands in its row of methods().
struct Method {
  std::string_view name;    ///< in case files and results
  bool advances_time;       ///< it solves the diffusion equation; else the steady ones
  std::string_view length;  ///< which keys of a case file's [method] say how long to run, in words
  std::span<std::string_view const> keys;  ///< all of its own keys there
  /// Checks and discretises. @throws InputError  where the method cannot solve the problem
  Scheme (*scheme)(Problem const& problem, MethodSettings const& method);
  std::unique_ptr<Solver> (*make)(SolverRequest const& request);
};

/// All methods.
std::span<Method const> methods();
/// @throws InputError  naming the valid names
Method const& method_named(std::string_view name);
/// The method that solves an equation where none is named.
Method const& default_method(Equation equation);
[[nodiscard]] bool solves(Method const& method, Equation equation);

}  // namespace isotherm
