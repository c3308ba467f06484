#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "solver/capacitance_matrix.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/shapes.hpp"

// Floating conductors: one unknown value with a given total flux, against closed forms.
namespace isotherm::test {
namespace {

using enum BoundaryKind;
using Floating = BackendTest;
constexpr double pi = std::numbers::pi;

FixedRegion floating(Region region, double flux = 0.0) {
  FixedRegion conductor{std::move(region), 0.0};
  conductor.floating_flux = flux;
  return conductor;
}

FixedRegion electrode(Region region, double value) { return {std::move(region), value}; }

void set_base(Problem& problem) {
  problem.medium.layers = std::make_shared<std::vector<MediumLayer> const>(
      std::vector<MediumLayer>{{{}, problem.medium.conductivity}});
}

/// A slab across the x axis.
Region slab(double from, double to) { return box_region({from, -1, -1}, {to, 2, 2}); }

FloatingConductor only_one(Solver& solver) {
  auto const all = solver.floating_conductors();
  EXPECT_EQ(all.size(), 1U);
  return all.at(0);
}

/// The slab between plates at 0 and 1 has the value of a voltage divider. A flux Q per area adds
/// Q over the conductances of both gaps.
TEST_F(Floating, SlabBetweenPlatesDividesTheVoltage) {
  double const left = 0.3137, right = 0.4561, gap = 1.0 - right;
  for (double const flux : {0.0, 2.5}) {
    double const exact = (1.0 / gap + flux) / (1.0 / left + 1.0 / gap);
    for (Precision const precision : {Precision::float64, Precision::float32}) {
      Problem problem = plates(2, {21, 9, 1}, 0);
      problem.precision = precision;
      set_base(problem);
      problem.medium.fixed.push_back(floating(slab(left, right), flux));
      bool const single = precision == Precision::float32;
      auto const solver = solved(problem, cycles(single ? 1e-5 : 1e-11));
      EXPECT_TRUE(solver->converged());
      FloatingConductor const found = only_one(*solver);
      EXPECT_NEAR(found.value, exact, single ? 1e-5 : 1e-10) << flux;
      EXPECT_NEAR(found.flux, flux, single ? 1e-3 : 1e-9) << flux;
    }
  }
}

/// The equations are linear: fluxes whose squares underflow yield the same values, scaled.
TEST_F(Floating, ValuesAreProportionalToTinyFluxes) {
  double const tiny = 0x1p-1000;  // 9e-302
  std::vector<double> values;
  for (double const flux : {1.0, tiny}) {
    Problem problem = box_problem(Equation::laplace, 2, {33, 33, 1}, {dirichlet, 0.0});
    set_base(problem);
    problem.medium.fixed.push_back(floating(box_region({0.4, 0.4, -1}, {0.6, 0.6, 1}), flux));
    auto const solver = solved(problem, cycles(1e-9));
    EXPECT_TRUE(solver->converged()) << flux;
    FloatingConductor const found = only_one(*solver);
    EXPECT_NEAR(found.flux / flux, 1.0, 1e-7);
    values.push_back(found.value / flux);
  }
  EXPECT_NEAR(values[1], values[0], 1e-9 * values[0]);
}

/// Sweeps begin with the values that multigrid finds. Without a tolerance they keep them.
TEST_F(Floating, SweepsAndFixedNumbersOfIterationsHaveTheSameValue) {
  Problem problem = plates(2, {13, 9, 1}, 0);
  set_base(problem);
  problem.medium.fixed.push_back(floating(slab(0.3137, 0.4561), 1.0));
  double const exact = (1.0 / 0.5439 + 1.0) / (1.0 / 0.3137 + 1.0 / 0.5439);
  MethodSettings method = jacobi(20000);
  method.check_every = 10;
  method.tolerance = 1e-7;
  auto const by_jacobi = solved(problem, method);
  EXPECT_TRUE(by_jacobi->converged());
  EXPECT_NEAR(only_one(*by_jacobi).value, exact, 1e-7);
  auto const few = solved(problem, jacobi(3));
  EXPECT_NEAR(only_one(*few).value, exact, 1e-8);
  MethodSettings some = cycles(0.0);
  some.iterations = 12;
  auto const by_cycles = solved(problem, some);
  EXPECT_NEAR(only_one(*by_cycles).value, exact, 1e-8);
  EXPECT_NEAR(only_one(*by_cycles).flux, 1.0, 1e-6);
}

/// An uncharged cylinder in a uniform field (u = x far away) has the potential at its center, and
/// the field (r − R²/r) cos φ around it.
TEST_F(Floating, CylinderInUniformFieldIsSecondOrder) {
  if (is_sanitized) GTEST_SKIP() << numbers_alone;
  double const radius = 0.2713;
  PerAxis<double> const center{0.5137, 0.4871, 0};
  auto const exact = [=](double x, double y, double) {
    double const dx = x - center[0], dy = y - center[1];
    double const squared = std::max(dx * dx + dy * dy, radius * radius);
    return center[0] + dx * (1.0 - radius * radius / squared);
  };
  std::vector<double> errors;
  for (int const n : {16, 32, 64}) {
    Problem problem =
        box_problem(Equation::laplace, 2, {n + 1, n + 1, 1}, {dirichlet, steady(exact)});
    set_base(problem);
    problem.medium.fixed.push_back(floating(solid_region(make_ball(2, center, radius))));
    auto const solver = solved(problem, cycles(1e-10));
    EXPECT_TRUE(solver->converged());
    errors.push_back(std::abs(only_one(*solver).value - center[0]));
    EXPECT_NEAR(only_one(*solver).flux, 0.0, 1e-8);
    RecordProperty("error_" + std::to_string(n), std::to_string(errors.back()));
  }
  EXPECT_LT(errors[0], 4e-4);
  EXPECT_LT(errors[2], 3e-5);
}

/// A charge Q inside a sphere of the radius R at 0: the shell that floats between the radii a and b
/// has the potential Q/(4π) (1/b − 1/R), whether the charge sits on the shell or on a ball within.
TEST_F(Floating, ShellAroundBallHasThePotentialOfTheChargesWithin) {
  if (is_sanitized) GTEST_SKIP() << numbers_alone;
  PerAxis<double> const center{0.5137, 0.4871, 0.5061};
  double const charge = 2.0, a = 0.26, b = 0.33, outer = 0.45;
  auto const distance = [=](double x, double y, double z) {
    return std::hypot(x - center[0], y - center[1], z - center[2]);
  };
  double const shell = charge / (4 * pi) * (1 / b - 1 / outer);
  double const ball = shell + charge / (4 * pi) * (1 / 0.12 - 1 / a);
  Problem problem = box_problem(Equation::laplace, 3, {25, 25, 25}, {dirichlet, 0.0});
  set_base(problem);
  problem.medium.fixed.push_back(electrode(
      expression([=](double x, double y, double z) { return distance(x, y, z) >= outer; }), 0.0));
  problem.medium.fixed.push_back(floating(expression([=](double x, double y, double z) {
    return distance(x, y, z) >= a && distance(x, y, z) <= b;
  })));
  problem.medium.fixed.push_back(floating(solid_region(make_ball(3, center, 0.12)), charge));
  auto const solver = solved(problem, cycles(1e-9));
  EXPECT_TRUE(solver->converged());
  auto const found = solver->floating_conductors();
  ASSERT_EQ(found.size(), 2U);
  EXPECT_NEAR(found[0].value, shell, 0.05 * shell);
  EXPECT_NEAR(found[1].value, ball, 0.03 * ball);
  EXPECT_NEAR(found[0].flux, 0.0, 1e-6);
  EXPECT_NEAR(found[1].flux, charge, 1e-6);
}

/// Charge and potential of a sphere in a grounded box are the same quantity: V(Q) = Q / C, where C
/// is its charge at the potential 1. This holds exactly for the discrete equations.
TEST_F(Floating, ChargedSphereInGroundedBoxHasTheReciprocalCapacitance) {
  if (is_sanitized) GTEST_SKIP() << numbers_alone;
  Problem problem = box_problem(Equation::laplace, 3, {11, 13, 9}, {dirichlet, 0.0});
  set_base(problem);
  Region const ball = solid_region(make_ball(3, {0.47, 0.53, 0.5}, 0.19));
  problem.medium.fixed = {electrode(ball, 1.0)};
  auto const given = solved(problem, cycles(1e-10));
  double const capacitance = flows_of(*given, problem).fixed[0];
  problem.medium.fixed = {floating(ball, 3.0)};
  auto const solver = solved(problem, cycles(1e-10));
  EXPECT_TRUE(solver->converged());
  EXPECT_NEAR(only_one(*solver).value * capacitance / 3.0, 1.0, 1e-8);
  mpi::Communicator const ranks(MPI_COMM_WORLD);
  CapacitanceMatrix const matrix(ranks, problem, execution(problem, ranks), 1e-10);
  EXPECT_NEAR(matrix.at(0, 0) / capacitance, 1.0, 1e-8);
}

/// Three conductors, one of them with a film, an electrode, a source, Robin and Neumann faces.
Problem several(Precision precision) {
  Problem problem = box_problem(Equation::poisson, 2, {25, 21, 1}, {neumann, 0.5}, {1.2, 1, 1});
  problem.precision = precision;
  problem.boundary[{0, false}] = {robin, 2.0, 3.0};
  problem.source = 1.5;
  set_base(problem);
  problem.medium.fixed.push_back(floating(solid_region(make_ball(2, {0.3, 0.4, 0}, 0.11)), 1.0));
  problem.medium.fixed.push_back(electrode(box_region({0.8, 0.1, -1}, {0.93, 0.22, 2}), -1.0));
  problem.medium.fixed.push_back(floating(box_region({0.5, 0.6, -1}, {0.72, 0.83, 2}), -2.0));
  FixedRegion pipe = floating(solid_region(make_ball(2, {0.9, 0.7, 0}, 0.1)), 0.25);
  pipe.film_coefficient = 4.0;
  problem.medium.fixed.push_back(pipe);
  return problem;
}

TEST_F(Floating, SeveralConductorsBalanceAndResume) {
  for (Precision const precision : {Precision::float64, Precision::float32}) {
    Problem const problem = several(precision);
    bool const single = precision == Precision::float32;
    MethodSettings method = cycles(single ? 1e-5 : 1e-9);
    method.relative_to = single ? RelativeTo::field : RelativeTo::rhs;
    auto const solver = solved(problem, method);
    EXPECT_TRUE(solver->converged());
    auto const found = solver->floating_conductors();
    ASSERT_EQ(found.size(), 3U);
    for (FloatingConductor const& one : found) {
      EXPECT_NEAR(one.flux, one.given_flux, single ? 2e-3 : 1e-7);
      EXPECT_TRUE(std::isfinite(one.value));
    }
    EXPECT_GT(std::abs(found[0].value - found[1].value), 0.01);
    // A solver that resumes takes the values from the field.
    mpi::Communicator const ranks(MPI_COMM_WORLD);
    auto const resumed = make_solver(ranks, problem, method, execution(problem, ranks));
    with_precision(precision, [&]<class Real>(Real) {
      std::vector<Real> const values = field_of<Real>(*solver);
      resumed->restore(std::span(values), {1, {}, {}});
    });
    auto const same = resumed->floating_conductors();
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_NEAR(same[i].value, found[i].value, single ? 1e-6 : 0.0);
      EXPECT_NEAR(same[i].flux, found[i].flux, single ? 1e-6 : 0.0);
    }
    resumed->advance_to(method.iterations);
    EXPECT_TRUE(resumed->converged());
  }
}

/// The values of conductors are rounded so that sweeps have the same bits on any number of ranks.
TEST_F(Floating, SweepsHaveTheSameBitsOnAnyNumberOfRanks) {
  Problem problem = several(Precision::float64);
  MethodSettings method = jacobi(60);
  method.check_every = 20;
  method.tolerance = 1e-6;
  auto const alone = [&] {
    mpi::Communicator const self = mpi::Communicator::self();
    Execution where = execution(problem, self);
    auto solver = make_solver(self, problem, method, where);
    solver->advance_to(method.iterations);
    return solver;
  }();
  auto const shared = solved(problem, method);
  std::vector<double> const whole = field_of<double>(*alone), mine = field_of<double>(*shared);
  GlobalBox const owned = shared->subdomain().owned_global();
  std::size_t at = 0;
  for (std::int64_t j = owned.lower.y; j < owned.upper.y; ++j) {
    for (std::int64_t i = owned.lower.x; i < owned.upper.x; ++i, ++at) {
      ASSERT_EQ(mine[at], whole[static_cast<std::size_t>(j * problem.grid.points.x + i)]) << i << j;
    }
  }
}

/// A face at 0.5, over which a ball reaches. One of its points lies on the face, one next to it.
Problem ball_over_face() {
  Problem problem;
  problem.equation = Equation::laplace;
  problem.grid = make_grid(2, {4, 7, 1}, {0.3, 0.3, 0.0}, {1.3, 1.3, 1.0}, {});
  for (int axis = 0; axis < 2; ++axis) set_axis(problem, axis, {neumann, 0.0});
  problem.boundary[{0, true}] = {dirichlet, 0.5};
  set_base(problem);
  return problem;
}

/// The flux is linear in the value. It is measured with a given value, at the same links.
TEST_F(Floating, ConductorOverFaceHasTheValueThatDrivesItsFlux) {
  Region const ball = solid_region(make_ball(2, {1.1956, 0.3, 0.0}, 0.2776));
  Problem given = ball_over_face();
  given.medium.fixed.push_back(electrode(ball, 1.0));
  double const flow = flows_of(*solved(given, cycles()), given).fixed[0];
  EXPECT_NEAR(flow, 0.815825, 1e-6);
  for (Equation const equation : {Equation::laplace, Equation::diffusion}) {
    Problem problem = ball_over_face();
    problem.equation = equation;
    problem.medium.fixed.push_back(floating(ball, 1.0));
    MethodSettings method = cycles();
    if (equation == Equation::diffusion) {
      method.name = "backward_euler";
      method.time_step_s = 1e6;
      method.tolerance = 0.0;
      method.iterations = 4;
      method.step_tolerance = 1e-12;
    }
    FloatingConductor const found = only_one(*solved(problem, method));
    EXPECT_NEAR(found.value, 0.5 + 0.5 / flow, 1e-6) << name(equation);
    EXPECT_NEAR(found.flux, 1.0, 1e-6) << name(equation);
  }
}

/// A region with another value than the face that it reaches over, next to a floating plate.
TEST_F(Floating, OtherRegionsOverFacesKeepTheirLinks) {
  Region const ball = solid_region(make_ball(2, {1.1956, 0.3, 0.0}, 0.2776));
  Region const plate = box_region({0.5, 0.9, -1.0}, {0.9, 1.1, 1.0});
  Problem problem = ball_over_face();
  problem.medium.fixed.push_back(electrode(ball, 1.0));
  problem.medium.fixed.push_back(floating(plate, 1.0));
  FloatingConductor const found = only_one(*solved(problem, cycles()));
  problem.medium.fixed[1] = electrode(plate, found.value);
  EXPECT_NEAR(flows_of(*solved(problem, cycles()), problem).fixed[1], 1.0, 1e-8);
}

std::string refusal_of(Problem const& problem) {
  try {
    (void)solved(problem, cycles());
  } catch (InputError const& error) {
    return error.what();
  }
  return {};
}

TEST_F(Floating, UndeterminedValuesAreRefused) {
  Problem loose = box_problem(Equation::laplace, 2, {11, 11, 1}, {neumann, 0.0});
  set_base(loose);
  loose.medium.fixed.push_back(floating(slab(0.3, 0.5)));
  EXPECT_NE(refusal_of(loose).find("only up to a constant"), std::string::npos);

  Problem apart = plates(2, {21, 21, 1}, 0);
  set_base(apart);
  apart.medium.fixed.push_back(floating(box_region({0.4, 0.4, -1}, {0.6, 0.6, 1})));
  apart.medium.insulated.push_back(region([](double x, double y, double) {
    double const r = std::max(std::abs(x - 0.5), std::abs(y - 0.5));
    return r > 0.24 && r < 0.36;
  }));
  EXPECT_NE(refusal_of(apart).find("separate"), std::string::npos);

  Problem covered = plates(2, {11, 11, 1}, 0);
  set_base(covered);
  covered.medium.fixed.push_back(floating(slab(0.3, 0.5)));
  covered.medium.fixed.push_back(electrode(slab(0.2, 0.6), 0.0));
  EXPECT_NE(refusal_of(covered).find("no point"), std::string::npos);

  Problem hidden = box_problem(Equation::laplace, 2, {11, 11, 1}, {neumann, 0.0});
  set_base(hidden);
  hidden.medium.fixed.push_back(electrode(slab(0.3, 0.5), 1.0));
  hidden.medium.fixed.push_back(floating(slab(0.2, 0.6), 1.0));
  hidden.medium.fixed[0].name = "pin";
  hidden.medium.fixed[1].name = "plate";
  std::string const refusal = refusal_of(hidden);
  EXPECT_NE(refusal.find("\"plate\": the region with a value \"pin\" has no point"),
            std::string::npos)
      << refusal;
  // A given value elsewhere determines all.
  hidden.boundary[{0, true}] = {dirichlet, 0.0};
  EXPECT_NEAR(only_one(*solved(hidden, cycles())).value, 0.4, 1e-8);

  Problem in_time = plates(2, {11, 11, 1}, 0);
  in_time.equation = Equation::diffusion;
  in_time.medium.fixed.push_back(floating(slab(0.3, 0.5)));
  mpi::Communicator const ranks(MPI_COMM_WORLD);
  EXPECT_THROW((void)make_solver(ranks, in_time, ftcs(3, 1e-4), execution(in_time, ranks)),
               InputError);
}

}  // namespace
}  // namespace isotherm::test
