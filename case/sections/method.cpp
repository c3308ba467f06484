#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "case/basics/text/wording.hpp"
#include "case/sections/parts.hpp"
#include "kernels/core/text.hpp"
#include "solver/direct/axis_operator.hpp"
#include "solver/direct/make_direct.hpp"
#include "solver/methods.hpp"
#include "solver/multigrid/levels/coarsening.hpp"
#include "solver/problem/conditions.hpp"
#include "solver/time/ftcs.hpp"
#include "solver/time/rkl2.hpp"

namespace isotherm {
namespace {

/// Returns a text in quotes, for messages.
std::string quoted(std::string_view text) { return '"' + std::string(text) + '"'; }

/// Returns the methods that solve an equation: "a" or "b".
std::string methods_for(Equation equation) {
  std::vector<std::string> names;
  for (Method const& method : methods()) {
    if (solves(method, equation)) names.push_back(quoted(method.name));
  }
  return join(names, " or ");
}

/// Returns true if [method] sets the multigrid cycle.
bool sets_cycle(CaseSection const& section) {
  return std::ranges::any_of(method_named("multigrid").keys, [&](std::string_view key) {
    return key != "iterations" && section.has(std::string(key));
  });
}

/// Returns true if a direct solution is the default: it is expected to be faster than multigrid,
/// and no key of multigrid is given. A case that is like another one has its method.
bool suggests_direct(CaseDocument const& document, Problem const& problem) {
  if (document.like != nullptr) {
    MethodSettings const& other = document.like->method;
    return other.name == "direct" || other.direct_steps;
  }
  if (sets_cycle(document.section("method"))) return false;
  return prefers_direct(problem, document.uses_devices ? Backend::cuda : Backend::cpu,
                        document.ranks_on_hosts);
}

/// The tolerance of a steady case that gives no criterion to stop.
constexpr double default_tolerance = 1e-6;

/// Returns true if [method] of a steady case has neither a name nor a criterion to stop.
bool leaves_end_open(CaseSection const& section, Equation equation) {
  return equation != Equation::diffusion && !section.has("name") && !section.has("iterations") &&
         !section.has("tolerance") && !section.has("absolute_tolerance");
}

/// Returns the method that [method] name selects. By default it depends on the equation, on whether
/// there is a tolerance, and on the problem. For example, Laplace's equation is solved directly if
/// that is expected to be faster, else by multigrid, and if only the number of iterations is given
/// by Jacobi iterations.
Method const& read_name(CaseDocument const& document, Problem const& problem) {
  CaseSection const section = document.section("method");
  Equation const equation = problem.equation;
  bool const to_tolerance = section.has("tolerance") || section.has("absolute_tolerance") ||
                            leaves_end_open(section, equation);
  Method const* by_default = &default_method(equation, to_tolerance);
  if (by_default->name == "multigrid" && !is_nonlinear(problem) &&
      suggests_direct(document, problem)) {
    by_default = &method_named("direct");
  }
  if (is_nonlinear(problem) && equation != Equation::diffusion) {
    by_default = &method_named("multigrid");
  }
  Method const& fitting = *by_default;
  Method const& method = method_named(section.text("name", std::string(fitting.name)));
  if (is_nonlinear(problem) && !method.is_nonlinear) {
    std::string const needed = equation == Equation::diffusion
                                   ? R"("backward_euler" or "crank_nicolson")"
                                   : R"("multigrid")";
    std::string const cause = coefficients_vary_in_time(problem) ? "t" : "u";
    section.fail("name", "is " + quoted(method.name) + (section.has("name") ? "" : " by default") +
                             ", but a coefficient depends on " + cause + " (needs " + needed + ")");
  }
  bool const floats = equation == Equation::diffusion && has_floating_regions(problem);
  if (floats && method.name != "backward_euler") {
    section.fail("name", "is " + quoted(method.name) + (section.has("name") ? "" : " by default") +
                             ", but time steps with a floating conductor need \"backward_euler\"");
  }
  if (!solves(method, equation)) {
    section.fail("name", "is " + quoted(method.name) + ", which " +
                             (method.advances_time ? "advances" : "does not advance") +
                             " time (the " + name(equation) + " equation needs " +
                             methods_for(equation) + ")");
  }
  return method;
}

/// Returns whether a method has a key of its own in [method].
bool has_key(Method const& method, std::string_view key) {
  return std::ranges::find(method.keys, key) != method.keys.end();
}

/// Refuses keys of [method] that only other methods have.
void refuse_others_keys(CaseSection const& section, Method const& chosen) {
  for (Method const& other : methods()) {
    for (std::string_view const key : other.keys) {
      if (has_key(chosen, key)) continue;
      section.refuse(std::string(key), "belongs to " + quoted(other.name) + " (for " +
                                           quoted(chosen.name) + " write " +
                                           std::string(chosen.length) + ")");
    }
  }
}

/// Reads the stopping criterion of iterative methods: norm, tolerances, and how often the residual
/// is computed.
///
///     [method]
///     tolerance          = 1e-8        # relative to `relative_to`; 1e-6 if nothing is given
///     relative_to        = "field"     # the range of values; or "rhs", "first" (residual)
///     absolute_tolerance = 1e-9
///     norm               = "l2"        # or "max"
///     check_every        = 100         # iterations between two residuals
void read_tolerance(CaseSection const& section, Equation equation, MethodSettings& method) {
  method.norm = section.text("norm", "l2") == "max" ? Norm::max : Norm::l2;
  method.check_every = section.whole("check_every", method.check_every, 0);
  if (section.has("tolerance")) {
    method.tolerance = section.positive("tolerance");
  } else if (leaves_end_open(section, equation)) {
    method.tolerance = default_tolerance;
  }
  if (section.has("absolute_tolerance")) {
    method.absolute_tolerance = section.positive("absolute_tolerance");
  }
  std::string const relative_to = section.text("relative_to", "field");
  method.relative_to = relative_to == "first" ? RelativeTo::first
                       : relative_to == "rhs" ? RelativeTo::rhs
                                              : RelativeTo::field;
}

/// Reads the maximum number of Jacobi iterations.
void read_iterations(CaseSection const& section, MethodSettings& method) {
  section.require_key("iterations", "the maximum number, as in iterations = 1000");
  method.iterations = section.whole("iterations", 0, 0);
}

/// Reads a number of smoothing sweeps.
int read_sweeps(CaseSection const& section, std::string const& key, int fallback) {
  std::int64_t const sweeps = section.whole(key, fallback, 1);
  if (sweeps > MultigridSettings::max_sweeps) {
    section.fail(key, "is " + std::to_string(sweeps) + " (needs 1 to " +
                          std::to_string(MultigridSettings::max_sweeps) + " sweeps)");
  }
  return static_cast<int>(sweeps);
}

/// Reads the maximum size of the coarsest grid; check_coarsest() tests the bounds. Without the key
/// each method chooses it.
std::optional<int> read_coarsest(CaseSection const& section, Grid const& grid) {
  if (!section.has("coarsest")) return std::nullopt;
  std::int64_t const points = section.whole("coarsest", usual_coarsest(grid.dimension),
                                            std::numeric_limits<std::int64_t>::min());
  check_coarsest(grid, points);
  return static_cast<int>(points);
}

/// Reads the kind of the coarser levels.
HierarchyKind read_hierarchy(CaseSection const& section, Problem const& problem) {
  std::string const kind = section.text("hierarchy", "auto");
  if (kind == "auto") return HierarchyKind::automatic;
  if (!is_heterogeneous(problem)) {
    section.refuse(
        "hierarchy",
        "does not apply, because the coefficients are constant and grids always converge "
        "fast (leave it out)");
  }
  return kind == "grids" ? HierarchyKind::grids : HierarchyKind::aggregates;
}

/// Reads the multigrid cycle: shape, smoother, sweeps, coarsest grid, and precision of the
/// corrections. Corrections may be in float32 for a float64 field, but not the reverse.
///
///     [method]
///     name     = "multigrid"
///     cycle    = "V"               # or "F", "W"
///     smoother = "chebyshev"       # or "jacobi"
///     pre      = 4                 # sweeps before the coarse-grid correction
///     post     = 4                 # and after it
///     hierarchy = "auto"           # or "grids", "aggregates": coarser levels in a medium
void read_cycles(CaseSection const& section, Problem const& problem, MultigridSettings& cycles) {
  std::string const shape = section.text("cycle", "V");
  cycles.cycle = shape == "F" ? Cycle::f : shape == "W" ? Cycle::w : Cycle::v;
  cycles.smoother =
      section.text("smoother", "chebyshev") == "jacobi" ? Smoother::jacobi : Smoother::chebyshev;
  cycles.pre = read_sweeps(section, "pre", cycles.pre);
  cycles.post = read_sweeps(section, "post", cycles.post);
  cycles.coarsest = read_coarsest(section, problem.grid);
  cycles.hierarchy = read_hierarchy(section, problem);
  if (!section.has("cycle_precision")) return;
  bool const in_float64 = section.text("cycle_precision", "float32") == "float64";
  if (in_float64 && problem.precision == Precision::float32) {
    section.fail("cycle_precision",
                 "is \"float64\", but the field and hence its corrections are float32 (leave it "
                 "out, or set [grid] precision = \"float64\")");
  }
  cycles.precision = in_float64 ? Precision::float64 : Precision::float32;
}

/// Reads the number of iterations of a method that computes the residual after each of them, so
/// `check_every` can only be 1.
/// @param fallback   the default number
/// @param iteration  what an iteration is called in the message
void read_checked_iterations(CaseSection const& section, std::int64_t fallback,
                             std::string const& iteration, MethodSettings& method) {
  method.iterations = section.whole("iterations", fallback, 0);
  if (section.has("check_every") && method.check_every != 1) {
    section.fail("check_every", "does not apply to " + method.name +
                                    ", which checks the residual after each " + iteration +
                                    " (leave it out)");
  }
  method.check_every = 1;
}

/// Reads the settings of multigrid.
void read_multigrid(CaseSection const& section, Problem const& problem, MethodSettings& method) {
  constexpr std::int64_t max_cycles = 50;
  read_checked_iterations(section, max_cycles, "cycle", method);
  read_cycles(section, problem, method.multigrid);
}

/// Reads the settings of the direct solver. Few iterations are needed: each one refines the
/// residual of the last, or is a step of conjugate gradients.
void read_direct(CaseSection const& section, Problem const& problem, MethodSettings& method) {
  std::string const obstacle = obstacle_to_method(problem);
  if (!obstacle.empty()) {
    section.fail("name", "is \"direct\", but " + obstacle +
                             " (needs a separable problem or a smooth conductivity; use "
                             "\"multigrid\")");
  }
  constexpr std::int64_t max_refinements = 20;
  constexpr std::int64_t max_steps = 50;  // of conjugate gradients
  read_checked_iterations(section, is_separable_problem(problem) ? max_refinements : max_steps,
                          "solution", method);
}

/// Reads a time step given as a number. It must not exceed the stability limit `largest`.
double given_time_step(CaseSection const& section, double largest) {
  double const step = section.positive("time_step");
  section.refuse("stable_fraction", R"(needs time_step = "stable")");
  return checked_time_step(step, largest);
}

/// Returns a fraction of the stability limit, for time_step = "stable".
double stable_time_step(CaseSection const& section, double largest) {
  double const fraction = section.positive("stable_fraction", 0.9);
  if (fraction > 1.0) {
    section.fail("stable_fraction",
                 "is " + shortest(fraction) + ", which is unstable (needs a number up to 1)");
  }
  return fraction * largest;
}

/// Reads a list of step lengths, which also ends the run. No step may exceed `largest`.
///
///     [method]
///     time_steps = [{ step = 0.1, to = 10.0 }, { step = 1.0, to = 100.0 }]
void read_step_parts(CaseSection const& section, double largest, MethodSettings& method) {
  for (char const* const key : {"time_step", "stable_fraction", "steps", "end_time"}) {
    section.refuse(key,
                   "conflicts with time_steps, which gives the length and the end of all steps");
  }
  auto const parts = section.sections("time_steps");
  if (parts.empty()) section.fail("time_steps", "is empty (needs { step = ..., to = ... })");
  double from_s = method.start_time_s;
  for (CaseSection const& part : parts) {
    part.require_key("step", "the length of the steps");
    part.require_key("to", "the time at which they end");
    double const until_s = part.positive("to");
    if (!(until_s > from_s)) {
      part.fail("to", "is " + shortest(until_s) + " (needs a time after " + shortest(from_s) + ")");
    }
    double const step_s = checked_time_step(part.positive("step"), largest);
    if (!std::isnormal(step_s))
      part.fail("step", "is " + shortest(step_s) + ", which is too small");
    method.step_parts.push_back({until_s, step_s});
    method.time_step_s = std::max(method.time_step_s, step_s);
    from_s = until_s;
  }
  method.end_time_s = from_s;
}

/// Reads the duration: a number of steps or an end time. read_times() lays out the steps once all
/// output times are known. No step may exceed `largest`.
void read_duration(CaseSection const& section, double largest, MethodSettings& method) {
  method.longest_step_s = largest;
  if (!method.step_parts.empty()) return;
  if (!std::isnormal(method.time_step_s)) {
    section.fail("time_step", "evaluates to " + shortest(method.time_step_s) +
                                  " (choose other units of length or time)");
  }
  if (section.has("steps") && section.has("end_time")) {
    section.fail("end_time",
                 "conflicts with steps: both set the length of the run (leave one of them out)");
  }
  if (section.has("end_time")) {
    method.end_time_s = section.positive("end_time");
    if (!(*method.end_time_s > method.start_time_s)) {
      section.fail("end_time", "is " + shortest(*method.end_time_s) +
                                   ", which is not after start_time, " +
                                   shortest(method.start_time_s));
    }
    return;
  }
  section.require_key("steps", "the number of time steps, or end_time");
  method.iterations = section.whole("steps", 0, 0);
}

/// Refuses an explicit method for a problem without unknowns, whose stability limit is infinite.
void require_unknowns(CaseSection const& section, double largest, MethodSettings const& method) {
  if (!std::isinf(largest)) return;
  section.fail("name", "is " + quoted(std::string_view(method.name)) +
                           ", but no value can change (needs points that are not [[fixed]], "
                           "[[insulated]] or on dirichlet faces)");
}

/// Reads the time step of the explicit method (FTCS), which has a stability limit.
///
///     [method]
///     name      = "ftcs"
///     time_step = "stable"         # stable_fraction (0.9) of the limit; or a number
///     end_time  = 0.02             # or steps = 2000
void read_explicit_steps(CaseSection const& section, double largest, MethodSettings& method) {
  require_unknowns(section, largest, method);
  if (section.has("time_steps")) {
    read_step_parts(section, largest, method);
  } else {
    method.time_step_s = section.is_number("time_step") ? given_time_step(section, largest)
                                                        : stable_time_step(section, largest);
  }
  read_duration(section, largest, method);
}

/// Reads the number of stages of a step that has the length of their stability.
int read_stages(CaseSection const& section) {
  std::int64_t const stages = section.whole("stages", 0, 0);
  if (stages < 3 || stages > max_rkl2_stages || stages % 2 == 0) {
    section.fail("stages", "is " + std::to_string(stages) + " (needs an odd number from 3 to " +
                               std::to_string(max_rkl2_stages) + ")");
  }
  return static_cast<int>(stages);
}

/// Returns the time step of rkl2: a number, or that of the given stages.
double rkl2_time_step(CaseSection const& section, double stable) {
  if (section.has("time_step") && section.has("stages")) {
    section.fail("stages",
                 "conflicts with time_step, from which the stages follow (leave one out)");
  }
  if (section.has("stages")) return rkl2_span(read_stages(section)) * stable;
  section.require_key("time_step", "a positive number, or stages, an odd number");
  if (!section.is_number("time_step")) {
    section.fail("time_step", R"(is "stable", which applies only to "ftcs" (write a number, or )"
                              "stages = 15 instead)");
  }
  return section.positive("time_step");
}

/// Reads the time step of rkl2, whose stages follow from its length.
///
///     [method]
///     name      = "rkl2"
///     time_step = 0.01             # or stages = 15, for the longest step that they allow
///     end_time  = 1.0
void read_rkl2_steps(CaseSection const& section, double stable, MethodSettings& method) {
  require_unknowns(section, stable, method);
  double const largest = max_rkl2_span * stable;
  if (section.has("time_steps")) {
    section.refuse("stages", "conflicts with time_steps, from which the stages follow");
    read_step_parts(section, std::numeric_limits<double>::infinity(), method);
  } else {
    method.time_step_s = rkl2_time_step(section, stable);
  }
  (void)rkl2_stage_count(method.time_step_s, stable);
  read_duration(section, largest, method);
}

/// Reads which solver implicit steps use. By default it is the direct one if it can solve the
/// problem and is expected to be faster, unless keys of multigrid cycles are given. Direct
/// solutions do not precondition steps.
void read_step_solver(CaseDocument const& document, Problem const& problem,
                      MethodSettings& method) {
  CaseSection const section = document.section("method");
  std::string const direct_obstacle = obstacle_to_direct(problem);
  bool const is_direct = direct_obstacle.empty() && suggests_direct(document, problem);
  method.direct_steps = section.text("step_solver", is_direct ? "direct" : "multigrid") == "direct";
  if (method.direct_steps && sets_cycle(section)) {
    section.fail("step_solver",
                 "is \"direct\", which has no cycles (leave it out, or the keys of cycles)");
  }
  if (method.direct_steps && !direct_obstacle.empty()) {
    section.fail("step_solver", "is \"direct\", but " + direct_obstacle +
                                    " (needs a separable problem; use \"multigrid\")");
  }
}

/// Reads the length of implicit steps, one or a list.
void read_implicit_length(CaseSection const& section, MethodSettings& method) {
  if (section.has("time_steps")) {
    return read_step_parts(section, std::numeric_limits<double>::infinity(), method);
  }
  section.require_key("time_step", "a positive number; any time step is stable");
  if (!section.is_number("time_step")) {
    section.fail("time_step", R"(is "stable", which applies only to "ftcs": with )" +
                                  quoted(std::string_view(method.name)) +
                                  " any time step is stable (write a number)");
  }
  method.time_step_s = section.positive("time_step");
}

/// Reads a length that a divided step may have: positive, and at most the longest step.
double divided_length(CaseSection const& section, char const* key, MethodSettings const& method) {
  double const step_s = section.positive(key);
  if (step_s <= method.time_step_s) return step_s;
  section.fail(key, "is " + shortest(step_s) + ", but no step is longer than time_step, " +
                        shortest(method.time_step_s) + " (needs a smaller number)");
}

/// Reads how the solver divides steps to bound their error.
///
///     [method]
///     time_step      = 100.0       # the longest step
///     time_tolerance = 0.1         # estimated error of a step, in units of u
///     first_step     = 1e-3
///     shortest_step  = 1e-6
void read_divided_steps(CaseSection const& section, MethodSettings& method) {
  if (!section.has("time_tolerance")) {
    for (char const* const key : {"first_step", "shortest_step"}) {
      section.refuse(key, "applies only with time_tolerance, which divides time steps");
    }
    return;
  }
  AdaptiveSteps& steps = method.adaptive;
  steps.tolerance = section.positive("time_tolerance");
  if (section.has("first_step")) steps.first_s = divided_length(section, "first_step", method);
  if (!section.has("shortest_step")) return;
  steps.shortest_s = divided_length(section, "shortest_step", method);
  if (section.has("first_step") && steps.first_s < steps.shortest_s) {
    section.fail("first_step", "is " + shortest(steps.first_s) + ", but shortest_step is " +
                                   shortest(steps.shortest_s) + " (needs a larger number)");
  }
}

/// Reads the time step of an implicit method, which is stable for any length. Multigrid cycles
/// solve each step to `step_tolerance`.
///
///     [method]
///     name           = "crank_nicolson"
///     time_step      = 0.01
///     step_tolerance = 1e-6
///     step_solver    = "direct"      # or "multigrid"; by default the faster one
///     end_time       = 1.0
void read_implicit_steps(CaseDocument const& document, Problem const& problem,
                         MethodSettings& method) {
  CaseSection const section = document.section("method");
  read_implicit_length(section, method);
  read_divided_steps(section, method);
  if (section.has("step_tolerance")) method.step_tolerance = section.positive("step_tolerance");
  if (!section.has("check_every")) method.check_every = 1;
  read_step_solver(document, problem, method);
  read_cycles(section, problem, method.multigrid);
  read_duration(section, std::numeric_limits<double>::infinity(), method);
}

/// Returns the stability limit: the one that all ranks computed, or one from the grid's spacings.
double longest_step(CaseDocument const& document, Problem const& problem) {
  return document.longest_step_s ? *document.longest_step_s : largest_stable_time_step(problem);
}

/// Reads all keys of [method] that the chosen method has. Keys of other methods are refused before
/// the values of the chosen method are read, so a forgotten key of another method is reported
/// first.
MethodSettings read_settings(CaseDocument const& document, Problem const& problem) {
  CaseSection const section = document.section("method");
  Method const& chosen = read_name(document, problem);
  MethodSettings method;
  method.name = chosen.name;
  method.start_time_s = problem.start_time_s;
  read_tolerance(section, problem.equation, method);
  refuse_others_keys(section, chosen);
  // The families: implicit steps, explicit steps, multigrid, direct, and Jacobi iterations.
  if (has_key(chosen, "step_tolerance")) {
    read_implicit_steps(document, problem, method);
  } else if (chosen.name == "rkl2") {
    read_rkl2_steps(section, longest_step(document, problem), method);
  } else if (chosen.advances_time) {
    read_explicit_steps(section, longest_step(document, problem), method);
  } else if (chosen.name == "multigrid") {
    read_multigrid(section, problem, method);
  } else if (chosen.name == "direct") {
    read_direct(section, problem, method);
  } else {
    read_iterations(section, method);
  }
  check_settings(method);
  return method;
}

}  // namespace

bool has_limited_steps(CaseDocument const& document, Problem const& problem) {
  if (problem.equation != Equation::diffusion || !is_heterogeneous(problem)) return false;
  std::string_view const method = read_name(document, problem).name;
  return method == "ftcs" || method == "rkl2";
}

void settle_checks(CaseDocument const& document, MethodSettings& method) {
  CaseSection const section = document.section("method");
  if (section.has("check_every") || !has_tolerance(method)) return;
  method.check_every =
      std::min(method.check_every, std::max<std::int64_t>(1, method.iterations / 4));
}

double read_start_time(CaseDocument const& document) {
  CaseSection const section = document.section("method");
  double const start_s = section.number("start_time", 0.0);
  if (!(start_s >= 0.0)) {
    section.fail("start_time", "is " + shortest(start_s) + " (needs 0 or more)");
  }
  return start_s;
}

MethodSettings read_method(CaseDocument const& document, Problem const& problem) {
  CaseSection const section = document.section("method");
  try {
    return read_settings(document, problem);
  } catch (SettingError const& error) {
    section.fail(error.key(), error.fault());
  }
}

}  // namespace isotherm
