#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

#include "solver/time/ftcs.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/bodies.hpp"

/// Textbook problems in heterogeneous media, and the order of convergence: second order if
/// conductivities and boundaries are smooth, first order if a curved shape is approximated by grid
/// points.
namespace isotherm::test {
namespace {

using enum BoundaryKind;

MethodSettings cycles(double tolerance = 1e-11) {
  MethodSettings method;
  method.name = "multigrid";
  method.iterations = 60;
  method.check_every = 1;
  method.tolerance = tolerance;
  return method;
}

std::unique_ptr<Solver> solution(Problem const& problem) {
  auto solver = solved(problem, cycles());
  EXPECT_TRUE(solver->converged());
  return solver;
}

template <class Function>
double error_of(Solver& solver, Function const& wanted) {
  return mpi::Communicator(MPI_COMM_WORLD).max(largest_error<double>(solver, wanted));
}

/// Expects each error to be smaller than the one before, on a grid twice as coarse, by a factor
/// between `least` and `most`.
void expect_to_fall(std::vector<double> const& errors, double minimum,
                    double maximum = std::numeric_limits<double>::infinity()) {
  for (std::size_t n = 1; n < errors.size(); ++n) {
    EXPECT_GT(errors[n - 1] / errors[n], minimum) << errors[n - 1] << " -> " << errors[n];
    EXPECT_LT(errors[n - 1] / errors[n], maximum) << errors[n - 1] << " -> " << errors[n];
  }
}
void expect_second_order(std::vector<double> const& errors) { expect_to_fall(errors, 3.6, 4.6); }

/// Returns the whole field on every rank, x fastest.
std::vector<double> whole_field(Solver& solver) {
  Grid const& grid = solver.subdomain().grid();
  std::vector<double> const own = field_of<double>(solver);
  std::vector<std::uint64_t> bits(static_cast<std::size_t>(grid.point_count()));
  for_each_owned(solver.subdomain(), [&](Index3 p, std::size_t n) {
    auto const at = (p.z * grid.points.y + p.y) * grid.points.x + p.x;
    bits[static_cast<std::size_t>(at)] = std::bit_cast<std::uint64_t>(own[n]);
  });
  bits = mpi::Communicator(MPI_COMM_WORLD).sum(bits);  // other ranks contribute zeros
  std::vector<double> all;
  for (std::uint64_t const value : bits) all.push_back(std::bit_cast<double>(value));
  return all;
}

/// Returns the area of a point's cell on a face, halved at each edge.
double area(Grid const& grid, int across, Index3 p) {
  double product = 1.0;
  for (int axis = 0; axis < grid.dimension; ++axis) {
    if (axis == across) continue;
    bool const end = p[axis] == 0 || p[axis] == grid.points[axis] - 1;
    product *= grid.spacing[axis] * (end ? 0.5 : 1.0);
  }
  return product;
}

/// Returns the heat flow from the points of a region to their neighbours, for κ = 1.
double outflow(Solver& solver, Region const& region) {
  Grid const& grid = solver.subdomain().grid();
  std::vector<double> const u = whole_field(solver);
  Extent3 const n = grid.points;
  auto const at = [&](Index3 p) {
    return u[static_cast<std::size_t>((p.z * n.y + p.y) * n.x + p.x)];
  };
  auto const inside = [&](Index3 p) {
    return region.contains(grid.coordinate(0, p.x), grid.coordinate(1, p.y),
                           grid.coordinate(2, p.z));
  };
  double sum = 0.0;
  for (Index3 p; p.z < n.z; ++p.z)
    for (p.y = 0; p.y < n.y; ++p.y)
      for (p.x = 0; p.x < n.x; ++p.x)
        for (int axis = 0; axis < grid.dimension; ++axis) {
          Index3 next = p;
          if (++next[axis] == n[axis] || inside(p) == inside(next)) continue;
          double const flow = (at(p) - at(next)) * area(grid, axis, p) / grid.spacing[axis];
          sum += inside(p) ? flow : -flow;
        }
  return sum;
}

// --- Smooth media ---------------------------------------------------------------------------

double wave(double x, double y, double z) {
  return std::sin(1.3 * x + 0.2) * std::exp(0.5 * y) * std::cos(z);
}
double slope(int axis, double x, double y, double z) {
  if (axis == 0) return 1.3 * std::cos(1.3 * x + 0.2) * std::exp(0.5 * y) * std::cos(z);
  return axis == 1 ? 0.5 * wave(x, y, z)
                   : -std::sin(1.3 * x + 0.2) * std::exp(0.5 * y) * std::sin(z);
}
/// Returns the second derivative of `wave` along an axis.
double bend(int axis, double x, double y, double z) {
  PerAxis<double> const squares{-1.69, 0.25, -1.0};
  return squares[axis] * wave(x, y, z);
}

/// κ = size · e^(a x + b y + c z). Its derivatives are multiples of itself.
struct Exponential {
  double size;
  PerAxis<double> rates;
  double operator()(double x, double y, double z) const {
    return size * std::exp(rates[0] * x + rates[1] * y + rates[2] * z);
  }
};
using Conductivities = PerAxis<Exponential>;
Conductivities isotropic() {
  Exponential const same{0.8, {0.9, -0.6, 0.7}};
  return {same, same, same};
}
Conductivities diagonal() {
  return {Exponential{1.5, {0.9, 0.4, -0.3}}, Exponential{0.4, {-0.5, 0.7, 0.2}},
          Exponential{0.9, {0.3, -0.8, 1.1}}};
}

/// Returns −∇·κ∇u, the source of the manufactured solution.
double divergence(Conductivities const& k, int dimension, double x, double y, double z) {
  double sum = 0.0;
  for (int axis = 0; axis < dimension; ++axis) {
    sum -= k[axis](x, y, z) * (k[axis].rates[axis] * slope(axis, x, y, z) + bend(axis, x, y, z));
  }
  return sum;
}

/// The Robin condition with solution u = wave: ambient value and coefficient vary along the face.
BoundaryCondition robin_for(Conductivities const& k, Face face) {
  auto const coefficient = [](double x, double y, double z) { return 2.0 + x * y + z; };
  double const outward = face.upper ? 1.0 : -1.0;
  return {robin, steady([=](double x, double y, double z) {
            return wave(x, y, z) + outward * k[face.axis](x, y, z) * slope(face.axis, x, y, z) /
                                       coefficient(x, y, z);
          }),
          steady(coefficient)};
}

/// Robin, Neumann and Dirichlet faces, with edges between all of them.
Problem smooth_medium(Conductivities const& k, int dimension, std::int64_t intervals) {
  std::int64_t const n = intervals + 1;
  Problem problem;
  problem.equation = Equation::poisson;
  problem.grid =
      make_grid(dimension, {n, n, dimension == 3 ? n : 1}, {0, 0, 0}, {1.6, 1.5, 1.2}, {});
  for (int axis = 0; axis < 3; ++axis) problem.medium.conductivity[axis] = steady(k[axis]);
  problem.medium.isotropic = k[0].size == k[1].size;
  problem.source =
      steady([=](double x, double y, double z) { return divergence(k, dimension, x, y, z); });
  for (BoundaryCondition& face : problem.boundary) face = {dirichlet, steady(wave)};
  for (Face const face : {x_lower, y_upper, z_upper}) problem.boundary[face] = robin_for(k, face);
  problem.boundary[y_lower] = {
      neumann, steady([](double x, double y, double z) { return -slope(1, x, y, z); })};
  return problem;
}

class Physics : public BackendTest {};

TEST_F(Physics, SmoothMediumIsSecondOrder) {
  for (Conductivities const& k : {isotropic(), diagonal()}) {
    for (int const dimension : {2, 3}) {
      SCOPED_TRACE(dimension);
      std::vector<double> errors;
      for (std::int64_t const intervals : {8, 16, 32}) {
        if (dimension == 3 && intervals == 32) continue;
        errors.push_back(error_of(*solution(smooth_medium(k, dimension, intervals)), wave));
      }
      expect_second_order(errors);
    }
  }
}

/// The solution u = wave · e^(−t) in a medium whose heat capacity varies, too.
Problem cooling_body(Conductivities const& k, int dimension, std::int64_t intervals) {
  Problem problem = smooth_medium(k, dimension, intervals);
  auto const capacity = [](double x, double y, double z) { return 1.0 + 0.5 * x * y + 0.3 * z; };
  problem.equation = Equation::diffusion;
  problem.medium.capacity = steady(capacity);
  problem.initial.value = steady(wave);
  for (BoundaryCondition& face : problem.boundary) {
    face.value = varying([of = face.value](double x, double y, double z, double t) {
      return of(x, y, z, 0.0) * std::exp(-t);
    });
  }
  problem.source = varying([=](double x, double y, double z, double t) {
    return (divergence(k, dimension, x, y, z) - capacity(x, y, z) * wave(x, y, z)) * std::exp(-t);
  });
  return problem;
}

double error_after(double end, Problem const& problem, MethodSettings method) {
  method.time_step_s = end / static_cast<double>(method.iterations);
  return error_of(*solved(problem, method),
                  [end](double x, double y, double z) { return wave(x, y, z) * std::exp(-end); });
}

/// The time step scales with the square of the spacing.
double error_of_ftcs(Problem const& problem) {
  double const end = 0.04, longest = 0.75 * largest_stable_time_step(problem);
  return error_after(end, problem, ftcs(static_cast<std::int64_t>(std::ceil(end / longest)), 0.0));
}

TEST_F(Physics, SmoothMediumIsSecondOrderWithFtcs) {
  for (Conductivities const& k : {isotropic(), diagonal()}) {
    for (int const dimension : {2, 3}) {
      SCOPED_TRACE(dimension);
      expect_second_order({error_of_ftcs(cooling_body(k, dimension, 8)),
                           error_of_ftcs(cooling_body(k, dimension, 16))});
    }
  }
}

double error_in_steps(std::string const& name, std::int64_t steps, Problem const& problem) {
  MethodSettings method = ftcs(steps, 0.0);
  method.name = name;
  method.step_tolerance = 1e-8;
  return error_after(1.0, problem, method);
}

/// With the spacing, the time step is halved for Crank–Nicolson and quartered for backward Euler.
TEST_F(Physics, SmoothMediumIsSecondOrderWithImplicitSteps) {
  for (int const dimension : {2, 3}) {
    SCOPED_TRACE(dimension);
    Conductivities const k = dimension == 2 ? isotropic() : diagonal();
    Problem const coarse = cooling_body(k, dimension, 8), fine = cooling_body(k, dimension, 16);
    expect_second_order(
        {error_in_steps("crank_nicolson", 8, coarse), error_in_steps("crank_nicolson", 16, fine)});
    expect_second_order(
        {error_in_steps("backward_euler", 8, coarse), error_in_steps("backward_euler", 32, fine)});
  }
}

// --- A fin -----------------------------------------------------------------------------------

/// Half of a plate of length 1 and thickness 2 b. One end is hot, the side loses heat to an ambient
/// value of 0, y = 0 is the symmetry plane, and the tip is insulated.
Problem fin(double half, double conductivity, double coefficient, Extent3 points) {
  Problem problem = box_problem(Equation::laplace, 2, points, {neumann, 0.0}, {1.0, half, 1.0});
  make_isotropic(problem, conductivity);
  problem.boundary[x_lower] = {dirichlet, 1.0};
  problem.boundary[y_upper] = {robin, 0.0, coefficient};
  return problem;
}

/// For a small Biot number (h b / κ = 0.0002) u hardly varies across the fin. The analytic solution
/// is u = cosh(m (1 − x)) / cosh(m) with m² = h / (κ b), and the heat loss κ m tanh(m).
TEST_F(Physics, ThinFinMatchesAnalyticSolution) {
  double const half = 0.01, conductivity = 50.0, coefficient = 1.0;
  double const m = std::sqrt(coefficient / (conductivity * half));
  Problem const problem = fin(half, conductivity, coefficient, {129, 5, 1});
  auto const solver = solution(problem);
  EXPECT_LE(error_of(*solver, [m](double x, double,
                                  double) { return std::cosh(m * (1.0 - x)) / std::cosh(m); }),
            1.2e-4);
  double const heat =
      outflow(*solver, region([](double x, double, double) { return x < 0.001; })) * conductivity;
  double const at_its_foot = coefficient * problem.grid.spacing[0] / 2;  // at the hot points
  EXPECT_NEAR((heat + at_its_foot) / (conductivity * half * m * std::tanh(m)), 1.0, 3e-4);
}

/// For a large Biot number, each mode cos(λ y) across the fin with λ tan(λ b) = h / κ decays along
/// it independently.
TEST_F(Physics, ThickFinIsSecondOrder) {
  double const half = 0.7, across = 1.3, conductivity = 2.0;
  double const coefficient = conductivity * across * std::tan(across * half);  // Biot number 1.2
  auto const exact = [=](double x, double y, double) {
    return std::cos(across * y) * std::cosh(across * (1.0 - x)) / std::cosh(across);
  };
  std::vector<double> errors;
  for (std::int64_t const n : {8, 16, 32, 64}) {
    Problem problem = fin(half, conductivity, coefficient, {n + 1, n + 1, 1});
    problem.boundary[x_lower].value = steady(exact);
    errors.push_back(error_of(*solution(problem), exact));
  }
  expect_second_order(errors);
}

// --- Round things, made of points: of first order ----------------------------------------------

/// A cylinder of conductivity κ in a uniform field. Outside it adds a dipole: x (1 − β a²/r²).
/// Inside the field is uniform: x (1 − β), with β = (κ − 1) / (κ + 1).
struct Cylinder {
  double radius;
  double dipole;  ///< β: 1 of a conductor, −1 of an insulator
  double operator()(double x, double y, double) const {
    double const r2 = std::max(x * x + y * y, radius * radius);
    return x * (1.0 - dipole * radius * radius / r2);
  }
};

Problem cylinder_problem(Cylinder const& cylinder, std::int64_t intervals) {
  Problem problem = box_problem(Equation::laplace, 2, {intervals + 1, intervals + 1, 1},
                                {dirichlet, steady(cylinder)}, {1.0, 1.0, 1.0});
  problem.boundary[x_lower] = {dirichlet, 0.0};  // a quarter by symmetry
  problem.boundary[y_lower] = {neumann, 0.0};
  double const a = cylinder.radius;
  auto const inside = [a](double x, double y, double) { return std::hypot(x, y) < a; };
  if (cylinder.dipole == 1.0) {
    problem.medium.fixed.push_back({region(inside), 0.0});
  } else if (cylinder.dipole == -1.0) {
    problem.medium.insulated.push_back(region(inside));
  } else {
    double const conductivity = (1 + cylinder.dipole) / (1 - cylinder.dipole);
    make_isotropic(problem, steady([=](double x, double y, double z) {
                     return inside(x, y, z) ? conductivity : 1.0;
                   }));
  }
  return problem;
}

/// The error away from the staircase boundary.
double error_around(Cylinder const& cylinder, std::int64_t intervals) {
  auto const solver = solution(cylinder_problem(cylinder, intervals));
  std::vector<double> const u = field_of<double>(*solver);
  Grid const& grid = solver->subdomain().grid();
  double largest = 0.0;
  for_each_owned(solver->subdomain(), [&](Index3 p, std::size_t n) {
    double const x = grid.coordinate(0, p.x), y = grid.coordinate(1, p.y);
    if (std::hypot(x, y) < 1.25 * cylinder.radius) return;
    double const error = std::abs(u[n] - cylinder(x, y, 0.0));
    largest = std::isnan(largest) || error <= largest ? largest : error;
  });
  return mpi::Communicator(MPI_COMM_WORLD).max(largest);
}

/// The staircase approximates the circle better on some grids than on others, so the error does not
/// fall evenly.
TEST_F(Physics, CylinderInUniformFieldMatchesDipole) {
  struct Kind {
    double dipole;
    double error_per_spacing;
  };
  for (auto const& [dipole, bound] : {Kind{1.0, 0.8}, Kind{0.98, 0.25}, Kind{0.5, 0.1},
                                      Kind{-0.5, 0.1}, Kind{-0.98, 0.36}, Kind{-1.0, 0.36}}) {
    for (std::int64_t const intervals : {32, 64, 128}) {
      double const error = error_around({0.4, dipole}, intervals);
      EXPECT_LE(error, bound / static_cast<double>(intervals)) << dipole << ' ' << intervals;
    }
  }
}

/// A staircase electrode acts like a round one whose surface lies about a third of a spacing
/// farther in, between its outermost points and the next.
constexpr double min_withdrawal = 0.3, max_withdrawal = 0.41;

/// The capacitance per length of coaxial cylinders is C = 2π / ln(b/a).
TEST_F(Physics, CoaxialCapacitorConvergesToItsCapacitance) {
  double const inner = 0.3, outer = 0.9;
  auto const core = region([=](double x, double y, double) { return std::hypot(x, y) <= inner; });
  auto const shell = region([=](double x, double y, double) { return std::hypot(x, y) >= outer; });
  auto const exact = [=](double withdrawal) {
    return 2 * std::numbers::pi / std::log((outer + withdrawal) / (inner - withdrawal));
  };
  for (std::int64_t const intervals : {32, 64, 128}) {
    Problem problem = box_problem(Equation::laplace, 2, {intervals + 1, intervals + 1, 1},
                                  {neumann, 0.0}, {1.0, 1.0, 1.0});  // a quarter by symmetry
    problem.medium.fixed = {{core, 1.0}, {shell, 0.0}};
    double const capacitance = 4 * outflow(*solution(problem), core);
    double const h = 1.0 / static_cast<double>(intervals);
    EXPECT_LE(capacitance, exact(min_withdrawal * h)) << intervals;
    EXPECT_GE(capacitance, exact(max_withdrawal * h)) << intervals;
  }
}

/// An octant of free space. Far from the charge u falls like 1/r. A Robin face describes this
/// decay, with the coefficient (n · r) / r².
Problem in_free_space(Region const& electrode, double length, std::int64_t intervals) {
  std::int64_t const n = intervals + 1;
  Problem problem =
      box_problem(Equation::laplace, 3, {n, n, n}, {neumann, 0.0}, {length, length, length});
  for (Face const face : {x_upper, y_upper, z_upper}) {
    problem.boundary[face] = {robin, 0.0, steady([=](double x, double y, double z) {
                                return length / (x * x + y * y + z * z);
                              })};
  }
  problem.medium.fixed.push_back({electrode, 1.0});
  return problem;
}

/// Returns the capacitance in units of 4π ε₀.
double capacitance(Problem const& problem) {
  auto const solver = solution(problem);
  return 8 * outflow(*solver, problem.medium.fixed[0].where) / (4 * std::numbers::pi);
}

/// A sphere's capacitance is its radius.
TEST_F(Physics, SphereConvergesToItsCapacitance) {
  auto const ball = region([](double x, double y, double z) { return std::hypot(x, y, z) <= 0.5; });
  for (std::int64_t const intervals : {16, 32}) {
    double const h = 1.0 / static_cast<double>(intervals);
    double const found = capacitance(in_free_space(ball, 1.0, intervals));
    EXPECT_LE(found, 0.5 - min_withdrawal * h) << intervals;
    EXPECT_GE(found, 0.5 - max_withdrawal * h) << intervals;
  }
}

/// The capacitance of a cube of side 1 is 0.6606782(1): C.-O. Hwang, M. Mascagni, Electrical
/// capacitance of the unit cube, J. Appl. Phys. 95 (2004) 3798. Its faces lie on planes of points.
/// Towards its edges the charge grows like s^(−1/3) with the distance s, so errors fall like
/// h^(4/3).
TEST_F(Physics, CubeConvergesToItsCapacitance) {
  auto const cube = region([](double x, double y, double z) {
    return std::max({x, y, z}) < 0.5 + 1e-9;
  });
  double const coarse = capacitance(in_free_space(cube, 2.0, 16));
  double const fine = capacitance(in_free_space(cube, 2.0, 32));
  EXPECT_NEAR(fine, 0.6606782, 0.0065);
  EXPECT_NEAR(fine + (fine - coarse) / (std::exp2(4.0 / 3.0) - 1.0), 0.6606782, 1e-4);
}

}  // namespace
}  // namespace isotherm::test
