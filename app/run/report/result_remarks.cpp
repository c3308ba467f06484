#include "app/run/report/result_remarks.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <optional>
#include <utility>

#include "case/basics/text/wording.hpp"
#include "decomposition/grid/grid.hpp"
#include "kernels/multigrid/value_range.hpp"
#include "solver/discretise/flux/pieces_in_u.hpp"
#include "solver/discretise/given/given_range.hpp"
#include "solver/methods.hpp"
#include "solver/problem/conditions.hpp"

namespace isotherm::app {

namespace {

/// Adds the values that a condition gives. Returns false if they are not constant, or if it adds
/// heat.
bool add(ValueRange& range, BoundaryCondition const& condition) {
  switch (condition.kind) {
    case BoundaryKind::periodic:
    case BoundaryKind::neumann:
      return condition.value.is_zero();
    default:
      if (!condition.value.is_constant()) return false;
      range.add(condition.value.constant);
      return true;
  }
}

/// Returns the range of initial, given and ambient values, which the solution of a diffusion
/// problem does not leave (maximum principle). None if a source adds heat, or if the values vary.
std::optional<ValueRange> range_of_given_values(Problem const& problem) {
  InitialState const& initial = problem.initial;
  if (!problem.source.is_zero() || !problem.reaction.is_zero() || !initial.value.is_constant() ||
      !initial.gaussians.empty()) {
    return std::nullopt;
  }
  ValueRange range;
  range.add(initial.value.constant);
  for (InitialBox const& box : initial.boxes) range.add(box.value);
  for (Face const face : faces(problem.grid)) {
    if (!add(range, problem.boundary[face])) return std::nullopt;
  }
  for (BoundaryPatch const& patch : problem.patches) {
    if (!add(range, patch.condition)) return std::nullopt;
  }
  for (FixedRegion const& region : problem.medium.fixed) {
    if (!region.value.is_constant() || region.floating_flux) return std::nullopt;
    range.add(region.value.constant);
    for (SurfaceExchange const& exchange : region.exchanges) {
      if (!exchange.ambient.is_constant()) return std::nullopt;
      range.add(exchange.ambient.constant);
    }
  }
  return range;
}

/// Crank–Nicolson steps hardly damp the shortest waves if they are long, and so let them oscillate
/// after a jump of the given values.
std::string remark_on_oscillations(Case const& chosen, FieldStatistics const& field) {
  if (chosen.method.name != "crank_nicolson" || chosen.initial_file) return "";
  auto const given = range_of_given_values(chosen.problem);
  if (!given) return "";
  constexpr double noticeable = 1e-4;
  double const beyond = noticeable * given->width();
  bool const is_below = field.minimum < given->smallest - beyond;
  if (!is_below && !(field.largest > given->largest + beyond)) return "";
  return fmt::format(
      "the field reaches {:.6g}, but the given values lie between {:.6g} and {:.6g}: long "
      "Crank-Nicolson steps oscillate after a jump (take shorter steps, or \"backward_euler\")",
      is_below ? field.minimum : field.largest, given->smallest, given->largest);
}

/// True if a run ended at its tolerance, before its last step, and what drives it varies in time.
bool ended_before_data(Case const& chosen, Summary const& summary) {
  return method_named(chosen.method.name).advances_time && varies_in_time(chosen.problem) &&
         summary.outcome == Outcome::done && !summary.stop &&
         summary.state.iteration < chosen.method.iterations;
}

/// Adds "NAME = "TEXT" (at u = VALUE)" for a function of u that jumps.
void add_jump(std::vector<std::string>& all, Problem const& problem, std::string const& name,
              ScalarFunction const& function, double scale) {
  if (!function.depends_on_u) return;
  std::vector<double> const jumps = jumps_in_u(function, problem.grid, scale);
  auto const at = std::ranges::find_if(jumps, [&](double u) { return std::abs(u) <= scale; });
  if (at == jumps.end()) return;
  std::string text = fmt::format("{} = \"{}\" (at u = {:.6g})", name, function.text, *at);
  if (std::ranges::find(all, text) == all.end()) all.push_back(std::move(text));
}

}  // namespace

std::string remark_on_jumps(Problem const& problem) {
  if (!is_nonlinear(problem)) return "";
  double const scale = 10.0 * given_range(problem).magnitude();
  if (!(scale > 0.0)) return "";
  std::vector<std::string> all;
  auto const add = [&](std::string const& name, ScalarFunction const& function) {
    add_jump(all, problem, name, function, scale);
  };
  add("source", problem.source);
  for (ScalarFunction const& one : problem.medium.conductivity) add("conductivity", one);
  add("capacity", problem.medium.capacity);
  auto const add_condition = [&](BoundaryCondition const& condition) {
    add("h", condition.coefficient);
    add("ambient", condition.value);
  };
  for (Face const face : faces(problem.grid)) add_condition(problem.boundary[face]);
  for (BoundaryPatch const& patch : problem.patches) add_condition(patch.condition);
  for_each_exchange(problem,
                    [&](SurfaceExchange const& exchange) { add("h", exchange.coefficient); });
  if (all.empty()) return "";
  return "Newton's method may not converge if an expression jumps as a function of u: " +
         join(all) +
         " (replace the jump by a ramp that is a few per cent of the range of u wide, "
         "as a table of u or with clamp())";
}

std::vector<std::string> result_remarks(Case const& chosen, Summary const& summary) {
  std::vector<std::string> remarks;
  if (chosen.stop && !summary.stop && summary.outcome == Outcome::done) {
    remarks.push_back(
        fmt::format("the stopping criterion \"{}\" was not satisfied until t = {:.6g}",
                    chosen.stop->text, summary.time_s));
  }
  if (summary.stop && summary.stop->iteration == 0) {
    remarks.push_back(fmt::format(
        "the initial field satisfies the stopping criterion \"{}\", so nothing was computed",
        chosen.stop->text));
  }
  if (ended_before_data(chosen, summary)) {
    remarks.push_back(fmt::format(
        "the run ended at t = {:.6g}: its field changes by less than the tolerance, but a source "
        "or "
        "boundary value varies later (without [method] tolerance the run continues to its end)",
        summary.time_s));
  }
  if (summary.outcome == Outcome::not_converged) {
    if (std::string const remark = remark_on_jumps(chosen.problem); !remark.empty()) {
      remarks.push_back(remark);
    }
  }
  if (summary.field) {
    if (std::string const remark = remark_on_oscillations(chosen, *summary.field);
        !remark.empty()) {
      remarks.push_back(remark);
    }
  }
  return remarks;
}

}  // namespace isotherm::app
