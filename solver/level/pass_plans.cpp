#include "solver/level/pass_plans.hpp"

#include <algorithm>

#include "decomposition/ranks/collective_errors.hpp"
#include "kernels/core/error.hpp"
#include "kernels/core/precision.hpp"
#include "kernels/sweep/resident.hpp"
#include "solver/discretise/boundary.hpp"

namespace isotherm {

namespace {

/// Returns the plan of this name, or of a kernel and a block shape.
/// @throws InputError  that lists the existing plans, or states why there is no block of this shape
SweepPlan find_plan(SweepSubject const& subject, std::string const& name) {
  std::vector<SweepPlan> const plans = usable_plans(subject);
  auto const found = std::ranges::find(plans, name, &SweepPlan::name);
  if (found != plans.end()) return *found;
  if (auto const shaped = shaped_plan(subject, name)) return *shaped;
  std::string valid = "auto";
  for (SweepPlan const& plan : plans) valid += ", " + plan.name;
  throw PlanRefusal("there is no sweep plan \"" + name + "\" here (valid plans: " + valid + ")");
}

/// Returns the maximum number of fused steps: the depth of halo that the decomposition allows, but
/// 1 if values vary in time.
int max_steps(Problem const& problem, Subdomain const& subdomain) {
  return varies_in_time(problem) ? 1 : deepest_halo(problem, subdomain);
}

/// Refuses a plan of too many steps for this problem and decomposition.
void check_fits(SweepPlan const& plan, Problem const& problem, Subdomain const& subdomain) {
  int const maximum = max_steps(problem, subdomain);
  if (plan.steps <= maximum) return;
  throw PlanRefusal("the sweep plan \"" + plan.name + "\" takes " + std::to_string(plan.steps) +
                    " steps per pass, but " +
                    (varies_in_time(problem)
                         ? std::string("values that depend on the time allow only one")
                         : "the smallest subdomain allows only " + std::to_string(maximum)) +
                    " (use \"auto\")");
}

/// Returns the requested plan on every rank, or throws on every rank. Devices of different kinds
/// may have different plans. Collective.
SweepPlan named_plan(mpi::Communicator const& ranks, SweepSubject const& subject,
                     std::string const& name, Problem const& problem, Subdomain const& subdomain) {
  SweepPlan plan;
  try {
    rethrow_on_all_ranks(ranks, [&] {
      plan = find_plan(subject, name);
      check_fits(plan, problem, subdomain);
    });
  } catch (InputError const& refusal) {  // on ranks that have the plan, of another kind
    throw PlanRefusal(refusal.what());
  }
  return plan;
}

/// Returns true if the resident kernel supports the problem: 2D, one rank, constant coefficients,
/// no variation in time, and faces that are Dirichlet or periodic.
bool may_be_resident(Problem const& problem, Subdomain const& subdomain) {
  return !is_heterogeneous(problem) && problem.grid.dimension == 2 &&
         subdomain.parts() == Extent3{1, 1, 1} && !varies_in_time(problem) &&
         std::ranges::none_of(faces(problem.grid),
                              [&](Face face) { return is(problem, face, BoundaryKind::neumann); });
}

}  // namespace

SweepSubject sweep_subject(Problem const& problem, Subdomain const& subdomain,
                           Execution const& execution) {
  SweepSubject subject;
  subject.backend = execution.backend;
  subject.device = execution.device;
  subject.dimension = problem.grid.dimension;
  subject.precision = problem.precision;
  subject.extent = {subdomain.smallest_extent(0), subdomain.smallest_extent(1),
                    subdomain.smallest_extent(2)};
  subject.fixed = std::ranges::all_of(
      faces(problem.grid), [&](Face face) { return is(problem, face, BoundaryKind::dirichlet); });
  subject.source = needs_source_field(problem);
  subject.heterogeneous = is_heterogeneous(problem);
  subject.resident = may_be_resident(problem, subdomain) &&
                     resident_fits(subject.backend, subject.device, subject.precision,
                                   subject.extent, subject.source);
  return subject;
}

PassPlans::PassPlans(mpi::Communicator const& ranks, Problem const& problem,
                     Subdomain const& subdomain, Execution const& execution) {
  SweepSubject subject = sweep_subject(problem, subdomain, execution);
  // Devices of different kinds may prefer different plans. Then all ranks fuse as few steps as the
  // smallest of their choices.
  auto const choose = [&](int maximum) {
    // Each round lowers the bound, so the loop ends.
    for (;;) {
      SweepPlan plan = choose_plan(execution.plan_table, subject, maximum);
      int const fewest = static_cast<int>(ranks.min(static_cast<double>(plan.steps)));
      if (!ranks.any(plan.steps != fewest)) return plan;
      maximum = fewest;
    }
  };
  SweepPlan full;
  if (execution.plan == "auto") {
    int const maximum = max_steps(problem, subdomain);
    full = choose(maximum);
    // The table's plan counts as used only if all ranks agreed on it.
    auto const of_table = plan_of_table(execution.plan_table, subject, maximum);
    from_table_ = of_table && of_table->name == full.name;
  } else {
    full = named_plan(ranks, subject, execution.plan, problem, subdomain);
  }
  subject.resident = false;  // the rest of an interval is swept between two fields
  for (int steps = 1; steps < full.steps; ++steps) by_steps_.push_back(choose(steps));
  by_steps_.push_back(full);
}

bool PassPlans::resident() const { return full().name == resident_plan; }

SweepPlan const& PassPlans::at_most(std::int64_t steps) const {
  auto const last = static_cast<std::int64_t>(by_steps_.size());
  return by_steps_[static_cast<std::size_t>(std::clamp<std::int64_t>(steps, 1, last) - 1)];
}

}  // namespace isotherm
