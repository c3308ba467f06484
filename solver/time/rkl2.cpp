#include "solver/time/rkl2.hpp"

#include <cmath>

#include "kernels/core/error.hpp"
#include "kernels/core/text.hpp"
#include "solver/discretise/medium_units.hpp"
#include "solver/problem/conditions.hpp"
#include "solver/time/ftcs.hpp"

namespace isotherm {

namespace {

/// Returns b_j of the paper.
double weight_of(int j) {
  if (j < 2) return 1.0 / 3.0;
  double const n = j;
  return (n * n + n - 2.0) / (2.0 * n * (n + 1.0));
}

}  // namespace

double rkl2_span(int stages) {
  double const s = stages;
  return (s * s + s - 2.0) / 4.0;
}

std::vector<LegendreStage> rkl2_stages(int stages) {
  require(stages >= 3, "a step of rkl2 needs three stages");
  double const w = 1.0 / rkl2_span(stages);
  std::vector<LegendreStage> all{{.rate = w / 3.0, .end = w / 3.0}};
  for (int j = 2; j <= stages; ++j) {
    double const n = j;
    double const b = weight_of(j);
    LegendreStage stage;
    stage.latest = (2.0 * n - 1.0) / n * b / weight_of(j - 1);
    stage.older = -(n - 1.0) / n * b / weight_of(j - 2);
    stage.rate = stage.latest * w;
    stage.first = -(1.0 - weight_of(j - 1)) * stage.rate;
    stage.end = j == stages ? 1.0 : rkl2_span(j) * w;
    all.push_back(stage);
  }
  return all;
}

int rkl2_stage_count(double time_step_s, double stable_step_s) {
  constexpr double roundings = 1e-12;  // a step meant to be the limit may exceed it by these
  if (!(time_step_s > 0.0) || !std::isfinite(time_step_s)) {
    throw SettingError("time_step", "is " + shortest(time_step_s) + " (needs a positive number)");
  }
  double const longest_s = max_rkl2_span * stable_step_s;
  if (time_step_s > longest_s * (1.0 + roundings)) {
    throw SettingError("time_step",
                       "is " + shortest(time_step_s) + ", but the longest step of rkl2 is " +
                           shortest(longest_s) + ", " + shortest(max_rkl2_span) +
                           " stable steps (backward_euler and crank_nicolson allow longer ones)");
  }
  int stages = 3;
  while (time_step_s > rkl2_span(stages) * stable_step_s * (1.0 + roundings)) stages += 2;
  return stages;
}

double stable_step(Problem const& problem, MethodSettings const& method) {
  return std::isfinite(method.longest_step_s) ? method.longest_step_s / max_rkl2_span
                                              : largest_stable_time_step(problem);
}

Scheme rkl2_scheme(Problem const& problem, MethodSettings const& method) {
  check_explicit(problem, method.name);
  double const step_s = method.time_step_s;
  (void)rkl2_stage_count(step_s, stable_step(problem, method));
  Scheme scheme;
  scheme.time_step_s = step_s;
  scheme.source_factor = step_s;
  scheme.residual_factor =
      1.0 / (is_heterogeneous(problem) ? medium_units(problem).time() : step_s);
  if (is_heterogeneous(problem)) return scheme;
  for (int axis = 0; axis < problem.grid.dimension; ++axis) {
    double const spacing = problem.grid.spacing[axis];
    scheme.weight[axis] = problem.diffusivity * step_s / (spacing * spacing);
  }
  return scheme;
}

}  // namespace isotherm
