#pragma once

#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "tests/support/bodies.hpp"

// Materials and fixed regions with exact shapes, between two plates.

namespace isotherm::test {

inline constexpr double infinity = std::numeric_limits<double>::infinity();

inline MethodSettings cycles(double tolerance = 1e-11) {
  MethodSettings method;
  method.name = "multigrid";
  method.iterations = 80;
  method.check_every = 1;
  method.tolerance = tolerance;
  return method;
}

/// A solid as a case file gives it: points within a billionth of its surface are inside.
inline Region solid_region(Solid const& solid) {
  auto const contains = [solid](double x, double y, double z) {
    constexpr double slack = 1e-10;
    Interval const chord =
        solid.some_chord(0, {{{{x, x}, {y - slack, y + slack}, {z - slack, z + slack}}}});
    return !chord.empty() && chord.lower - slack <= x && x <= chord.upper + slack;
  };
  return {contains, "a test's solid", solid};
}

inline Region box_region(PerAxis<double> const& lower, PerAxis<double> const& upper) {
  return solid_region(make_box(lower, upper));
}

/// An expression: its surface is found by bisection.
inline Region expression(Region::Contains contains) {
  return {std::move(contains), "an expression"};
}

/// A medium of conductivity 1 with one material in it.
inline void fill(Problem& problem, Region const& region, PerAxis<ScalarFunction> const& values,
                 ScalarFunction const& base = 1.0) {
  for (int axis = 0; axis < 3; ++axis) {
    problem.medium.conductivity[axis] = steady([=](double x, double y, double z) {
      return region.contains(x, y, z) ? values[axis](x, y, z, 0) : base(x, y, z, 0);
    });
  }
  problem.medium.layers = std::make_shared<std::vector<MediumLayer> const>(
      std::vector<MediumLayer>{{{}, {base, base, base}}, {region, values}});
}
inline void fill(Problem& problem, Region const& region, double conductivity) {
  fill(problem, region, {conductivity, conductivity, conductivity});
}

/// Two plates at 0 and 1 across `axis`; insulated on all other faces.
inline Problem plates(int dimension, Extent3 points, int axis, PerAxis<double> upper = {1, 1, 1}) {
  Problem problem =
      box_problem(Equation::laplace, dimension, points, {BoundaryKind::neumann, 0.0}, upper);
  problem.boundary[{axis, false}] = {BoundaryKind::dirichlet, 0.0};
  problem.boundary[{axis, true}] = {BoundaryKind::dirichlet, 1.0};
  return problem;
}

/// What flows in through the upper plate.
inline double flux(Problem const& problem, int axis) {
  auto solver = solved(problem, cycles());
  EXPECT_TRUE(solver->converged());
  return flows_of(*solver, problem).faces[{axis, true}];
}

}  // namespace isotherm::test
