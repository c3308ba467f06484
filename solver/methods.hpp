#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "solver/discretise/scheme.hpp"
#include "solver/iteration/solver_interface.hpp"
#include "solver/iteration/solver_request.hpp"
#include "solver/problem/problem.hpp"
#include "solver/problem/settings.hpp"

namespace isotherm {

/// A method: all that the program knows of it stands in its row of methods().
struct Method {
  std::string_view name;    ///< in case files and results
  bool advances_time;       ///< it solves the diffusion equation; else the steady ones
  std::string_view length;  ///< which keys of a case file's [method] say how long to run, in words
  std::span<std::string_view const> keys;  ///< all of its own keys there
  bool evaluates_residuals;  ///< in float64, and of the field that it leaves; else they are a
                             ///< sweep's changes
  /// Checks and discretises. @throws InputError  where the method cannot solve the problem
  Scheme (*scheme)(Problem const& problem, MethodSettings const& method);
  /// How its passes over memory go. Collective. @throws PlanRefusal  as PassPlans
  PassPlans (*passes)(mpi::Communicator const& ranks, Problem const& problem,
                      MethodSettings const& method, Subdomain const& subdomain,
                      Execution const& execution);
  std::unique_ptr<Solver> (*make)(SolverRequest const& request);
  /// As solver_bytes().
  std::size_t (*bytes)(Problem const& problem, MethodSettings const& method,
                       SolverPlan const& plan);
  /// As bytes_per_iteration().
  double (*bytes_per_iteration)(Problem const& problem, MethodSettings const& method);
};

/// All methods.
std::span<Method const> methods();
/// @throws InputError  naming the valid names
Method const& method_named(std::string_view name);
/// The method that solves an equation where none is named.
/// @param to_tolerance  a tolerance is asked for, not a number of iterations
Method const& default_method(Equation equation, bool to_tolerance);
[[nodiscard]] bool solves(Method const& method, Equation equation);

}  // namespace isotherm
