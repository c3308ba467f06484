#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "solver/discretise/finite_volumes.hpp"
#include "solver/discretise/flux/heat_flow_meter.hpp"
#include "solver/discretise/medium_units.hpp"
#include "solver/time/ftcs.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/bodies.hpp"
#include "tests/support/shapes.hpp"

// Which boundary condition holds at a point, and the heat flux that it causes. In an MPI test, use
// EXPECT_*, not ASSERT_*: a rank that leaves early leaves the others waiting in their next
// collective call.

namespace isotherm::test {
namespace {

using enum BoundaryKind;

class BoundaryValues : public BackendTest {
 protected:
  mpi::Communicator ranks_{MPI_COMM_WORLD};
};

/// Enough iterations to leave rounding errors only.
MethodSettings cycles() {
  MethodSettings method = jacobi(30);
  method.name = "multigrid";
  return method;
}

/// A box of 9 points along an axis and few along the others, with insulated faces.
Problem slab_across(int axis) {
  Extent3 points{5, 6, 4};
  points[axis] = 9;
  return box_problem(Equation::laplace, 3, points, {neumann, 0.0});
}

TEST_F(BoundaryValues, EachRobinFaceOfAnAxisHasItsOwnCoefficient) {
  for (int const axis : {0, 1, 2}) {
    Problem problem = slab_across(axis);
    problem.boundary[{axis, false}] = {robin, 350.0, 2.0};
    problem.boundary[{axis, true}] = {robin, 290.0, 5.0};
    auto const solver = solved(problem, cycles());
    double const flow = 60.0 / (1.0 / 2.0 + 1.0 + 1.0 / 5.0);
    auto const exact = [&](double x, double y, double z) {
      return 350.0 - flow / 2.0 - flow * PerAxis<double>{x, y, z}[axis];
    };
    EXPECT_LE(ranks_.max(largest_error<double>(*solver, exact)), 1e-8) << axis;
    HeatFlows const flows = flows_of(*solver, problem);
    EXPECT_NEAR(flows.faces[(Face{axis, false})], flow, 1e-8) << axis;
    EXPECT_NEAR(flows.faces[(Face{axis, true})], -flow, 1e-8) << axis;
  }
}

/// The area is 1, the conductivity 3, the derivative 0.7.
TEST_F(BoundaryValues, NeumannFluxIsConductivityTimesDerivative) {
  for (int const axis : {0, 1, 2}) {
    for (bool const upper : {false, true}) {
      Problem problem = slab_across(axis);
      make_isotropic(problem, 3.0);
      problem.boundary[{axis, upper}] = {neumann, 0.7};
      problem.boundary[{axis, !upper}] = {dirichlet, 2.0};
      auto const solver = solved(problem, cycles());
      auto const exact = [&](double x, double y, double z) {
        double const at = PerAxis<double>{x, y, z}[axis];
        return 2.0 + 0.7 * (upper ? at : 1 - at);
      };
      EXPECT_LE(ranks_.max(largest_error<double>(*solver, exact)), 1e-10) << axis << upper;
      HeatFlows const flows = flows_of(*solver, problem);
      EXPECT_NEAR(flows.faces[(Face{axis, upper})], 2.1, 1e-10) << axis << upper;
      EXPECT_NEAR(flows.faces[(Face{axis, !upper})], -2.1, 1e-10) << axis << upper;
    }
  }
}

/// The four unknown points have values with the denominator 16. The corner belongs to the first
/// face; heat flows from there to the other face, too.
TEST_F(BoundaryValues, CountsFluxesBetweenDirichletFacesOnce) {
  if (ranks_.size() > 1) return;  // too few points to share
  Problem problem = box_problem(Equation::laplace, 2, {3, 3, 1}, {neumann, 0.0});
  problem.boundary[{0, false}] = {dirichlet, 1.0};
  problem.boundary[{1, false}] = {dirichlet, 0.0};
  auto const solver = solved(problem, cycles());
  HeatFlows const flows = flows_of(*solver, problem);
  EXPECT_NEAR(flows.faces[(Face{0, false})], 1.1875, 1e-10);
  EXPECT_NEAR(flows.faces[(Face{1, false})], -1.1875, 1e-10);
}

/// At the edge, the flux is limited by the conductance of the gap next to the Robin face. Mirroring
/// the grid changes nothing.
TEST_F(BoundaryValues, StiffRobinFaceIsLimitedByTheGapAtADirichletFace) {
  auto const flow = [&](bool upper) {
    Problem problem = box_problem(Equation::laplace, 2, {7, 6, 1}, {neumann, 0.0});
    std::vector<double> coordinates{0.0, 0.05, 0.15, 0.3, 0.5, 0.7, 1.0};
    if (upper) {
      std::ranges::reverse(coordinates);
      for (double& at : coordinates) at = 1.0 - at;
    }
    problem.grid = with_coordinates(problem.grid, 0, coordinates);
    problem.boundary[{0, upper}] = {robin, 1.0, 1e12};
    problem.boundary[{1, false}] = {dirichlet, 0.0};
    auto const solver = solved(problem, cycles());
    return flows_of(*solver, problem).faces[(Face{0, upper})];
  };
  double const lower = flow(false);
  EXPECT_GT(lower, 2.0);  // 0.1/0.05 through the edge point alone
  EXPECT_NEAR(flow(true), lower, 1e-8 * lower);
}

TEST_F(BoundaryValues, DirichletFaceOverridesFixedRegion) {
  Problem problem = box_problem(Equation::laplace, 2, {11, 11, 1}, {neumann, 0.0});
  problem.boundary[{0, false}] = {dirichlet, 1.0};
  problem.medium.fixed.push_back(
      {region([](double x, double y, double) { return x < 0.35 && y > 0.55; }), 5.0});
  problem.patches.push_back(  // makes face values vary from point to point
      {{1, false}, region([](double x, double, double) { return x > 0.55; }), {neumann, 0.5}});
  auto const solver = solved(problem, jacobi(3));
  std::vector<double> const u = field_of<double>(*solver);
  for_each_owned(solver->subdomain(), [&](Index3 p, std::size_t n) {
    if (p.x == 0) {
      EXPECT_EQ(u[n], 1.0) << p.y;
    } else if (p.x <= 3 && p.y >= 6) {
      EXPECT_EQ(u[n], 5.0) << p.x << ' ' << p.y;
    }
  });
}

/// The heat that has entered is Σ Δt · t times the length of the patch, summed over the times at
/// which steps evaluate the flux.
TEST_F(BoundaryValues, NeumannPatchMayDependOnTime) {
  Problem problem = box_problem(Equation::diffusion, 2, {9, 9, 1}, {neumann, 0.0});
  problem.initial.value = 0.0;
  problem.patches.push_back(
      {{0, false},
       region([](double, double y, double) { return y > 0.55; }),
       {neumann, varying([](double, double, double, double t) { return t; })}});
  for (std::string const name : {"ftcs", "rkl2", "backward_euler"}) {
    MethodSettings method = ftcs(6, 0.9 * largest_stable_time_step(problem));
    method.name = name;
    method.step_tolerance = 1e-12;
    method.check_every = 0;
    auto const solver = solved(problem, method);
    std::vector<double> const u = field_of<double>(*solver);
    double heat = 0.0;
    for_each_owned(solver->subdomain(),
                   [&](Index3 p, std::size_t n) { heat += u[n] * volume(problem.grid, {}, p); });
    double const step_s = method.time_step_s, length = 3.5 / 8;
    // 0 + … + 5, the integral of t from 0 to 6, and 1 + … + 6
    double const steps = name == "ftcs" ? 15.0 : name == "rkl2" ? 18.0 : 21.0;
    EXPECT_NEAR(ranks_.sum(heat), steps * step_s * step_s * length, 1e-9 * step_s * step_s) << name;
  }
}

/// At the rim of a Dirichlet patch, two conditions hold a point. Only their face exchanges heat, so
/// none flows through it in sum.
TEST_F(BoundaryValues, RimsShareAFaceWithOtherConditions) {
  Region const left = box_region({-0.2, 0.4, -1.0}, {0.45, 0.6, 1.0});
  Region const middle = box_region({-0.2, 0.4, -1.0}, {0.44, 0.6, 1.0});
  Region const right = box_region({0.56, 0.4, -1.0}, {1.1, 0.6, 1.0});
  Face const top{1, true};
  for (bool const has_gap : {false, true}) {
    Problem problem = box_problem(Equation::laplace, 2, {11, 6, 1}, {neumann, 0.0}, {1, 0.5, 1});
    if (!has_gap) problem.boundary[top] = {robin, 1.0, 2.0};
    problem.patches.push_back({top, has_gap ? middle : left, {dirichlet, 0.0}});
    if (has_gap) problem.patches.push_back({top, right, {dirichlet, 1.0}});
    HeatFlows const flows = flows_of(*solved(problem, cycles()), problem);
    EXPECT_NEAR(flows.faces[top], 0.0, 1e-10) << has_gap;
    EXPECT_GT(flows.in, 0.1) << has_gap;
    for (std::int64_t i = 0; i < 11; ++i) {
      FaceFlow const flow = face_flow(problem, MediumUnits{}, top, {i, 5, 0}, 0.0);
      EXPECT_NEAR(flow.conductance * flow.ambient + flow.flux, flow.at_zero, 1e-14) << i;
    }
  }
}

}  // namespace
}  // namespace isotherm::test
