#include <gtest/gtest.h>

#include "tests/support/backends.hpp"
#include "tests/support/shapes.hpp"

// Fields that only weak Robin faces hold: the operator is nearly singular, since a constant error
// hardly changes the residual.
namespace isotherm::test {
namespace {

using enum BoundaryKind;
using WeakRobin = BackendTest;

TEST_F(WeakRobin, ClaimsHoldForAnyCoefficient) {
  double const tolerance = 1e-8;
  for (double const coefficient : {1e-2, 1e-5, 1e-7, 1e-8, 1e-10}) {
    for (Extent3 const points : {Extent3{17, 17, 1}, Extent3{33, 20, 1}}) {
      Problem problem = box_problem(Equation::laplace, 2, points, {neumann, 0.0});
      problem.boundary[{0, false}] = {robin, 3.0, coefficient};
      problem.boundary[{0, true}] = {robin, 5.0, coefficient};
      // Three resistances in series.
      auto const exact = [=](double x, double, double) {
        return 3.0 + 2.0 * (1.0 / coefficient + x) / (2.0 / coefficient + 1.0);
      };
      auto solver = solved(problem, cycles(tolerance));
      EXPECT_TRUE(solver->converged()) << coefficient;
      double const error =
          mpi::Communicator(MPI_COMM_WORLD).max(largest_error<double>(*solver, exact));
      EXPECT_LT(error, 5.0 * tolerance) << coefficient << ' ' << points.x;
    }
  }
}

}  // namespace
}  // namespace isotherm::test
