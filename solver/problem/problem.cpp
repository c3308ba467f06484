#include "solver/problem/problem.hpp"

#include <algorithm>
#include <utility>

#include "kernels/core/text.hpp"

namespace isotherm {

char const* name(Equation equation) {
  switch (equation) {
    case Equation::laplace:
      return "laplace";
    case Equation::poisson:
      return "poisson";
    case Equation::diffusion:
      return "diffusion";
  }
  return "unknown";
}

char const* name(BoundaryKind kind) {
  switch (kind) {
    case BoundaryKind::dirichlet:
      return "dirichlet";
    case BoundaryKind::neumann:
      return "neumann";
    case BoundaryKind::robin:
      return "robin";
    case BoundaryKind::periodic:
      return "periodic";
  }
  return "unknown";
}

char const* name(Norm norm) { return norm == Norm::l2 ? "l2" : "max"; }

// The text is what the user would have written.
ScalarFunction::ScalarFunction(double value) : constant(value), text(shortest(value)) {}

std::string name_of_fixed(Problem const& problem, std::size_t number) {
  std::string const& name = problem.medium.fixed.at(number).name;
  return name.empty() ? std::to_string(number) : name;
}

std::string name_of_patch(Problem const& problem, std::size_t number) {
  std::string const& name = problem.patches.at(number).name;
  return name.empty() ? std::to_string(number) : name;
}

std::vector<std::string> names_of_patches(Problem const& problem) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < problem.patches.size(); ++i) {
    std::string name = name_of_patch(problem, i);
    if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
  }
  return names;
}

double inverse_spacing_sum(Grid const& grid) {
  double sum = 0.0;
  // Axes of a single point are included, unlike in inverse_spacings_squared() of multigrid.
  for (int axis = 0; axis < grid.dimension; ++axis) {
    double const spacing = grid.spacing[axis];
    sum += 1.0 / (spacing * spacing);
  }
  return sum;
}

double largest_stable_time_step(Grid const& grid, double diffusivity) {
  return 1.0 / (2.0 * diffusivity * inverse_spacing_sum(grid));
}

}  // namespace isotherm
