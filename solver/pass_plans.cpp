#include "solver/pass_plans.hpp"

#include <algorithm>

#include "kernels/error.hpp"
#include "solver/boundary.hpp"

namespace isotherm {

namespace {

SweepPlan find_plan(std::vector<SweepPlan> const& plans, std::string const& name) {
  auto const found = std::ranges::find(plans, name, &SweepPlan::name);
  if (found != plans.end()) return *found;
  std::string valid = "auto";
  for (SweepPlan const& plan : plans) valid += ", " + plan.name;
  throw InputError("there is no sweep plan \"" + name + "\" here (there are: " + valid + ")");
}

/// Steps a pass are limited by the decomposition, and to one where values change with the time.
int most_steps(Problem const& problem, Subdomain const& subdomain) {
  return varies_in_time(problem) ? 1 : deepest_halo(problem, subdomain);
}

void check_fits(SweepPlan const& plan, Problem const& problem, Subdomain const& subdomain) {
  int const most = most_steps(problem, subdomain);
  if (plan.steps <= most) return;
  throw InputError("the sweep plan \"" + plan.name + "\" takes " + std::to_string(plan.steps) +
                   " steps a pass, but " +
                   (varies_in_time(problem)
                        ? std::string("values that depend on the time allow one")
                        : "the fewest points of a rank allow " + std::to_string(most)) +
                   " (use \"auto\")");
}

/// The smallest extents of any rank, so that all ranks look up the same plan.
Extent3 smallest_extents(Subdomain const& subdomain) {
  return {subdomain.smallest_extent(0), subdomain.smallest_extent(1), subdomain.smallest_extent(2)};
}

}  // namespace

std::size_t element_bytes(Problem const& problem) {
  return problem.precision == Precision::float32 ? sizeof(float) : sizeof(double);
}

PassPlans::PassPlans(mpi::Communicator const& ranks, Problem const& problem,
                     Subdomain const& subdomain, Backend backend, int device,
                     std::string const& name) {
  int const dimension = problem.grid.dimension;
  // Devices of different kinds may prefer different plans: then all take as few steps as the most
  // modest of them.
  auto const choose = [&](int most) {
    for (;;) {
      SweepPlan plan = choose_plan(backend, device, dimension, element_bytes(problem),
                                   smallest_extents(subdomain), most);
      int const fewest = static_cast<int>(ranks.min(static_cast<double>(plan.steps)));
      if (!ranks.any(plan.steps != fewest)) return plan;
      most = fewest;
    }
  };
  SweepPlan full;
  if (name == "auto") {
    full = choose(most_steps(problem, subdomain));
  } else {
    full = find_plan(sweep_plans(backend, dimension, element_bytes(problem)), name);
    check_fits(full, problem, subdomain);
  }
  for (int steps = 1; steps < full.steps; ++steps) by_steps_.push_back(choose(steps));
  by_steps_.push_back(full);
}

SweepPlan const& PassPlans::at_most(std::int64_t steps) const {
  auto const last = static_cast<std::int64_t>(by_steps_.size());
  return by_steps_[static_cast<std::size_t>(std::clamp<std::int64_t>(steps, 1, last) - 1)];
}

}  // namespace isotherm
