#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

#include "solver/discretise/flux/heat_flow_meter.hpp"
#include "tests/support/bodies.hpp"
#include "tests/support/shapes.hpp"

// The fluxes of patches, and the energy of fields between electrodes.
namespace isotherm::test {
namespace {

using enum BoundaryKind;

class PatchFluxTest : public BackendTest {};

constexpr Face bottom{1, false};
constexpr Face top{1, true};

/// Returns the part of the bottom between two places along x.
Region strip(double from, double to) { return box_region({from, -1, -1}, {to, 1, 2}); }

/// A square of side 1 whose faces are insulated.
Problem plate(Extent3 points) { return box_problem(Equation::laplace, 2, points, {neumann, 0.0}); }

double sum_of(std::vector<double> const& numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), 0.0);
}

HeatFlows solved_flows(Problem const& problem) {
  auto const solver = solved(problem, cycles(1e-12));
  EXPECT_TRUE(solver->converged());
  return flows_of(*solver, problem);
}

/// Compares twice the energy with the sum of (value · flux) over electrodes and the grounded top.
void expect_energy_of_electrodes(Problem const& problem) {
  auto const solver = solved(problem, cycles(1e-12));
  HeatFlows const flows = flows_of(*solver, problem);
  double power = 0.0;
  for (std::size_t i = 0; i < problem.patches.size(); ++i) {
    power += problem.patches[i].condition.value.constant * flows.patches.at(i);
  }
  EXPECT_NEAR(2.0 * energy_of(*solver, problem) / power, 1.0, 1e-9);
  EXPECT_NEAR(sum_of(flows.patches), flows.faces[bottom], 1e-12 * std::abs(power));
}

/// Rims on points, between points, two electrodes that touch, and a narrow gap between two.
TEST_F(PatchFluxTest, EnergyOfElectrodesIsHalfOfValueTimesFlux) {
  Problem problem = plate({41, 21, 1});
  problem.boundary[top] = {dirichlet, 0.0};
  problem.patches.push_back({bottom, strip(0.15, 0.4), {dirichlet, 1.0}});
  expect_energy_of_electrodes(problem);
  problem.patches.push_back({bottom, strip(0.4, 0.517), {dirichlet, 3.0}});
  problem.patches.push_back({bottom, strip(0.53, 0.843), {dirichlet, -2.0}});
  expect_energy_of_electrodes(problem);
  expect_energy_of_electrodes(graded(problem));
  problem.medium.conductivity = {4.0, 7.0, 1.0};
  expect_energy_of_electrodes(problem);

  Problem block = box_problem(Equation::laplace, 3, {13, 9, 12}, {neumann, 0.0});
  block.boundary[top] = {dirichlet, 0.0};
  Region const disc = solid_region(make_ball(3, {0.4, 0.0, 0.5}, 0.237));
  block.patches.push_back({bottom, disc, {dirichlet, 2.0}});
  expect_energy_of_electrodes(block);
}

/// The rest of the bottom has a value, too, and the patch leaves a part of it free.
TEST_F(PatchFluxTest, EnergyOfAFaceAroundAPatch) {
  Problem problem = plate({41, 21, 1});
  problem.boundary[top] = {dirichlet, 0.0};
  problem.boundary[bottom] = {dirichlet, 1.0};
  problem.patches.push_back({bottom, strip(0.312, 0.653), {neumann, 0.0}});
  auto const solver = solved(problem, cycles(1e-12));
  HeatFlows const flows = flows_of(*solver, problem);
  EXPECT_NEAR(2.0 * energy_of(*solver, problem), flows.faces[bottom], 1e-9);
  EXPECT_EQ(flows.patches.at(0), 0.0);
}

TEST_F(PatchFluxTest, PatchesOfEqualElectrodesShareTheFluxOfOne) {
  Problem problem = plate({41, 21, 1});
  problem.boundary[top] = {dirichlet, 0.0};
  problem.patches.push_back({bottom, strip(0.21, 0.79), {dirichlet, 1.0}});
  double const whole = solved_flows(problem).patches.at(0);
  // The point at x = 0.5 belongs to the later patch, so the patches have 11 and 12 points.
  problem.patches = {{bottom, strip(0.21, 0.49), {dirichlet, 1.0}},
                     {bottom, strip(0.49, 0.79), {dirichlet, 1.0}}};
  std::vector<double> const parts = solved_flows(problem).patches;
  EXPECT_NEAR(sum_of(parts), whole, 1e-10 * whole);
  EXPECT_GT(parts.at(1), parts.at(0));
}

/// Two mirrored patches meet in the middle of the volume at x = 0.5. They let in half each of what
/// one patch does, whether the film or the medium limits the flow.
TEST_F(PatchFluxTest, ConvectionPatchesShareAVolume) {
  for (double const coefficient : {0.7, 1e5}) {
    Problem problem = plate({41, 21, 1});
    problem.boundary[top] = {dirichlet, 0.0};
    problem.patches.push_back({bottom, strip(0.283, 0.717), {robin, 1.0, coefficient}});
    double const whole = solved_flows(problem).patches.at(0);
    EXPECT_GT(whole, 0.1);
    problem.patches = {{bottom, strip(0.283, 0.5), {robin, 1.0, coefficient}},
                       {bottom, strip(0.5, 0.717), {robin, 1.0, coefficient}}};
    HeatFlows const flows = solved_flows(problem);
    EXPECT_NEAR(flows.patches.at(0), 0.5 * whole, 1e-8 * whole);
    EXPECT_NEAR(flows.patches.at(1), 0.5 * whole, 1e-8 * whole);
    EXPECT_NEAR(sum_of(flows.patches), flows.faces[bottom], 1e-12);
  }
}

/// A flux has its value times its length. A film lets out what all others let in.
TEST_F(PatchFluxTest, FluxPatchesHaveTheirPower) {
  Problem problem = plate({41, 21, 1});
  BoundaryCondition flux{neumann, 3.0};
  flux.is_flux = true;
  problem.patches.push_back({bottom, strip(0.1, 0.237), flux});
  flux.value = -0.5;
  problem.patches.push_back({bottom, strip(0.237, 0.4), flux});
  problem.patches.push_back({bottom, strip(0.613, 0.7), {robin, 1.0, 4.0}});
  problem.patches.push_back({top, strip(0.2, 0.9), {neumann, 0.0}});
  HeatFlows const flows = solved_flows(problem);
  EXPECT_NEAR(flows.patches.at(0), 3.0 * 0.137, 1e-12);
  EXPECT_NEAR(flows.patches.at(1), -0.5 * 0.163, 1e-12);
  EXPECT_NEAR(flows.patches.at(2), -(3.0 * 0.137 - 0.5 * 0.163), 1e-9);
  EXPECT_EQ(flows.patches.at(3), 0.0);
  EXPECT_NEAR(sum_of(flows.patches), flows.faces[bottom], 1e-14);
}

}  // namespace
}  // namespace isotherm::test
