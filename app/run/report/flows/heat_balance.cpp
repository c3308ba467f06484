#include "app/run/report/flows/heat_balance.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <variant>

#include "app/machine/memory_limits.hpp"
#include "app/run/probes/probe_meter.hpp"
#include "kernels/core/byte_count.hpp"
#include "solver/discretise/flux/heat_flow_meter.hpp"
#include "solver/methods.hpp"
#include "solver/problem/conditions.hpp"

// The measurement itself is HeatFlowMeter's. This file decides whether a balance has a meaning,
// which imbalance is acceptable, and how it is worded.

namespace isotherm::app {

namespace {

/// Imbalance, as a share of the flow, above which the text adds an explanation.
constexpr double remarkable_share = 0.01;
/// Imbalance, as a share of the flow, above which the flows are meaningless.
constexpr double useless_share = 0.1;

/// Flows below this share of HeatBalance::scale are as good as zero.
constexpr double negligible_share = 1e-6;

/// Returns true if a balance is a test of the field. It is not if no value is given, or if
/// projection makes the source balance by construction.
bool is_meaningful(Problem const& problem) {
  return has_given_values(problem) && !(problem.project && may_have_null_space(problem));
}

/// Returns the maximum imbalance that an error within the tolerance explains.
double allowed_imbalance(Case const& chosen, SolverState const& state,
                         ConvergenceCheck const& check, HeatFlows const& flows) {
  MethodSettings const& method = chosen.method;
  auto const& last = state.last_residual;
  // Only a tolerance relative to the field bounds the error e: ‖e‖ ≤ tolerance · range.
  bool const bounds_error = method.relative_to == RelativeTo::field && last && last->error &&
                            *last->error <= method.tolerance && last->range > 0.0;
  if (!bounds_error) return std::numeric_limits<double>::infinity();
  std::optional<double> residual;
  if (!method_named(method.name).advances_time) {  // the residual of a method in time is u_t
    // With the residual r, the second bound of largest_balance() applies: √(Σd)·√(‖e‖·‖r‖).
    if (check.residual) residual = check.residual;
    if (has_been_evaluated(chosen)) residual = last->value;
  }
  return largest_balance(chosen.problem, flows, method.norm, method.tolerance * last->range,
                         residual);
}

}  // namespace

bool fits_with_run(mpi::Communicator const& ranks, PreparedRun const& run, Quantity quantity) {
  RunPlan const& plan = run.plan;
  // A probe of the quantity uses the same meter.
  Probe const probe{{}, Probe::Quantities{{quantity}}, {}};
  MemoryNeed need = memory_of_probes(ranks, {probe}, run.chosen.problem, plan.solver->subdomain,
                                     plan.device.backend);
  need.host = sum_of_bytes(need.host, plan.memory.host);
  need.device = sum_of_bytes(need.device, plan.memory.device);
  return !ranks.any(!fits(plan.device.backend, need, plan.memory_limits));
}

bool HeatBalance::closes() const { return std::abs(net) <= allowed + rounding; }

std::optional<HeatBalance> measure_heat_balance(mpi::Communicator const& ranks,
                                                PreparedRun const& run, Solver& solver,
                                                ConvergenceCheck const& check) {
  Problem const& problem = run.chosen.problem;
  if (!is_meaningful(problem) || !fits_with_run(ranks, run, Quantity::flux)) return std::nullopt;
  HeatFlows flows;
  std::visit(
      [&]<class Real>(FieldView<Real const> field) {
        // The meter exists only during the measurement; its memory is freed afterwards.
        HeatFlowMeter<Real> meter(ranks, solver.queue(), solver.subdomain(), problem);
        flows = meter.read(field, solver.time_s());
      },
      solver.field_view());
  SolverState const state = solver.state();
  double const range = state.last_residual ? state.last_residual->range : 0.0;
  return HeatBalance{flows.in,
                     flows.out,
                     flows.balance,
                     flows.slopes.rounding,
                     allowed_imbalance(run.chosen, state, check, flows),
                     flows.slopes.sum * range};
}

std::string describe(HeatBalance const& balance) {
  auto const& [in, out, net, rounding, allowed, scale] = balance;
  double const left = std::abs(net);
  std::string text = fmt::format(
      "inflow {:.6g}, outflow {:.6g}, point by point at faces, fixed and floating regions and "
      "sources: they differ by {:.2g}",
      in, out, left);
  if (!balance.closes()) {
    return text +
           fmt::format(
               ", but an error within the tolerance explains only {:.2g}, and rounding {:.2g}",
               allowed, rounding);
  }
  // A small share needs no explanation.
  bool const remarkable = left > remarkable_share * std::max(in, out);
  if (!remarkable) return text;
  if (left <= rounding) return text + ", due to rounding";
  if (std::max(in, out) <= negligible_share * scale) {
    return text + ": hardly any heat flows, so that the difference has no meaning";
  }
  bool const useless = left > useless_share * std::max(in, out);
  return text + (useless ? ": the fluxes are meaningless at this tolerance, set a smaller one"
                         : ", within the tolerance; a smaller tolerance reduces the difference");
}

}  // namespace isotherm::app
