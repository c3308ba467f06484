#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <string>

#include "tests/support/backends.hpp"
#include "tests/support/solving.hpp"

/// Polynomials that satisfy the discrete equations exactly. A sweep changes them by rounding only;
/// any other change shows a wrong boundary value, weight or source.
namespace isotherm::test {
namespace {

using Space = std::function<double(double, double, double)>;

struct Polynomial {
  std::string name;
  Space u;
  PerAxis<Space> derivative;
};

Polynomial linear() {
  return {"linear",
          [](double x, double y, double z) { return 0.5 - x + 2.0 * y - 0.25 * z; },
          {[](double, double, double) { return -1.0; }, [](double, double, double) { return 2.0; },
           [](double, double, double) { return -0.25; }}};
}
Polynomial saddle() {
  return {"saddle",
          [](double x, double y, double) { return x * x - y * y; },
          {[](double x, double, double) { return 2.0 * x; },
           [](double, double y, double) { return -2.0 * y; },
           [](double, double, double) { return 0.0; }}};
}
Polynomial product() {
  return {"product",
          [](double x, double y, double z) { return x * y * (z + 1.0); },
          {[](double, double y, double z) { return y * (z + 1.0); },
           [](double x, double, double z) { return x * (z + 1.0); },
           [](double x, double y, double) { return x * y; }}};
}
Polynomial three_squares() {
  return {"three_squares",
          [](double x, double y, double z) { return x * x + y * y - 2.0 * z * z; },
          {[](double x, double, double) { return 2.0 * x; },
           [](double, double y, double) { return 2.0 * y; },
           [](double, double, double z) { return -4.0 * z; }}};
}

/// A problem with the polynomial as solution. `kinds` has D (Dirichlet) or N (Neumann) for each
/// face.
Problem holding(Polynomial const& p, Equation equation, int dimension, std::string const& kinds) {
  Problem problem;
  problem.equation = equation;
  problem.grid = make_grid(dimension, {19, 14, dimension == 3 ? 12 : 1}, {-1.0, 0.5, -0.5},
                           {1.0, 1.5, 0.4}, {});
  problem.initial.value = steady(p.u);
  for (Face const face : faces(problem.grid)) {
    double const outward = face.upper ? 1.0 : -1.0;
    Space const slope = p.derivative[face.axis];
    if (kinds[static_cast<std::size_t>(face.index())] == 'D') {
      problem.boundary[face] = {BoundaryKind::dirichlet, steady(p.u)};
    } else {
      auto const g = [=](double x, double y, double z) { return outward * slope(x, y, z); };
      problem.boundary[face] = {BoundaryKind::neumann, steady(g)};
    }
  }
  return problem;
}

constexpr std::int64_t steps = 40;

double largest_change(Problem const& problem) {
  mpi::Communicator const ranks(MPI_COMM_WORLD);
  auto const solver =
      make_solver(ranks, problem, method_for(problem, steps), execution(problem, ranks));
  solver->advance_to(steps);
  auto const wanted = [&](double x, double y, double z) {
    return problem.initial.value(x, y, z, 0.0);
  };
  return problem.precision == Precision::float32 ? largest_error<float>(*solver, wanted)
                                                 : largest_error<double>(*solver, wanted);
}

double rounding(Problem const& problem) {
  double const epsilon = problem.precision == Precision::float32
                             ? std::numeric_limits<float>::epsilon()
                             : std::numeric_limits<double>::epsilon();
  return 4.0 * steps * epsilon;
}

class FixedPoint : public BackendTest {};

TEST_F(FixedPoint, KeepsHarmonicPolynomialsIn2D) {
  for (Polynomial const& p : {linear(), saddle()})
    for (char const* const kinds : {"DDDD", "NDDD", "DNND", "DDNN", "NNDN"})
      for (Equation const equation : {Equation::laplace, Equation::diffusion})
        for (Precision const precision : {Precision::float32, Precision::float64}) {
          SCOPED_TRACE(p.name + " " + kinds + " " + name(equation) + " " + name(precision));
          Problem problem = holding(p, equation, 2, kinds);
          problem.precision = precision;
          EXPECT_LE(largest_change(problem), rounding(problem));
        }
}

TEST_F(FixedPoint, KeepsHarmonicPolynomialsIn3D) {
  for (Polynomial const& p : {linear(), saddle(), product(), three_squares()})
    for (char const* const kinds : {"DDDDDD", "NDDNDN", "DNNNND", "NNNNDN"})
      for (Equation const equation : {Equation::laplace, Equation::diffusion})
        for (Precision const precision : {Precision::float32, Precision::float64}) {
          SCOPED_TRACE(p.name + " " + kinds + " " + name(equation) + " " + name(precision));
          Problem problem = holding(p, equation, 3, kinds);
          problem.precision = precision;
          EXPECT_LE(largest_change(problem), rounding(problem));
        }
}

TEST_F(FixedPoint, KeepsHarmonicPolynomialsWithNeumannFacesOnly) {
  for (Polynomial const& p : {linear(), product(), three_squares()}) {
    SCOPED_TRACE(p.name);
    Problem const problem = holding(p, Equation::diffusion, 3, "NNNNNN");
    EXPECT_LE(largest_change(problem), rounding(problem));
  }
}

TEST_F(FixedPoint, KeepsAParabolaWithItsSource) {
  // -∇·∇(x² + 3y²) = -8
  Polynomial const parabola{"parabola",
                            [](double x, double y, double) { return x * x + 3.0 * y * y; },
                            {[](double x, double, double) { return 2.0 * x; },
                             [](double, double y, double) { return 6.0 * y; },
                             [](double, double, double) { return 0.0; }}};
  for (char const* const kinds : {"DDDD", "NDND", "DNNN"}) {
    SCOPED_TRACE(kinds);
    Problem problem = holding(parabola, Equation::poisson, 2, kinds);
    problem.source = -8.0;
    EXPECT_LE(largest_change(problem), 8.0 * rounding(problem));
  }
}

TEST_F(FixedPoint, FollowsAFieldLinearInTime) {
  // u = x - 2y + 3t: u_t = 3, so f = 3, with time-dependent Dirichlet values and constant
  // derivatives.
  auto const u = [](double x, double y, double, double t) { return x - 2.0 * y + 3.0 * t; };
  Problem problem = box_problem(Equation::diffusion, 2, {15, 11, 1}, {});
  set_axis(problem, 0, {BoundaryKind::dirichlet, varying(u)});
  problem.boundary[y_lower] = {BoundaryKind::neumann, 2.0};
  problem.boundary[y_upper] = {BoundaryKind::neumann, -2.0};
  problem.source = 3.0;
  problem.initial.value = steady([u](double x, double y, double z) { return u(x, y, z, 0.0); });
  mpi::Communicator const ranks(MPI_COMM_WORLD);
  MethodSettings const method = method_for(problem, steps);

  auto const solver = make_solver(ranks, problem, method, execution(problem, ranks));
  solver->advance_to(steps);

  double const end = method.time_step_s * steps;
  EXPECT_DOUBLE_EQ(solver->time_s(), end);
  EXPECT_LE(
      largest_error<double>(*solver, [&](double x, double y, double z) { return u(x, y, z, end); }),
      rounding(problem));
}

TEST_F(FixedPoint, NeumannValuesAreTakenAtTheStartOfAStep) {
  // u = t (x² + y²): u_t = x² + y², ∇²u = 4t. Mirrored values are exact for parabolas. An Euler
  // step from t to t + Δt is exact for fields linear in time, if g and f are evaluated at time t.
  auto const u = [](double x, double y, double t) { return t * (x * x + y * y); };
  Problem problem = box_problem(Equation::diffusion, 2, {15, 11, 1}, {});
  problem.source =
      varying([](double x, double y, double, double t) { return x * x + y * y - 4.0 * t; });
  for (Face const face : faces(problem.grid)) {
    double const outward = face.upper ? 1.0 : -1.0;
    bool const in_x = face.axis == 0;
    problem.boundary[face] = {BoundaryKind::neumann,
                              varying([=](double x, double y, double, double t) {
                                return outward * 2.0 * t * (in_x ? x : y);
                              })};
  }
  mpi::Communicator const ranks(MPI_COMM_WORLD);
  MethodSettings const method = method_for(problem, steps);

  auto const solver = make_solver(ranks, problem, method, execution(problem, ranks));
  solver->advance_to(steps);

  double const end = method.time_step_s * steps;
  EXPECT_LE(
      largest_error<double>(*solver, [&](double x, double y, double) { return u(x, y, end); }),
      rounding(problem));
}

}  // namespace
}  // namespace isotherm::test
