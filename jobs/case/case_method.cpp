#include <algorithm>
#include <cmath>
#include <limits>

#include "jobs/case/case_parts.hpp"
#include "solver/problem/text.hpp"

namespace isotherm {
namespace {

void require_fit(CaseSection const& section, MethodSettings::Name name, Equation equation) {
  bool const transient = equation == Equation::diffusion;
  if ((name == MethodSettings::Name::ftcs) == transient) {
    return;
  }
  section.fail("name", transient ? R"(is "jacobi", which does not advance time (the diffusion )"
                                   R"(equation needs "ftcs"))"
                                 : R"(is "ftcs", which advances time (the )" +
                                       std::string(isotherm::name(equation)) +
                                       R"( equation needs "jacobi"))");
}

MethodSettings::Name read_name(CaseSection const& section, Equation equation) {
  std::string const fitting = equation == Equation::diffusion ? "ftcs" : "jacobi";
  MethodSettings::Name const name = section.text("name", fitting) == "ftcs"
                                        ? MethodSettings::Name::ftcs
                                        : MethodSettings::Name::jacobi;
  require_fit(section, name, equation);
  return name;
}

void read_tolerance(CaseSection const& section, MethodSettings& method) {
  method.norm = section.text("norm", "l2") == "max" ? Norm::max : Norm::l2;
  method.check_every = section.whole("check_every", method.check_every, 0);
  if (!section.has("tolerance")) {
    return;
  }
  method.tolerance = section.positive("tolerance");
  if (method.tolerance >= 1.0) {
    section.fail("tolerance", "is " + shortest(method.tolerance) +
                                  " (needs a number between 0 and 1: residual / first residual)");
  }
  if (method.check_every == 0) {
    section.fail("check_every", "is 0, so that tolerance is never looked at (needs at least 1)");
  }
}

void read_jacobi(CaseSection const& section, MethodSettings& method) {
  for (char const* key : {"steps", "end_time", "time_step", "stable_fraction"}) {
    section.refuse(key, R"(belongs to "ftcs" (for "jacobi" write iterations))");
  }
  section.require_key("iterations", "the most that are allowed, as in iterations = 1000");
  method.iterations = section.whole("iterations", 0, 0);
}

/// A step that exceeds the largest stable one by rounding alone is meant to be it.
double given_time_step(CaseSection const& section, double largest) {
  constexpr double rounding = 1e-12;
  double const step = section.positive("time_step");
  section.refuse("stable_fraction", R"(needs time_step = "stable")");
  if (step > largest * (1.0 + rounding)) {
    section.fail("time_step", "is " + shortest(step) +
                                  ", which is unstable: the largest stable time step is " +
                                  shortest(largest));
  }
  return std::min(step, largest);
}

double stable_time_step(CaseSection const& section, double largest) {
  double const fraction = section.positive("stable_fraction", 0.9);
  if (fraction > 1.0) {
    section.fail("stable_fraction",
                 "is " + shortest(fraction) + ", which is unstable (needs a number up to 1)");
  }
  return fraction * largest;
}

/// Time steps to reach `end_time`; shortens the time step so that the last one ends there.
std::int64_t steps_to(CaseSection const& section, double end_time, double largest,
                      double& time_step) {
  constexpr double rounding = 1e-9;
  double const ratio = end_time / time_step;
  if (!(ratio < static_cast<double>(most_iterations))) {
    section.fail("end_time", "is " + shortest(end_time) + ", which takes " + shortest(ratio) +
                                 " time steps of " + shortest(time_step) +
                                 " (more than can be counted)");
  }
  double const nearest = std::rint(ratio);
  double steps =
      std::abs(ratio - nearest) < rounding * ratio && nearest >= 1.0 ? nearest : std::ceil(ratio);
  if (end_time / steps > largest) {
    steps += 1.0;
  }
  // A step that fits but for rounding stays as it was written, so that a longer run can go on from
  // this one.
  constexpr double few_roundings = 4 * std::numeric_limits<double>::epsilon();
  if (std::abs(steps * time_step - end_time) > few_roundings * end_time) {
    time_step = end_time / steps;
  }
  return static_cast<std::int64_t>(steps);
}

void read_ftcs(CaseSection const& section, Problem const& problem, MethodSettings& method) {
  section.refuse("iterations", R"(belongs to "jacobi" (for "ftcs" write steps or end_time))");
  double const largest = largest_stable_time_step(problem.grid, problem.diffusivity);
  method.time_step_s = section.is_number("time_step") ? given_time_step(section, largest)
                                                      : stable_time_step(section, largest);
  if (!std::isnormal(method.time_step_s)) {
    section.fail("time_step", "comes to " + shortest(method.time_step_s) +
                                  " (choose other units of length or time)");
  }
  if (section.has("steps") && section.has("end_time")) {
    section.fail("end_time", "and steps both say how long to run (leave one out)");
  }
  if (section.has("end_time")) {
    method.iterations =
        steps_to(section, section.positive("end_time"), largest, method.time_step_s);
    return;
  }
  section.require_key("steps", "a number of time steps, or end_time");
  method.iterations = section.whole("steps", 0, 0);
}

}  // namespace

MethodSettings read_method(CaseDocument const& document, Problem const& problem) {
  CaseSection const section = document.section("method");
  MethodSettings method;
  method.name = read_name(section, problem.equation);
  read_tolerance(section, method);
  if (method.name == MethodSettings::Name::jacobi) {
    read_jacobi(section, method);
  } else {
    read_ftcs(section, problem, method);
  }
  return method;
}

}  // namespace isotherm
