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

/// A numerical method: a row of the table methods(), through which all other code uses the method.
struct Method {
  std::string_view name;  ///< in case files and results
  bool advances_time;     ///< true: it solves the diffusion equation; false: steady equations
  /// The keys of [method] that set the length of a run, as a phrase for messages.
  std::string_view length;
  std::span<std::string_view const> keys;  ///< all keys of [method] that belong to it
  /// True if residuals are evaluated in float64 from the field that an iteration leaves. False if
  /// they are the changes of a sweep.
  bool evaluates_residuals;
  bool is_nonlinear;  ///< coefficients may depend on the solution
  /// Checks the problem and returns its discretisation. @throws InputError  if the method cannot
  /// solve the problem
  Scheme (*scheme)(Problem const& problem, MethodSettings const& method);
  /// Returns the plans of its passes. Collective. @throws PlanRefusal  as PassPlans does
  PassPlans (*passes)(mpi::Communicator const& ranks, Problem const& problem,
                      MethodSettings const& method, Subdomain const& subdomain,
                      Execution const& execution);
  /// Makes a solver. Collective.
  std::unique_ptr<Solver> (*make)(SolverRequest const& request);
  /// Returns the memory it needs, see solver_bytes().
  std::size_t (*bytes)(Problem const& problem, MethodSettings const& method,
                       SolverPlan const& plan);
  /// Returns its memory traffic, see bytes_per_iteration().
  double (*bytes_per_iteration)(Problem const& problem, MethodSettings const& method);
};

/// Returns all methods.
std::span<Method const> methods();
/// Returns the method of this name. @throws InputError  that lists the valid names
Method const& method_named(std::string_view name);
/// Returns the method that solves an equation if the user names none.
/// @param to_tolerance  true if a tolerance is given, not a number of iterations
Method const& default_method(Equation equation, bool to_tolerance);
/// True if the iterations of a method are sweeps, which have kernel variants (plans).
[[nodiscard]] bool has_plans(Method const& method);
/// True if the method solves this equation.
[[nodiscard]] bool solves(Method const& method, Equation equation);

}  // namespace isotherm
