#include <gtest/gtest.h>

#include "tests/support/backends.hpp"
#include "tests/support/shapes.hpp"

// A fluid between grid points: no point lies in it, so it acts on the volumes next to it.

namespace isotherm::test {
namespace {

using ThinFluid = BackendTest;

/// Plates at 0 and 1, and a sheet of fluid at 2 across the axis between them.
Problem sheet(int axis, double from, double to, double coefficient) {
  Extent3 points{5, 5, 1};
  points[axis] = 11;
  Problem problem = plates(2, points, axis);
  problem.medium.layers = std::make_shared<std::vector<MediumLayer> const>(
      std::vector<MediumLayer>{{{}, problem.medium.conductivity}});
  PerAxis<double> lower{-infinity, -infinity, -infinity}, upper{infinity, infinity, infinity};
  lower[axis] = from;
  upper[axis] = to;
  FixedRegion fluid{box_region(lower, upper), 2.0};
  fluid.film_coefficient = coefficient;
  fluid.is_excluded = true;
  problem.medium.fixed.push_back(fluid);
  return problem;
}

/// Both sides conduct from the surface to a plate, in series with the film.
TEST_F(ThinFluid, HeatsBothSidesThroughItsFilms) {
  double const h = 2.5;
  struct Sheet {
    double from, to;
  };
  for (int const axis : {0, 1}) {
    for (auto const [from, to] : {Sheet{0.42, 0.44}, Sheet{0.42, 0.47}, Sheet{0.46, 0.49}}) {
      Problem const problem = sheet(axis, from, to, h);
      auto const solver = solved(problem, cycles());
      EXPECT_TRUE(solver->converged());
      HeatFlows const flows = flows_of(*solver, problem);
      double const below = 2.0 / (1 / h + from), above = 1.0 / (1 / h + 1.0 - to);
      EXPECT_NEAR(flows.faces[(Face{axis, false})], -below, 1e-9) << axis << ' ' << from;
      EXPECT_NEAR(flows.faces[(Face{axis, true})], -above, 1e-9) << axis << ' ' << from;
      EXPECT_NEAR(flows.fixed[0], below + above, 1e-9) << axis << ' ' << from;
    }
  }
}

}  // namespace
}  // namespace isotherm::test
