#include "app/bench/studies/classic_cases.hpp"

#include <algorithm>

#include "app/bench/measure/bench_timing.hpp"
#include "case/basics/text/wording.hpp"
#include "kernels/core/error.hpp"

namespace isotherm::app {

namespace {

/// Laplace's equation in a cube: boundary 1, interior 0, float32, 20 Jacobi sweeps.
ClassicCase laplace(std::string const& name, std::int64_t n) {
  ClassicCase found{
      name, unit_problem({n, n, n}, Precision::float32, Equation::laplace, BoundaryKind::dirichlet),
      20};
  found.problem.initial.value = 0.0;
  return found;
}

/// Diffusion of a hot square in a periodic plane: float64, 2000 forward Euler steps.
ClassicCase diffusion(std::string const& name, std::int64_t n) {
  ClassicCase found{
      name,
      unit_problem({n, n, 1}, Precision::float64, Equation::diffusion, BoundaryKind::periodic),
      2000};
  found.problem.initial.value = 0.0;
  found.problem.initial.boxes = {{{0.25, 0.25, 0.0}, {0.75, 0.75, 1.0}, 1.0}};
  return found;
}

/// Returns the case in its published size.
ClassicCase published_case(std::string const& name) {
  if (name == "laplace-512") {
    ClassicCase found = laplace(name, 512);
    found.published = {{"plain 32x2x4", 134.8}};
    return found;
  }
  if (name == "laplace-1024") {
    ClassicCase found = laplace(name, 1024);
    found.published = {{"plain 32x2x4", 897.7}, {"march 16x16", 1953.5}};
    found.published_core_ms = 228977.0;
    return found;
  }
  return diffusion(name, 960);
}

}  // namespace

std::optional<double> ClassicCase::published_ms(std::string const& plan) const {
  auto const found = std::ranges::find(published, plan, &PublishedTime::plan);
  return found == published.end() ? std::nullopt : std::optional(found->ms);
}

std::vector<std::string> classic_case_names() {
  return {"laplace-512", "laplace-1024", "diffusion-960"};
}

ClassicCase classic_case(std::string const& name, std::int64_t points) {
  std::vector<std::string> const names = classic_case_names();
  if (std::ranges::find(names, name) == names.end()) {
    throw InputError("--case: there is no case " + in_quotes(name) + " (valid: " + join(names) +
                     ")");
  }
  if (points == 0) return published_case(name);
  return name == "diffusion-960" ? diffusion("diffusion", points) : laplace("laplace", points);
}

}  // namespace isotherm::app
