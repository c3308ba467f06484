#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <string>

#include "tests/support/backends.hpp"
#include "tests/support/solving.hpp"

// Eigenmodes of the discrete operator decay by the exact factor per step.

namespace isotherm::test {
namespace {

/// One factor of a discrete eigenmode: a product of one factor per axis, which a step multiplies by
/// a number. Its phase advances by `angle` from point to point.
struct AxisMode {
  BoundaryKind lower, upper;
  double (*shape)(double phase);
  double angle;
};

/// Mode `k` of an axis of `n` points with ends "DD", "NN", "PP", "DN" or "ND".
AxisMode axis_mode(std::string const& ends, int k, std::int64_t n) {
  using enum BoundaryKind;
  auto const sine = [](double phase) { return std::sin(phase); };
  auto const cosine = [](double phase) { return std::cos(phase); };
  double const pi = std::numbers::pi;
  auto const intervals = static_cast<double>(n - 1);
  if (ends == "DD") return {dirichlet, dirichlet, sine, k * pi / intervals};
  if (ends == "NN") return {neumann, neumann, cosine, k * pi / intervals};
  if (ends == "PP") return {periodic, periodic, cosine, 2.0 * k * pi / static_cast<double>(n)};
  if (ends == "DN") return {dirichlet, neumann, sine, (k + 0.5) * pi / intervals};
  return {neumann, dirichlet, cosine, (k + 0.5) * pi / intervals};
}

struct Mode {
  PerAxis<std::string> ends;
  PerAxis<int> k;
};

struct ModeProblem {
  Problem problem;
  PerAxis<AxisMode> modes;
};

ModeProblem mode_problem(Equation equation, Precision precision, int dimension, Mode const& mode) {
  Extent3 const n{21, 18, dimension == 3 ? 13 : 1};
  ModeProblem made{};
  made.problem.equation = equation;
  made.problem.precision = precision;
  made.problem.diffusivity = 0.4;
  PerAxis<bool> periodic{};
  for (int d = 0; d < dimension; ++d) {
    made.modes[d] = axis_mode(mode.ends[d], mode.k[d], n[d]);
    periodic[d] = mode.ends[d] == "PP";
    made.problem.boundary[{d, false}].kind = made.modes[d].lower;
    made.problem.boundary[{d, true}].kind = made.modes[d].upper;
  }
  made.problem.grid = make_grid(dimension, n, {0, 0, 0}, {1.0, 1.3, 0.6}, periodic);
  made.problem.initial.value = steady([made](double x, double y, double z) {
    PerAxis<double> const at{x, y, z};
    double product = 1.0;
    for (int d = 0; d < made.problem.grid.dimension; ++d) {
      double const number = at[d] / made.problem.grid.spacing[d];
      product *= made.modes[d].shape(made.modes[d].angle * number);
    }
    return product;
  });
  return made;
}

/// Returns Σ_d 2 cos(angle_d) / h_d², the eigenvalue of the neighbour sum.
double neighbour_eigenvalue(ModeProblem const& decaying) {
  double sum = 0.0;
  for (int d = 0; d < decaying.problem.grid.dimension; ++d) {
    double const h = decaying.problem.grid.spacing[d];
    sum += 2.0 * std::cos(decaying.modes[d].angle) / (h * h);
  }
  return sum;
}

double factor_per_step(ModeProblem const& decaying, MethodSettings const& method) {
  double const diagonal = 2.0 * inverse_spacing_sum(decaying.problem.grid);
  if (method.name == "jacobi") return neighbour_eigenvalue(decaying) / diagonal;
  double const scale = decaying.problem.diffusivity * method.time_step_s;
  return 1.0 + scale * (neighbour_eigenvalue(decaying) - diagonal);
}

template <class Real>
void expect_decay(ModeProblem const& decaying) {
  constexpr std::int64_t steps = 23;
  mpi::Communicator const ranks(MPI_COMM_WORLD);
  MethodSettings const method = method_for(decaying.problem, steps);
  double const left = std::pow(factor_per_step(decaying, method), static_cast<double>(steps));

  auto const solver =
      make_solver(ranks, decaying.problem, method, execution(decaying.problem, ranks));
  solver->advance_to(steps);

  double const error = largest_error<Real>(*solver, [&](double x, double y, double z) {
    return left * decaying.problem.initial.value(x, y, z, 0.0);
  });
  EXPECT_LE(error, 4.0 * static_cast<double>(steps) * std::numeric_limits<Real>::epsilon());
  EXPECT_GT(std::abs(left), 0.02) << "too little is left of the mode to tell";
}

using Case = std::tuple<Equation, Precision, int, Mode>;
class EigenmodeDecay : public OnTestedBackend<testing::TestWithParam<Case>> {};

TEST_P(EigenmodeDecay, DecaysByTheExactFactor) {
  auto const& [equation, precision, dimension, mode] = GetParam();
  ModeProblem const decaying = mode_problem(equation, precision, dimension, mode);
  precision == Precision::float32 ? expect_decay<float>(decaying) : expect_decay<double>(decaying);
}

std::string case_name(testing::TestParamInfo<Case> const& info) {
  auto const& [equation, precision, dimension, mode] = info.param;
  std::string text = std::string(name(equation)) + std::to_string(dimension) + "D_" +
                     name(precision) + "_" + mode.ends[0] + mode.ends[1];
  return dimension == 3 ? text + mode.ends[2] : text;
}

auto const precisions = testing::Values(Precision::float32, Precision::float64);
INSTANTIATE_TEST_SUITE_P(Diffusion, EigenmodeDecay,
                         testing::Combine(testing::Values(Equation::diffusion), precisions,
                                          testing::Values(2, 3),
                                          testing::Values(Mode{{"PP", "PP", "PP"}, {2, 1, 1}},
                                                          Mode{{"DD", "DD", "DD"}, {1, 2, 1}},
                                                          Mode{{"NN", "NN", "NN"}, {2, 0, 1}},
                                                          Mode{{"DN", "ND", "PP"}, {1, 0, 1}},
                                                          Mode{{"ND", "PP", "DN"}, {0, 2, 0}},
                                                          Mode{{"PP", "NN", "DD"}, {1, 1, 1}})),
                         case_name);
INSTANTIATE_TEST_SUITE_P(Laplace, EigenmodeDecay,
                         testing::Combine(testing::Values(Equation::laplace), precisions,
                                          testing::Values(2, 3),
                                          testing::Values(Mode{{"DD", "DD", "DD"}, {1, 2, 1}},
                                                          Mode{{"DD", "NN", "PP"}, {2, 1, 1}},
                                                          Mode{{"DN", "PP", "NN"}, {1, 0, 1}},
                                                          Mode{{"PP", "ND", "DN"}, {2, 0, 1}})),
                         case_name);

}  // namespace
}  // namespace isotherm::test
