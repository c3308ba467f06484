#include "app/bench/measure/plan_explanation.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "case/basics/text/text.hpp"
#include "kernels/core/error.hpp"
#include "kernels/core/queue/peak_rate.hpp"
#include "kernels/sweep/resident.hpp"
#include "solver/problem/conditions.hpp"

namespace isotherm::app {

namespace {

using Json = nlohmann::ordered_json;

/// Returns the operations of a step at a point, with fused ones counted once: an addition and an
/// operation with the weight for each axis, and one more in time. 0 if coefficients vary.
double operations_of(Problem const& problem) {
  if (is_heterogeneous(problem)) return 0.0;
  bool const in_time = problem.equation == Equation::diffusion;
  bool const has_source = needs_source_field(problem);
  return 2.0 * problem.grid.dimension + (in_time ? 1.0 : 0.0) + (has_source ? 1.0 : 0.0);
}

/// Returns the bytes of a step at a point. A resident grid stays on the chip of a GPU; CPUs repeat
/// the plain sweep.
double bytes_of(Problem const& problem, SweepPlan const& plan, Backend backend) {
  if (plan.name == resident_plan && backend == Backend::cuda) return 0.0;
  return bytes_per_iteration(problem) / static_cast<double>(problem.grid.point_count()) /
         plan.steps;
}

/// Returns what a launch occupies, in words.
std::string text_of(KernelLaunch const& launch) {
  return fmt::format(
      "{}: {} blocks of {} threads; {} registers, {} bytes spilled, {:.1f} KiB shared; {} blocks a "
      "multiprocessor, occupancy {:.2f}",
      launch.kernel, launch.blocks, launch.threads, launch.registers, launch.local_bytes,
      static_cast<double>(launch.shared_bytes) / 1024.0, launch.blocks_a_multiprocessor,
      launch.occupancy);
}

/// Returns a bound in words.
std::string bound_text(double points_per_s) {
  return points_per_s > 0.0 ? fmt::format("{:.4g} GCell/s", points_per_s * 1e-9) : "not known";
}

}  // namespace

double PlanExplanation::bound() const {
  if (memory_points_per_s <= 0.0) return arithmetic_points_per_s;
  if (arithmetic_points_per_s <= 0.0) return memory_points_per_s;
  return std::min(memory_points_per_s, arithmetic_points_per_s);
}

std::string PlanExplanation::bound_by() const {
  if (bound() <= 0.0) return "nothing";
  return bound() == memory_points_per_s ? "memory" : "arithmetic";
}

PlanExplanation explain(SweepBench& bench, Device const& device, Problem const& problem,
                        PlanMeasurement const& measured) {
  PlanExplanation explanation;
  try {
    explanation.launches = bench.launches(measured.plan.name);
  } catch (Error const& error) {
    explanation.obstacle = error.what();
  }
  explanation.bytes = bytes_of(problem, measured.plan, device.backend);
  explanation.operations = operations_of(problem);
  if (explanation.bytes > 0.0) {
    explanation.memory_points_per_s = measured.copy_bytes_per_second / explanation.bytes;
  }
  if (explanation.operations > 0.0) {
    explanation.arithmetic_points_per_s =
        peak_operation_rate(device.backend, device.number, problem.precision) /
        explanation.operations;
  }
  return explanation;
}

std::vector<std::string> lines_of(PlanExplanation const& explanation,
                                  PlanMeasurement const& measured) {
  std::vector<std::string> lines;
  for (KernelLaunch const& launch : explanation.launches) lines.push_back(text_of(launch));
  if (!explanation.obstacle.empty()) lines.push_back("no kernels: " + explanation.obstacle);
  lines.push_back(fmt::format("a point and step: {:.3g} bytes, {} operations", explanation.bytes,
                              explanation.operations > 0.0
                                  ? fmt::format("{:.0f}", explanation.operations)
                                  : std::string("varying")));
  std::string line =
      fmt::format("bounds: memory {}, arithmetic {}", bound_text(explanation.memory_points_per_s),
                  bound_text(explanation.arithmetic_points_per_s));
  if (explanation.bound() > 0.0) {
    line += fmt::format("; reached {:.2f} of the bound by {}",
                        measured.points_per_second / explanation.bound(), explanation.bound_by());
  }
  lines.push_back(line);
  return lines;
}

Json to_json(PlanExplanation const& explanation) {
  Json launches = Json::array();
  for (KernelLaunch const& launch : explanation.launches) {
    launches.push_back({{"kernel", launch.kernel},
                        {"blocks", launch.blocks},
                        {"threads", launch.threads},
                        {"registers", launch.registers},
                        {"spilled_bytes", launch.local_bytes},
                        {"shared_bytes", launch.shared_bytes},
                        {"blocks_per_multiprocessor", launch.blocks_a_multiprocessor},
                        {"occupancy", launch.occupancy}});
  }
  return {{"launches", launches},
          {"bytes_per_point", explanation.bytes},
          {"operations_per_point", explanation.operations},
          {"memory_bound_gcells_per_second", explanation.memory_points_per_s * 1e-9},
          {"arithmetic_bound_gcells_per_second", explanation.arithmetic_points_per_s * 1e-9},
          {"bound_by", explanation.bound_by()}};
}

}  // namespace isotherm::app
