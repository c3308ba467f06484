#include "jobs/run/heat_balance.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <variant>

#include "jobs/machine/memory_limits.hpp"
#include "jobs/run/probe_meter.hpp"
#include "kernels/core/byte_count.hpp"
#include "solver/discretise/flow_meter.hpp"
#include "solver/problem/conditions.hpp"

namespace isotherm {

namespace {

/// How many times `tolerance` of what flows may be missing. An error that is smooth, as iterations
/// leave it, changes flows by up to π² / 2 times its share of the range of the values.
constexpr double most_tolerances = 10.0;

bool says_something(Problem const& problem) {
  return has_given_values(problem) && !(problem.project && may_have_free_values(problem));
}

bool fits_beside_the_run(mpi::Communicator const& ranks, PreparedRun const& run) {
  RunPlan const& plan = run.plan;
  Probe const fluxes{{}, Probe::Quantities{{Quantity::flux}}, {}};
  MemoryNeed need =
      memory_of_probes({fluxes}, run.chosen.problem, plan.solver->subdomain, plan.device.backend);
  need.host = sum_of_bytes(need.host, plan.memory.host);
  need.device = sum_of_bytes(need.device, plan.memory.device);
  return !ranks.any(!fits(plan.device.backend, need, plan.memory_limits));
}

double allowed_imbalance(MethodSettings const& method, Flows const& flows) {
  bool const bounds_error = method.relative_to == RelativeTo::field && method.tolerance > 0.0;
  return bounds_error ? most_tolerances * method.tolerance * std::max(flows.in, flows.out)
                      : std::numeric_limits<double>::infinity();
}

}  // namespace

bool HeatBalance::closes() const { return std::abs(net) <= std::max(allowed, rounding); }

std::optional<HeatBalance> measure_heat_balance(mpi::Communicator const& ranks,
                                                PreparedRun const& run, Solver& solver) {
  Problem const& problem = run.chosen.problem;
  if (!says_something(problem) || !fits_beside_the_run(ranks, run)) return std::nullopt;
  Flows flows;
  std::visit(
      [&]<class Real>(FieldView<Real const> field) {
        FlowMeter<Real> meter(ranks, solver.queue(), solver.subdomain(), problem);
        flows = meter.read(field, solver.time_s());
      },
      solver.field_view());
  return HeatBalance{flows.in, flows.out, flows.balance, flows.rounding,
                     allowed_imbalance(run.chosen.method, flows)};
}

std::string in_words(HeatBalance const& balance) {
  auto const& [in, out, net, rounding, allowed] = balance;
  std::string const flows = fmt::format("{:.6g} flows in and {:.6g} out", in, out);
  if (balance.closes()) return fmt::format("{}: they differ by {:.2g}", flows, std::abs(net));
  return fmt::format(
      "{}: they differ by {:.2g}, but the tolerance allows {:.2g}, and rounding {:.2g}", flows,
      std::abs(net), allowed, rounding);
}

}  // namespace isotherm
