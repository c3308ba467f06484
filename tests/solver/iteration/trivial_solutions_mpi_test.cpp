#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/backends.hpp"
#include "tests/support/shapes.hpp"

// Problems whose solution is constant or zero: a run recognises it in spite of rounding.

namespace isotherm::test {
namespace {

using enum BoundaryKind;
using TrivialSolutions = BackendTest;

/// The weights of a sweep are rounded, so sweeps in float32 would change 0.1 by units in the last
/// place, which correspond to residuals of 0.01 at a spacing of 0.001.
TEST_F(TrivialSolutions, SweepsAcceptConstantFieldThatIsExact) {
  for (Norm const norm : {Norm::max, Norm::l2}) {
    Problem problem =
        box_problem(Equation::laplace, 2, {101, 65, 1}, {dirichlet, 0.1}, {0.1, 0.064, 1});
    problem.precision = Precision::float32;
    problem.initial.value = 0.1;
    MethodSettings method = jacobi(2000);
    method.tolerance = 1e-6;
    method.norm = norm;
    auto const solver = solved(problem, method);
    EXPECT_TRUE(solver->converged());
    EXPECT_EQ(solver->iteration(), 0);
    for (float const value : field_of<float>(*solver)) ASSERT_EQ(value, 0.1F);
  }
}

TEST_F(TrivialSolutions, ConstantFieldThatIsNotTheSolutionIsIterated) {
  Problem problem = box_problem(Equation::laplace, 2, {17, 17, 1}, {dirichlet, 0.1});
  problem.initial.value = 0.2;
  MethodSettings method = jacobi(5000);
  method.tolerance = 1e-6;
  auto const solver = solved(problem, method);
  EXPECT_TRUE(solver->converged());
  EXPECT_GT(solver->iteration(), 0);
}

/// A constant source without given values: nothing remains of it but rounding.
TEST_F(TrivialSolutions, ProjectionOfConstantSourceLeavesZero) {
  for (double const conductivity : {1.0, 3.3}) {
    for (Precision const precision : {Precision::float32, Precision::float64}) {
      Problem problem = box_problem(Equation::poisson, 2, {101, 5, 1}, {neumann, 0.0}, {1, 0.7, 1});
      problem.precision = precision;
      problem.source = 0.3;
      problem.project = true;
      make_isotropic(problem, conductivity);
      auto const solver = solved(problem, cycles(1e-6));
      EXPECT_TRUE(solver->converged()) << conductivity;
      with_precision(precision, [&]<class Real>(Real) {
        for (Real const value : field_of<Real>(*solver)) ASSERT_EQ(value, Real{0});
      });
    }
  }
}

/// Insulated or fixed regions that leave nothing to solve for.
TEST_F(TrivialSolutions, RegionsThatLeaveNoUnknownAreRefused) {
  for (bool const insulates : {true, false}) {
    Problem problem = plates(2, {9, 9, 1}, 0);
    Region const everything = box_region({-1, -1, -1}, {2, 2, 2});
    problem.medium.layers = std::make_shared<std::vector<MediumLayer> const>(
        std::vector<MediumLayer>{{{}, problem.medium.conductivity}});
    if (insulates) problem.medium.insulated.push_back(everything);
    if (!insulates) problem.medium.fixed.push_back({everything, 0.5});
    std::string message;
    try {
      (void)solved(problem, cycles());
    } catch (InputError const& error) {
      message = error.what();
    }
    EXPECT_NE(message.find("leave no unknown"), std::string::npos) << message;
  }
}

}  // namespace
}  // namespace isotherm::test
