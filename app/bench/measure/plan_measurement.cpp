#include "app/bench/measure/plan_measurement.hpp"

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>

#include "app/bench/measure/bench_timing.hpp"
#include "app/bench/measure/run_measurement.hpp"
#include "app/machine/copy_rate.hpp"
#include "kernels/core/precision.hpp"
#include "kernels/sweep/resident.hpp"

namespace isotherm::app {

// plans_ begins with the plain plan, which has no temporal blocking and serves as the reference.
SweepBench::SweepBench(mpi::Communicator const& ranks, Device const& device, Problem problem,
                       Batches batches)
    : ranks_(ranks),
      problem_(std::move(problem)),
      batches_(batches),
      execution_(default_execution(ranks, device, problem_.grid)),
      method_(endless_method(problem_)),
      plans_(possible_plans(ranks, problem_, execution_)) {
  // More than two passes of the longest plan, plus an incomplete pass.
  for (SweepPlan const& plan : plans_) {
    common_steps_ = std::max<std::int64_t>(common_steps_, 2 * plan.steps + 1);
  }
  Subdomain const subdomain(problem_.grid, execution_.parts, ranks.rank());
  initial_ = random_field(subdomain, problem_.precision);
  auto const points = static_cast<std::size_t>(subdomain.owned().point_count());
  reference_ = HostValues(problem_.precision, points);
  field_ = HostValues(problem_.precision, points);
  advance(*make(plans_.front().name), reference_);
}

bool SweepBench::fits(mpi::Communicator const& ranks, Device const& device,
                      Problem const& problem) {
  Execution const execution = default_execution(ranks, device, problem.grid);
  return solver_fits(ranks, device, problem, execution, possible_plans(ranks, problem, execution),
                     3);  // initial_, reference_, field_
}

SweepPlan SweepBench::default_plan() const {
  Execution execution = execution_;
  execution.plan = "auto";
  return sweep_plan_for(ranks_, problem_, execution);
}

// Correctness is measured first, on the random field. The timing then continues from that state:
// the speed of a sweep does not depend on values that are normal numbers.
PlanMeasurement SweepBench::measure(std::string const& plan) {
  auto const solver = make(plan);
  advance(*solver, field_);
  PlanMeasurement measured;
  measured.plan = solver->plan();
  measured.difference = largest_difference();
  // Compares bits as well as values: -0 equals 0, and NaN equals nothing.
  bool const other_bits =
      std::memcmp(field_.bytes().data(), reference_.bytes().data(), field_.bytes().size()) != 0;
  measured.equal = !ranks_.any(other_bits) && measured.difference == 0.0;
  measured.seconds = time_iteration(ranks_, *solver, batches_, solver->plan().steps);
  measured.points_per_second = static_cast<double>(problem_.grid.point_count()) / measured.seconds;
  if (copy_bytes_per_second_ == 0.0) {
    copy_bytes_per_second_ = copy_rate(ranks_, problem_, *solver);
  }
  measured.copy_bytes_per_second = copy_bytes_per_second_;
  measured.ratio =
      bytes_per_iteration(problem_) / measured.seconds / measured.copy_bytes_per_second;
  return measured;
}

// The first pass loads the kernels and allocates their working memory.
std::vector<KernelLaunch> SweepBench::launches(std::string const& plan) {
  auto const solver = make(plan);
  std::int64_t const steps = solver->plan().steps;
  solver->advance_to(steps);
  solver->wait();
  return launches_of(solver->queue(), [&] { solver->advance_to(2 * steps); });
}

// Each measurement uses a new solver: its plan is fixed when it is built.
std::unique_ptr<Solver> SweepBench::make(std::string const& plan) {
  execution_.plan = plan;
  auto solver = make_solver(ranks_, problem_, method_, execution_);
  solver->set_initial(std::as_const(initial_).view());
  return solver;
}

// common_steps_ covers full passes of every plan as well as an incomplete one.
void SweepBench::advance(Solver& solver, HostValues& field) const {
  solver.advance_to(common_steps_);
  solver.read_field(field.view());
}

double SweepBench::largest_difference() const {
  return ranks_.max(differences(field_, reference_).largest);
}

std::string steps_text(SweepPlan const& plan) {
  return plan.name == resident_plan ? "any" : std::to_string(plan.steps);
}

nlohmann::ordered_json steps_json(SweepPlan const& plan) {
  using Json = nlohmann::ordered_json;
  return plan.name == resident_plan ? Json() : Json(plan.steps);
}

}  // namespace isotherm::app
