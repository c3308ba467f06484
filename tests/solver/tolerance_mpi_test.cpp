#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "tests/support/backends.hpp"
#include "tests/support/bodies.hpp"

// A tolerance bounds the error relative to the range of the field, regardless of the coefficients
// and of a constant added to all given values.

namespace isotherm::test {
namespace {

class Tolerance : public BackendTest {};

/// A source of 1, with Dirichlet faces and initial values at `level`.
Problem heated(Equation equation, std::int64_t points, double level) {
  Problem problem = box_problem(equation, 2, {points, points, 1}, {BoundaryKind::dirichlet, level});
  problem.source = 1.0;
  problem.initial.value = level;
  return problem;
}

/// The same with conductivities of a ratio of 10.
Problem heated_medium(Equation equation, std::int64_t points, double level) {
  Problem problem = heated(equation, points, level);
  make_isotropic(problem,
                 steady([](double x, double y, double) { return std::exp(2.3 * x * (1.0 - y)); }));
  return problem;
}

MethodSettings to_tolerance(std::string const& name, double tolerance) {
  MethodSettings method;
  method.name = name;
  method.tolerance = tolerance;
  method.iterations = name == "multigrid" ? 50 : 60000;
  method.check_every = name == "multigrid" ? 1 : name == "jacobi" || name == "ftcs" ? 50 : 1;
  if (name == "backward_euler") method.time_step_s = 0.02;
  if (name == "crank_nicolson") method.time_step_s = 0.01;
  if (name == "ftcs") method.time_step_s = 1e-4;
  if (name == "rkl2") method.time_step_s = 5e-3;
  return method;
}

/// Returns the largest value over all ranks, less `level`.
double rise(Solver& solver, double level) {
  std::vector<double> const u = field_of<double>(solver);
  double largest = 0.0;
  for (double const value : u) largest = std::max(largest, value - level);
  return mpi::Communicator(MPI_COMM_WORLD).max(largest);
}

struct Ended {
  std::int64_t iterations;
  double rise;
  bool converged;
};
Ended end_of(Problem const& problem, MethodSettings const& method, double level) {
  auto const solver = solved(problem, method);
  return {solver->iteration(), rise(*solver, level), solver->converged()};
}

void expect_no_offset_matters(std::string const& name, bool medium) {
  SCOPED_TRACE(name + (medium ? " with a medium" : ""));
  bool const steady_method = name == "multigrid" || name == "jacobi";
  Equation const equation = steady_method ? Equation::poisson : Equation::diffusion;
  auto const problem = [&](double level) {
    return medium ? heated_medium(equation, 17, level) : heated(equation, 17, level);
  };
  MethodSettings const method = to_tolerance(name, 1e-6);
  Ended const from_zero = end_of(problem(0.0), method, 0.0);
  EXPECT_TRUE(from_zero.converged);
  EXPECT_GT(from_zero.iterations, 0);
  for (double const level : {300.0, -1e3}) {
    SCOPED_TRACE(level);
    Ended const shifted = end_of(problem(level), method, level);
    EXPECT_TRUE(shifted.converged);
    EXPECT_LE(std::abs(shifted.iterations - from_zero.iterations), method.check_every);
    EXPECT_NEAR(shifted.rise, from_zero.rise, 1e-6 * from_zero.rise);
  }
}

TEST_F(Tolerance, IsIndependentOfAnOffset) {
  for (char const* const name :
       {"multigrid", "jacobi", "ftcs", "rkl2", "backward_euler", "crank_nicolson"}) {
    expect_no_offset_matters(name, false);
    expect_no_offset_matters(name, true);
  }
}

/// Rounding, and the tolerance of a step, leave short waves. They are no change of the field in
/// time, although the operator amplifies them and crank_nicolson hardly damps them.
TEST_F(Tolerance, ImplicitStepsReachItWithAnyOffset) {
  for (char const* const name : {"backward_euler", "crank_nicolson"}) {
    for (bool const medium : {false, true}) {
      SCOPED_TRACE(std::string(name) + (medium ? " with a medium" : ""));
      auto const problem = [&](double level) {
        return medium ? heated_medium(Equation::diffusion, 65, level)
                      : heated(Equation::diffusion, 65, level);
      };
      MethodSettings const method = to_tolerance(name, 1e-6);
      Ended const from_zero = end_of(problem(0.0), method, 0.0);
      EXPECT_TRUE(from_zero.converged);
      EXPECT_LE(from_zero.iterations, 100);
      Ended const shifted = end_of(problem(1e4), method, 1e4);
      EXPECT_TRUE(shifted.converged);
      EXPECT_LE(std::abs(shifted.iterations - from_zero.iterations), 1);
      EXPECT_NEAR(shifted.rise, from_zero.rise, 2e-6 * from_zero.rise);
    }
  }
}

TEST_F(Tolerance, ImplicitStepsStopAtTheRoundingFloorOfFloat32) {
  for (char const* const name : {"backward_euler", "crank_nicolson"}) {
    for (bool const medium : {false, true}) {
      for (double const level : {0.0, 300.0, 1e6}) {
        SCOPED_TRACE(std::string(name) + (medium ? " with a medium" : "") + " at " +
                     std::to_string(level));
        Problem problem = medium ? heated_medium(Equation::diffusion, 65, level)
                                 : heated(Equation::diffusion, 65, level);
        problem.precision = Precision::float32;
        MethodSettings method = to_tolerance(name, level == 0.0 ? 1e-4 : 1e-6);
        method.iterations = 400;
        auto const solver = solved(problem, method);
        EXPECT_EQ(solver->converged(), level == 0.0);
        EXPECT_EQ(solver->stalled(), level != 0.0);
        EXPECT_LT(solver->iteration(), 120);
        auto const last = solver->state().last_residual;
        ASSERT_TRUE(last);
        // At a level of 300, half a unit in the last place is 2e-4 of the rise.
        if (level == 300.0) {
          EXPECT_GT(last->error.value_or(0.0), 1e-4);
        }
      }
    }
  }
}

TEST_F(Tolerance, BoundsTheErrorOfEveryMethod) {
  MethodSettings exact = to_tolerance("multigrid", 1e-13);
  for (bool const medium : {false, true}) {
    auto const problem = [&](Equation equation) {
      return medium ? heated_medium(equation, 17, 300.0) : heated(equation, 17, 300.0);
    };
    auto const reference = solved(problem(Equation::poisson), exact);
    double const range = rise(*reference, 300.0);
    for (char const* const name :
         {"multigrid", "jacobi", "ftcs", "rkl2", "backward_euler", "crank_nicolson"}) {
      SCOPED_TRACE(std::string(name) + (medium ? " with a medium" : ""));
      bool const steady_method = name == std::string("multigrid") || name == std::string("jacobi");
      MethodSettings method = to_tolerance(name, 1e-5);
      method.norm = Norm::max;
      auto const solver =
          solved(problem(steady_method ? Equation::poisson : Equation::diffusion), method);
      EXPECT_TRUE(solver->converged());
      EXPECT_LE(difference<double>(*solver, *reference), 2e-5 * range);
    }
  }
}

TEST_F(Tolerance, HoldsForALaplaceProblemFromZero) {
  // The right-hand side is large next to the faces only, and hardly related to the error.
  Problem problem = box_problem(Equation::laplace, 2, {65, 65, 1}, {});
  problem.boundary[{0, false}].value = 1.0;
  MethodSettings method = to_tolerance("jacobi", 1e-4);
  method.norm = Norm::max;
  auto const reference = solved(problem, to_tolerance("multigrid", 1e-12));
  auto const solver = solved(problem, method);
  EXPECT_TRUE(solver->converged());
  EXPECT_LE(difference<double>(*solver, *reference), 2e-4);
}

TEST_F(Tolerance, EqualChangesAreNotTakenForRounding) {
  // Until the faces are felt in the middle, the source changes it by as much in every sweep.
  Problem const problem = heated(Equation::poisson, 33, 0.0);
  MethodSettings method = to_tolerance("jacobi", 1e-3);
  method.norm = Norm::max;
  method.check_every = 3;
  auto const reference = solved(problem, to_tolerance("multigrid", 1e-12));
  auto const solver = solved(problem, method);
  EXPECT_TRUE(solver->converged());
  EXPECT_LE(difference<double>(*solver, *reference), 2e-3 * rise(*reference, 0.0));
}

TEST_F(Tolerance, IsNotHiddenByAStiffRobinFace) {
  for (double const coefficient : {1e3, 1e6, 1e10, 1e12, 1e20}) {
    SCOPED_TRACE(coefficient);
    Problem problem = box_problem(Equation::poisson, 2, {33, 33, 1}, {BoundaryKind::neumann});
    problem.source = steady([](double x, double y, double) { return std::sin(3 * y) * x; });
    problem.boundary[{0, false}] = {BoundaryKind::robin,
                                    steady([](double, double y, double) { return 20 * (1 + y); }),
                                    coefficient};
    auto const solver = solved(problem, to_tolerance("multigrid", 1e-8));
    EXPECT_TRUE(solver->converged());
    EXPECT_LE(solver->iteration(), 9);
    // The Dirichlet solution differs from it by the flux divided by the coefficient.
    Problem held = problem;
    held.boundary[{0, false}].kind = BoundaryKind::dirichlet;
    auto const reference = solved(held, to_tolerance("multigrid", 1e-12));
    EXPECT_LE(difference<double>(*solver, *reference), 100 / coefficient + 1e-6);
  }
}

TEST_F(Tolerance, IsReachedWithAWeakRobinFace) {
  for (double const coefficient : {1e-3, 1e-6}) {
    SCOPED_TRACE(coefficient);
    Problem problem = box_problem(Equation::poisson, 2, {41, 9, 1}, {BoundaryKind::neumann});
    problem.medium.conductivity = {5.0, 5.0, 5.0};
    problem.source = 1e-6;
    set_axis(problem, 0, {BoundaryKind::robin, 0.0, coefficient});
    auto const solver = solved(problem, to_tolerance("multigrid", 1e-9));
    EXPECT_TRUE(solver->converged());
    EXPECT_LT(solver->iteration(), 40);
    // The heat of the source leaves through both faces.
    EXPECT_NEAR(rise(*solver, 0.0) * 2 * coefficient, 1e-6, 1e-6 * 1e-6 / coefficient / 5 + 1e-14);
  }
}

/// Modes that are constant along the good conduction are held a million times more weakly than
/// others. The solution of the discrete equations is known.
TEST_F(Tolerance, HoldsForAnisotropyWithAnOffset) {
  using std::numbers::pi;
  constexpr double weak = 1e-6;
  constexpr double step = 1.0 / 32;
  for (double const level : {0.0, 1e3}) {
    SCOPED_TRACE(level);
    Problem problem = box_problem(Equation::poisson, 2, {33, 33, 1}, {BoundaryKind::neumann});
    set_axis(problem, 1, {BoundaryKind::dirichlet, level});
    problem.medium.conductivity = {1.0, weak, 1.0};
    problem.source = steady(
        [](double x, double y, double) { return std::cos(pi * x) * std::sin(pi * y) + weak; });
    auto const solver = solved(problem, to_tolerance("multigrid", 1e-10));
    EXPECT_TRUE(solver->converged());
    double const wave = 4 / (step * step) * std::pow(std::sin(pi * step / 2), 2);
    double const error = largest_error<double>(*solver, [&](double x, double y, double) {
      return level + std::cos(pi * x) * std::sin(pi * y) / (wave * (1 + weak)) + y * (1 - y) / 2;
    });
    EXPECT_LE(error, 2e-10 * solver->state().last_residual->range);
  }
}

TEST_F(Tolerance, ReportsTheRoundingFloorOfFloat32) {
  Problem problem = heated(Equation::poisson, 129, 300.0);
  problem.precision = Precision::float32;
  auto const solver = solved(problem, to_tolerance("multigrid", 1e-6));
  EXPECT_FALSE(solver->converged());
  EXPECT_TRUE(solver->stalled());
  EXPECT_LE(solver->iteration(), 8);
  // Half a unit in the last place of 300 is 1.5e-5, which is 2e-4 of the rise of 0.0737.
  double const error = solver->state().last_residual->error.value();
  EXPECT_GT(error, 1e-5);
  EXPECT_LT(error, 1e-3);

  problem.precision = Precision::float64;
  EXPECT_TRUE(solved(problem, to_tolerance("multigrid", 1e-6))->converged());
}

TEST_F(Tolerance, IsReachedFromAHugeInitialField) {
  // The first residual is 1e38 times the final one.
  Problem problem = heated(Equation::poisson, 9, 0.0);
  problem.source = 1e-30;
  problem.initial.value = 1e8;
  auto const solver = solved(problem, to_tolerance("multigrid", 1e-6));
  EXPECT_TRUE(solver->converged());
  EXPECT_NEAR(rise(*solver, 0.0), 0.0727e-30, 0.002e-30);
}

TEST_F(Tolerance, IsRelativeToTheInitialRangeIfGivenValuesAreEqual) {
  for (double const level : {0.0, 300.0}) {
    SCOPED_TRACE(level);
    Problem problem =
        box_problem(Equation::laplace, 2, {21, 17, 1}, {BoundaryKind::dirichlet, level});
    problem.initial.value = steady([level](double x, double y, double) {
      return level + std::sin(37 * x) * std::cos(29 * y);
    });
    for (char const* const name : {"jacobi", "multigrid"}) {
      SCOPED_TRACE(name);
      auto const solver = solved(problem, to_tolerance(name, 1e-5));
      EXPECT_TRUE(solver->converged());
      EXPECT_LE(rise(*solver, level), 1e-4);
    }
  }
}

TEST_F(Tolerance, HoldsFromARoughInitialField) {
  // The first changes belong to rough modes, which say little about smooth ones.
  Problem problem = box_problem(Equation::laplace, 2, {33, 33, 1}, {});
  problem.boundary[{0, false}].value = 1.0;
  auto const reference = solved(problem, to_tolerance("multigrid", 1e-12));
  problem.initial.value =
      steady([](double x, double y, double) { return std::sin(90 * x) * std::sin(95 * y); });
  MethodSettings method = to_tolerance("ftcs", 0.03);
  method.check_every = 10;
  problem.equation = Equation::diffusion;
  auto const solver = solved(problem, method);
  EXPECT_TRUE(solver->converged());
  EXPECT_LE(difference<double>(*solver, *reference), 0.06);
}

TEST_F(Tolerance, TransientTakesAtLeastOneStep) {
  for (char const* const name : {"ftcs", "rkl2", "backward_euler", "crank_nicolson"}) {
    SCOPED_TRACE(name);
    MethodSettings method = to_tolerance(name, 1e-3);
    for (RelativeTo const relative_to : {RelativeTo::field, RelativeTo::rhs}) {
      method.relative_to = relative_to;
      // The field does not change. The run may end, but not before its first step.
      Problem const problem =
          box_problem(Equation::diffusion, 2, {9, 9, 1}, {BoundaryKind::dirichlet, 300.0});
      Problem still = problem;
      still.initial.value = 300.0;
      EXPECT_GT(solved(still, method)->iteration(), 0);
    }
  }
}

TEST_F(Tolerance, ReferenceOfResidualsIsIndependentOfAnOffset) {
  MethodSettings method = to_tolerance("multigrid", 1e-6);
  method.relative_to = RelativeTo::rhs;
  for (bool const medium : {false, true}) {
    SCOPED_TRACE(medium);
    auto const problem = [&](double level) {
      return medium ? heated_medium(Equation::poisson, 33, level)
                    : heated(Equation::poisson, 33, level);
    };
    auto const from_zero = solved(problem(0.0), method);
    auto const shifted = solved(problem(300.0), method);
    EXPECT_EQ(from_zero->iteration(), shifted->iteration());
    EXPECT_NEAR(from_zero->state().reference.value(), shifted->state().reference.value(), 1e-9);
    EXPECT_TRUE(shifted->converged());
  }
}

TEST_F(Tolerance, ResidualsMayBeRelativeToTheFirst) {
  for (char const* const name : {"multigrid", "jacobi"}) {
    SCOPED_TRACE(name);
    Problem problem = heated(Equation::poisson, 17, 0.0);
    problem.initial.value = 1e6;
    MethodSettings method = to_tolerance(name, 1e-6);
    method.relative_to = RelativeTo::first;
    auto const by_first = solved(problem, method);
    method.relative_to = RelativeTo::rhs;
    auto const by_rhs = solved(problem, method);
    SolverState const state = by_first->state();
    EXPECT_TRUE(by_first->converged());
    EXPECT_EQ(state.reference, state.first_residual);
    EXPECT_LE(state.last_residual->value, 1e-6 * *state.first_residual);
    EXPECT_GT(state.last_residual->value, 1e-6 * *by_rhs->state().reference);
    EXPECT_LT(by_first->iteration(), by_rhs->iteration());
  }
}

/// Both ends are weakly coupled to ambient values, 0 and 100, so the field is nearly 50 everywhere.
/// The tolerance is relative to 100.
TEST_F(Tolerance, RangeIncludesAmbientValues) {
  for (char const* const name :
       {"multigrid", "jacobi", "ftcs", "rkl2", "backward_euler", "crank_nicolson"}) {
    SCOPED_TRACE(name);
    bool const steady_method = name == std::string("multigrid") || name == std::string("jacobi");
    Problem problem = box_problem(steady_method ? Equation::laplace : Equation::diffusion, 2,
                                  {9, 4, 1}, {BoundaryKind::neumann});
    double const coefficient = 0.1;
    problem.boundary[{0, false}] = {BoundaryKind::robin, 0.0, coefficient};
    problem.boundary[{0, true}] = {BoundaryKind::robin, 100.0, coefficient};
    MethodSettings method = to_tolerance(name, 1e-3);
    if (name == std::string("ftcs")) method.time_step_s = 3e-3;
    if (!steady_method && name != std::string("ftcs")) method.time_step_s = 0.2;
    auto const solver = solved(problem, method);
    EXPECT_TRUE(solver->converged());
    double const flow = 100.0 / (2.0 / coefficient + 1.0);
    double const error = mpi::Communicator(MPI_COMM_WORLD)
                             .max(largest_error<double>(*solver, [&](double x, double, double) {
                               return flow * (1.0 / coefficient + x);
                             }));
    EXPECT_LE(error, 0.12);
    // Relative to the field's own range, the tolerance would be 0.005.
    EXPECT_GE(error, name == std::string("multigrid") ? 0.0 : 0.03);
  }
}

/// Two phases in a pattern as fine as the grid. The energy norm of the error falls at once, and the
/// error in the parts that conduct little hardly: after four iterations a value may be 288 instead
/// of 1.
TEST_F(Tolerance, HoldsWhereCoarseGridsArePoor) {
  struct Pattern {
    PerAxis<double> first, second;  // waves along x and y
    double poor;                    // conductivity
    double source;
  };
  std::vector<Pattern> const patterns{{{100.0, 1.0}, {0.0, 67.0}, 1e-6, 0.0},
                                      {{75.0, -25.0}, {0.0, 124.0}, 1e-4, 1e-3},
                                      {{90.0, 0.0}, {0.0, 90.0}, 1e-6, 1e-3},
                                      {{20.0, 0.0}, {25.0, 45.0}, 1e-6, 0.0}};
  mpi::Communicator const ranks(MPI_COMM_WORLD);
  for (Pattern const& pattern : patterns) {
    Problem problem =
        box_problem(Equation::poisson, 2, {129, 129, 1}, {BoundaryKind::dirichlet, 0.5});
    problem.boundary[{0, false}].value = 0.0;
    problem.boundary[{0, true}].value = 1.0;
    problem.boundary[{1, true}] = {BoundaryKind::neumann, 0.0};
    problem.source = pattern.source;
    make_isotropic(problem, steady([=](double x, double y, double) {
                     double const a = std::sin(pattern.first[0] * x + pattern.first[1] * y);
                     double const b = std::sin(pattern.second[0] * x + pattern.second[1] * y);
                     return a * b > 0.0 ? 1.0 : pattern.poor;
                   }));
    auto const exact = solved(problem, to_tolerance("multigrid", 1e-9));
    EXPECT_TRUE(exact->converged());
    std::vector<double> const wanted = field_of<double>(*exact);
    double smallest = 1.0;
    double largest = 0.0;
    for (double const value : wanted) {
      smallest = std::min(smallest, value);
      largest = std::max(largest, value);
    }
    double const range = ranks.max(largest) + ranks.max(-smallest);
    for (double const tolerance : {1e-2, 1e-3}) {
      auto const solver = solved(problem, to_tolerance("multigrid", tolerance));
      EXPECT_TRUE(solver->converged());
      std::vector<double> const found = field_of<double>(*solver);
      double sum = 0.0;
      for (std::size_t n = 0; n < found.size(); ++n) {
        sum += (found[n] - wanted[n]) * (found[n] - wanted[n]);
      }
      auto const points = static_cast<double>(problem.grid.point_count());
      EXPECT_LE(std::sqrt(ranks.sum(sum) / points), tolerance * range)
          << pattern.first[0] << ' ' << tolerance << ' ' << solver->iteration();
    }
  }
}

/// Values that differ by rounding only count as one value, and the error is relative to that value.
TEST_F(Tolerance, IsReachedByAConstantFieldDespiteRounding) {
  Problem problem = box_problem(Equation::laplace, 2, {41, 9, 1}, {BoundaryKind::neumann});
  problem.precision = Precision::float32;
  make_isotropic(problem, steady([](double x, double y, double) { return 1 + x * y; }));
  set_axis(problem, 0, {BoundaryKind::robin, 300.1, 1e-6});
  problem.initial.value = 300.1;
  auto const solver = solved(problem, to_tolerance("multigrid", 1e-6));
  EXPECT_TRUE(solver->converged());
  EXPECT_GT(solver->iteration(), 0);  // 300.1 is not representable in float32
}

}  // namespace
}  // namespace isotherm::test
