#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

#include "kernels/core/error.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/solving.hpp"

// Implicit time steps, each solved by multigrid.

namespace isotherm::test {
namespace {

constexpr char const* names[] = {"backward_euler", "crank_nicolson"};

MethodSettings implicit(std::string const& name, std::int64_t steps, double time_step_s,
                        double step_tolerance = 1e-6) {
  MethodSettings method = ftcs(steps, time_step_s);
  method.name = name;
  method.check_every = 1;
  method.step_tolerance = step_tolerance;
  return method;
}

std::unique_ptr<Solver> solver_of(mpi::Communicator const& ranks, Problem const& problem,
                                  MethodSettings const& method) {
  return make_solver(ranks, problem, method, execution(problem, ranks));
}

class ImplicitSteps : public BackendTest {
 protected:
  mpi::Communicator ranks_{MPI_COMM_WORLD};
};

/// The ends of an axis and the phase angle by which mode `k` advances from point to point: a sine
/// between Dirichlet faces, else a cosine.
struct ModeAxis {
  BoundaryKind kind;
  int k;
  [[nodiscard]] double angle(std::int64_t points) const {
    auto const n = static_cast<double>(points);
    double const pi = std::numbers::pi;
    return kind == BoundaryKind::periodic ? 2.0 * k * pi / n : k * pi / (n - 1.0);
  }
};

struct Mode {
  Problem problem;
  double eigenvalue;  ///< of −D ∇²
};

/// A discrete eigenmode: every step multiplies it by a number.
Mode mode_of(Extent3 points, std::vector<ModeAxis> const& axes, Precision precision) {
  int const dimension = static_cast<int>(axes.size());
  Mode mode;
  Problem& problem = mode.problem;
  problem.equation = Equation::diffusion;
  problem.precision = precision;
  problem.diffusivity = 0.4;
  PerAxis<bool> periodic{};
  for (int d = 0; d < dimension; ++d) {
    BoundaryKind const kind = axes[static_cast<std::size_t>(d)].kind;
    periodic[d] = kind == BoundaryKind::periodic;
    set_axis(problem, d, {kind, 0.0});
  }
  problem.grid = make_grid(dimension, points, {0, 0, 0}, {1.0, 1.3, 0.6}, periodic);
  mode.eigenvalue = 0.0;
  for (int d = 0; d < dimension; ++d) {
    double const h = problem.grid.spacing[d];
    double const angle = axes[static_cast<std::size_t>(d)].angle(points[d]);
    mode.eigenvalue += problem.diffusivity * 2.0 * (1.0 - std::cos(angle)) / (h * h);
  }
  Grid const grid = problem.grid;
  problem.initial.value = steady([=](double x, double y, double z) {
    PerAxis<double> const at{x, y, z};
    double product = 1.0;
    for (int d = 0; d < dimension; ++d) {
      ModeAxis const& axis = axes[static_cast<std::size_t>(d)];
      double const phase = axis.angle(grid.points[d]) * at[d] / grid.spacing[d];
      product *= axis.kind == BoundaryKind::dirichlet ? std::sin(phase) : std::cos(phase);
    }
    return product;
  });
  return mode;
}

double left_after(Mode const& mode, MethodSettings const& method) {
  double const z = mode.eigenvalue * method.time_step_s;
  auto const steps = static_cast<double>(method.iterations);
  if (method.name == "backward_euler") return std::pow(1.0 / (1.0 + z), steps);
  double const half_steps = std::pow(1.0 / (1.0 + 0.5 * z), 2.0);
  return half_steps * std::pow((1.0 - 0.5 * z) / (1.0 + 0.5 * z), steps - 1.0);
}

template <class Real>
void expect_decay(mpi::Communicator const& ranks, Mode const& mode, std::string const& name,
                  double time_step_s) {
  MethodSettings const method = implicit(name, 6, time_step_s, 1e-13);
  auto const solver = solver_of(ranks, mode.problem, method);
  solver->advance_to(method.iterations);
  double const left = left_after(mode, method);
  double const error = largest_error<Real>(*solver, [&](double x, double y, double z) {
    return left * mode.problem.initial.value(x, y, z, 0.0);
  });
  EXPECT_LE(error, 100.0 * std::numeric_limits<Real>::epsilon()) << name << ", left " << left;
  EXPECT_GT(std::abs(left), 1e-3) << "too little is left of the mode to tell";
  EXPECT_DOUBLE_EQ(solver->time_s(), 6.0 * time_step_s);
}

TEST_F(ImplicitSteps, DampEigenmodesByTheExactFactor) {
  using enum BoundaryKind;
  for (char const* const name : names) {
    for (Precision const precision : {Precision::float32, Precision::float64}) {
      for (double const z : {0.02, 0.9}) {  // λ Δt: a short step and a long one
        for (auto const& axes :
             {std::vector<ModeAxis>{{dirichlet, 1}, {dirichlet, 2}},
              std::vector<ModeAxis>{{periodic, 1}, {neumann, 2}},
              std::vector<ModeAxis>{{neumann, 1}, {dirichlet, 1}, {periodic, 1}},
              std::vector<ModeAxis>{{periodic, 1}, {periodic, 0}, {periodic, 2}}}) {
          Extent3 const points{17, 14, axes.size() == 3 ? 12 : 1};
          Mode const mode = mode_of(points, axes, precision);
          precision == Precision::float32
              ? expect_decay<float>(ranks_, mode, name, z / mode.eigenvalue)
              : expect_decay<double>(ranks_, mode, name, z / mode.eigenvalue);
        }
      }
    }
  }
}

/// u = e^-t (x² + 2 y² + x z) - sin 2t is exact in space, so all errors are those in time. Source,
/// Dirichlet and Neumann values all depend on time.
double moving(double x, double y, double z, double t) {
  return std::exp(-t) * (x * x + 2.0 * y * y + x * z) - std::sin(2.0 * t);
}

/// The Neumann condition: the derivative along the outward normal of a face.
BoundaryCondition slope_at(Face face) {
  double const outward = face.upper ? 1.0 : -1.0;
  return {BoundaryKind::neumann, varying([=](double x, double y, double z, double t) {
            PerAxis<double> const slopes{2.0 * x + z, 4.0 * y, x};
            return outward * std::exp(-t) * slopes[face.axis];
          })};
}

/// Two of the faces, or all, are Neumann faces.
Problem moving_problem(int dimension, bool all_neumann = false) {
  Problem problem =
      box_problem(Equation::diffusion, dimension, {10, 9, dimension == 3 ? 7 : 1}, {});
  problem.diffusivity = 0.7;
  for (Face const face : faces(problem.grid)) {
    bool const slope = all_neumann || face == x_upper || face == y_lower;
    problem.boundary[face] =
        slope ? slope_at(face) : BoundaryCondition{BoundaryKind::dirichlet, varying(moving)};
  }
  problem.source = varying([](double x, double y, double z, double t) {
    return -std::exp(-t) * (x * x + 2.0 * y * y + x * z) - 2.0 * std::cos(2.0 * t) -
           0.7 * 6.0 * std::exp(-t);
  });
  problem.initial.value = steady([](double x, double y, double z) { return moving(x, y, z, 0.0); });
  return problem;
}

double error_at_one(mpi::Communicator const& ranks, Problem const& problem, std::string const& name,
                    std::int64_t steps) {
  auto const solver =
      solver_of(ranks, problem, implicit(name, steps, 1.0 / static_cast<double>(steps), 1e-11));
  solver->advance_to(steps);
  return ranks.max(largest_error<double>(
      *solver, [](double x, double y, double z) { return moving(x, y, z, 1.0); }));
}

TEST_F(ImplicitSteps, HaveTheirOrderInTimeWithTimeDependentData) {
  for (auto const& [dimension, all_neumann] :
       {std::pair{2, false}, {2, true}, {3, false}, {3, true}}) {
    Problem const problem = moving_problem(dimension, all_neumann);
    for (char const* const name : names) {
      double const coarse = error_at_one(ranks_, problem, name, 12);
      double const fine = error_at_one(ranks_, problem, name, 24);
      double const order = std::log2(coarse / fine);
      double const wanted = std::string(name) == "backward_euler" ? 1.0 : 2.0;
      EXPECT_NEAR(order, wanted, 0.15)
          << name << " in " << dimension << "D, errors " << coarse << " and " << fine;
      EXPECT_LT(fine, 0.1);
    }
  }
}

Problem heated(Extent3 points, Precision precision = Precision::float64) {
  Problem problem = box_problem(Equation::diffusion, points.z > 1 ? 3 : 2, points, {});
  problem.precision = precision;
  problem.diffusivity = 0.3;
  problem.boundary[x_upper] = {BoundaryKind::neumann, 0.5};
  problem.boundary[y_lower].value =
      steady([](double x, double, double z) { return std::cos(3.0 * x) + z; });
  problem.source = steady([](double x, double y, double z) { return 5.0 * x * y + std::sin(z); });
  problem.initial.value = steady([](double x, double y, double) { return x > 0.4 ? y : -1.0; });
  return problem;
}

TEST_F(ImplicitSteps, LongStepsConvergeToTheSteadyState) {
  for (Extent3 const points : {Extent3{40, 33, 1}, Extent3{17, 20, 15}}) {
    Problem const problem = heated(points);
    Problem steady_state = problem;
    steady_state.equation = Equation::poisson;
    steady_state.source =
        steady([](double x, double y, double z) { return (5.0 * x * y + std::sin(z)) / 0.3; });
    MethodSettings cycles = jacobi(50);
    cycles.name = "multigrid";
    cycles.check_every = 1;
    cycles.tolerance = 1e-11;
    auto const wanted = solver_of(ranks_, steady_state, cycles);
    wanted->advance_to(50);

    MethodSettings method =
        implicit("backward_euler", 100, 1000.0 * largest_stable_time_step(problem.grid, 0.3), 1e-8);
    method.tolerance = 1e-10;
    auto const solver = solver_of(ranks_, problem, method);
    solver->advance_to(100);
    EXPECT_TRUE(solver->converged());
    EXPECT_LT(solver->iteration(), 60);
    EXPECT_EQ(solver->state().last_residual->iteration, solver->iteration());
    std::vector<double> const a = field_of<double>(*solver);
    std::vector<double> const b = field_of<double>(*wanted);
    for (std::size_t n = 0; n < a.size(); ++n) ASSERT_NEAR(a[n], b[n], 1e-8);
  }
}

/// At the steady state only rounding is left of a step, and the step is accepted.
TEST_F(ImplicitSteps, ContinueAtTheSteadyState) {
  for (Precision const precision : {Precision::float32, Precision::float64}) {
    Problem const problem = heated({33, 30, 1}, precision);
    for (char const* const name : names) {
      double const step = 300.0 * largest_stable_time_step(problem.grid, 0.3);
      auto const solver = solver_of(ranks_, problem, implicit(name, 80, step, 1e-9));
      EXPECT_NO_THROW(solver->advance_to(80)) << name;
    }
  }
}

/// Rounding keeps a short wave of long Crank–Nicolson steps from being damped: two fields follow
/// each other for ever, and the run ends.
TEST_F(ImplicitSteps, EndWhenTwoFieldsAlternate) {
  Problem problem = box_problem(Equation::diffusion, 2, {17, 3, 1}, {BoundaryKind::neumann, 0.0},
                                {1.0, 0.125, 1});
  problem.boundary[{0, false}] = {BoundaryKind::dirichlet, 1.0};
  problem.boundary[{0, true}] = {BoundaryKind::dirichlet, 2.0};
  ScalarFunction const rising = steady([](double x, double, double) { return 1.0 + 0.5 * x; });
  problem.medium.conductivity = {rising, rising, rising};
  problem.medium.isotropic = true;
  problem.initial.value = 1.5;
  MethodSettings method = implicit("crank_nicolson", 2400, 0.3, 1e-13);
  method.check_every = 50;
  method.tolerance = 1e-12;
  auto const solver = solver_of(ranks_, problem, method);
  solver->advance_to(2400);
  EXPECT_TRUE(solver->converged() || solver->stalled());
  EXPECT_LT(solver->iteration(), 2400);
}

TEST_F(ImplicitSteps, KeepConstantFields) {
  Problem problem = box_problem(Equation::diffusion, 2, {20, 21, 1}, {BoundaryKind::periodic, {}});
  problem.initial.value = 7.25;
  for (char const* const name : names) {
    auto const solver = solver_of(ranks_, problem, implicit(name, 5, 3.0));
    solver->advance_to(5);
    EXPECT_EQ(largest_error<double>(*solver, [](double, double, double) { return 7.25; }), 0.0);
  }
}

/// Returns the volume-weighted mean over all ranks.
double mean_of(mpi::Communicator const& ranks, Solver& solver) {
  std::vector<double> const u = field_of<double>(solver);
  Grid const& grid = solver.subdomain().grid();
  double sum = 0.0;
  double volume = 0.0;
  for_each_owned(solver.subdomain(), [&](Index3 p, std::size_t number) {
    double share = 1.0;
    for (int d = 0; d < grid.dimension; ++d) {
      bool const at_end = p[d] == 0 || p[d] == grid.points[d] - 1;
      if (at_end && !grid.periodic[d]) share *= 0.5;
    }
    sum += share * u[number];
    volume += share;
  });
  return ranks.sum(sum) / ranks.sum(volume);
}

TEST_F(ImplicitSteps, ConserveHeatInClosedBoxes) {
  for (BoundaryKind const kind : {BoundaryKind::periodic, BoundaryKind::neumann}) {
    Problem problem = box_problem(Equation::diffusion, 3, {14, 11, 12}, {kind, 0.0});
    problem.initial.value = steady(
        [](double x, double y, double z) { return 1.0 + x * x - y + (z > 0.5 ? 3.0 : 0.0); });
    for (char const* const name : names) {
      for (double const beyond : {0.5, 1e5, 1e12, 1e40}) {
        double const step = beyond * largest_stable_time_step(problem.grid, 1.0);
        auto const solver = solver_of(ranks_, problem, implicit(name, 6, step, 1e-10));
        double const before = mean_of(ranks_, *solver);
        solver->advance_to(6);
        EXPECT_NEAR(mean_of(ranks_, *solver), before, 1e-12 * before) << name << ", " << beyond;
      }
    }
  }
}

TEST_F(ImplicitSteps, SameFieldOnAnyNumberOfRanks) {
  if (ranks_.size() == 1) GTEST_SKIP() << "compares several ranks with one";
  mpi::Communicator const self(MPI_COMM_SELF);
  for (Extent3 const points : {Extent3{40, 33, 36}, Extent3{190, 201, 1}}) {
    Problem const problem = heated(points);
    for (char const* const name : names) {
      double const step = 50.0 * largest_stable_time_step(problem.grid, 0.3);
      MethodSettings const method = implicit(name, 4, step, 1e-9);
      auto const shared = solver_of(ranks_, problem, method);
      auto const alone = solver_of(self, problem, method);
      shared->advance_to(4);
      alone->advance_to(4);
      std::vector<double> const a = field_of<double>(*shared);
      std::vector<double> const b = field_of<double>(*alone);
      double largest = 0.0;
      for_each_owned(shared->subdomain(), [&](Index3 p, std::size_t number) {
        auto const at = static_cast<std::size_t>(p.x + points.x * (p.y + points.y * p.z));
        largest = std::fmax(largest, std::abs(a[number] - b[at]));
      });
      EXPECT_LT(largest, 1e-7) << name;
    }
  }
}

TEST_F(ImplicitSteps, Float32MatchesFloat64WithinRounding) {
  for (char const* const name : names) {
    for (double const beyond : {0.1, 30.0}) {
      Problem const problem = heated({30, 22, 19});
      double const step = beyond * largest_stable_time_step(problem.grid, 0.3);
      auto const wide = solver_of(ranks_, problem, implicit(name, 10, step));
      auto const narrow =
          solver_of(ranks_, heated({30, 22, 19}, Precision::float32), implicit(name, 10, step));
      wide->advance_to(10);
      narrow->advance_to(10);
      std::vector<double> const a = field_of<double>(*wide);
      std::vector<float> const b = field_of<float>(*narrow);
      for (std::size_t n = 0; n < a.size(); ++n) ASSERT_NEAR(a[n], b[n], 2e-5) << name;
    }
  }
}

TEST_F(ImplicitSteps, SolvedWithEveryCyclePrecisionAndSmoother) {
  Problem const problem = heated({30, 22, 19});
  double const step = 50.0 * largest_stable_time_step(problem.grid, 0.3);
  auto const wanted = solver_of(ranks_, problem, implicit("backward_euler", 2, step, 1e-11));
  wanted->advance_to(2);
  std::vector<double> const a = field_of<double>(*wanted);
  for (Cycle const cycle : {Cycle::v, Cycle::f, Cycle::w}) {
    for (Precision const precision : {Precision::float32, Precision::float64}) {
      MethodSettings method = implicit("backward_euler", 2, step, 1e-9);
      method.multigrid.cycle = cycle;
      method.multigrid.precision = precision;
      method.multigrid.pre = 1;
      method.multigrid.post = 2;
      if (cycle == Cycle::f) method.multigrid.smoother = Smoother::jacobi;
      auto const solver = solver_of(ranks_, problem, method);
      solver->advance_to(2);
      std::vector<double> const b = field_of<double>(*solver);
      for (std::size_t n = 0; n < a.size(); ++n) ASSERT_NEAR(a[n], b[n], 1e-7);
    }
  }
}

/// Without initial backward Euler steps, Crank–Nicolson steps would make the sharpest waves of a
/// jump oscillate.
TEST_F(ImplicitSteps, DoNotOscillateAfterAJump) {
  Problem problem = box_problem(Equation::diffusion, 2, {65, 64, 1}, {});
  problem.initial.boxes = {{{0.25, 0.25, 0.0}, {0.75, 0.75, 0.0}, 1.0}};
  double const step = 100.0 * largest_stable_time_step(problem.grid, 1.0);
  auto const accurate = solver_of(ranks_, problem, implicit("backward_euler", 200, step / 50.0));
  accurate->advance_to(200);
  auto const solver = solver_of(ranks_, problem, implicit("crank_nicolson", 4, step));
  solver->advance_to(4);
  std::vector<double> const a = field_of<double>(*accurate);
  std::vector<double> const b = field_of<double>(*solver);
  double largest = 0.0;
  for (std::size_t n = 0; n < a.size(); ++n) largest = std::fmax(largest, std::abs(a[n] - b[n]));
  EXPECT_LT(largest, 0.03);
}

TEST_F(ImplicitSteps, SolvedForValuesOfAnyScale) {
  for (double const scale : {1e-200, 1e-30, 1e30, 1e200}) {
    Problem problem = heated({20, 17, 1});
    problem.initial.value = scale;
    for (Face const face : faces(problem.grid)) problem.boundary[face].value = -2.0 * scale;
    problem.source = 3.0 * scale;
    Problem one = problem;
    one.initial.value = 1.0;
    for (Face const face : faces(problem.grid)) one.boundary[face].value = -2.0;
    one.source = 3.0;
    MethodSettings method = implicit("crank_nicolson", 3, 0.1, 1e-9);
    method.norm = Norm::max;
    auto const solver = solver_of(ranks_, problem, method);
    auto const wanted = solver_of(ranks_, one, method);
    solver->advance_to(3);
    wanted->advance_to(3);
    std::vector<double> const a = field_of<double>(*solver);
    std::vector<double> const b = field_of<double>(*wanted);
    for (std::size_t n = 0; n < a.size(); ++n) ASSERT_NEAR(a[n] / scale, b[n], 1e-8) << scale;
  }
}

/// Resumes from the field and the state after each of some steps, and expects the same bits.
template <class Real>
void expect_same_bits(mpi::Communicator const& ranks, Problem const& problem,
                      MethodSettings const& method) {
  auto const whole = solver_of(ranks, problem, method);
  whole->advance_to(method.iterations);
  std::vector<Residual> const wanted = whole->take_residuals();
  for (std::int64_t const cut : {0, 1, 3}) {
    SCOPED_TRACE(method.name + ", from step " + std::to_string(cut));
    auto const first = solver_of(ranks, problem, method);
    first->advance_to(cut);
    std::vector<Real> const half = field_of<Real>(*first);
    auto const second = solver_of(ranks, problem, method);
    second->restore(std::span<Real const>(half), first->state());
    second->advance_to(method.iterations);
    EXPECT_EQ(field_of<Real>(*second), field_of<Real>(*whole));
    std::vector<Residual> const found = second->take_residuals();
    ASSERT_EQ(found.size() + static_cast<std::size_t>(cut), wanted.size())
        << "of the step that it goes on from, and those behind it";
    for (std::size_t n = 0; n < found.size(); ++n) {
      EXPECT_EQ(found[n].value, wanted[n + static_cast<std::size_t>(cut)].value);
    }
    EXPECT_EQ(second->state().first_residual, whole->state().first_residual);
  }
}

TEST_F(ImplicitSteps, ResumeWithTheSameBits) {
  for (char const* const name : names) {
    MethodSettings method = implicit(name, 5, 0.05);
    method.norm = Norm::max;
    expect_same_bits<double>(ranks_, moving_problem(3), method);
    expect_same_bits<double>(ranks_, moving_problem(2, true), method);
    expect_same_bits<double>(ranks_, heated({33, 32, 33}), method);
    expect_same_bits<float>(ranks_, heated({30, 33, 1}, Precision::float32), method);
  }
}

/// Between checks, no check fills the halo of the restored field.
TEST_F(ImplicitSteps, ResumeBetweenChecks) {
  for (char const* const name : names) {
    MethodSettings method = implicit(name, 3, 0.05);
    method.check_every = 0;
    Problem const problem = moving_problem(3);
    auto const whole = solver_of(ranks_, problem, method);
    whole->advance_to(2);
    std::vector<double> const half = field_of<double>(*whole);
    auto const resumed = solver_of(ranks_, problem, method);
    resumed->restore(std::span<double const>(half), whole->state());
    whole->advance_to(3);
    resumed->advance_to(3);
    EXPECT_EQ(field_of<double>(*resumed), field_of<double>(*whole)) << name;
  }
}

TEST_F(ImplicitSteps, ResidualIsTheRateOfChange) {
  Problem const problem = heated({20, 15, 12});
  double const step = 0.5 * largest_stable_time_step(problem.grid, 0.3);
  MethodSettings slow = ftcs(1, step);
  slow.check_every = 1;
  auto const explicit_step = solver_of(ranks_, problem, slow);
  explicit_step->advance_to(1);
  for (char const* const name : names) {
    auto const solver = solver_of(ranks_, problem, implicit(name, 1, step));
    solver->advance_to(1);
    auto const found = solver->take_residuals();
    ASSERT_EQ(found.size(), 2U);
    double const wanted = *explicit_step->state().first_residual;
    EXPECT_NEAR(found[0].value, wanted, 1e-10 * wanted);
    EXPECT_DOUBLE_EQ(found[1].time_s, step);
  }
}

/// Initially nothing changes, but a boundary value will change later.
TEST_F(ImplicitSteps, DoNotEndBeforeBoundaryValuesChange) {
  Problem problem = heated({12, 13, 1});
  problem.source = {};
  problem.initial = {};
  for (Face const face : faces(2)) problem.boundary[face] = {BoundaryKind::dirichlet, 0.0};
  problem.boundary[x_lower].value =
      varying([](double, double, double, double t) { return std::sin(t); });
  for (char const* const name : names) {
    MethodSettings method = implicit(name, 3, 0.1);
    method.tolerance = 1e-3;
    auto const solver = solver_of(ranks_, problem, method);
    solver->advance_to(3);
    EXPECT_EQ(solver->iteration(), 3) << name;
    EXPECT_FALSE(solver->converged()) << name;
  }
}

TEST_F(ImplicitSteps, NameNonFiniteValuesOfLaterTimes) {
  Problem problem = heated({12, 13, 1});
  problem.boundary[x_lower].value =
      varying([](double, double, double, double t) { return std::sqrt(0.25 - t); });
  for (char const* const name : names) {
    auto const solver = solver_of(ranks_, problem, implicit(name, 10, 0.1));
    try {
      solver->advance_to(10);
      FAIL() << "the square root of a negative number passed";
    } catch (Error const& error) {
      EXPECT_NE(std::string(error.what()).find("the value of the face x_lower"), std::string::npos)
          << error.what();
      EXPECT_NE(std::string(error.what()).find("t = 0.3"), std::string::npos) << error.what();
    }
  }
}

TEST_F(ImplicitSteps, OverflowEndsTheRun) {
  Problem problem = heated({12, 13, 1});
  problem.initial.value = 1e308;
  problem.boundary[x_lower].value = -1.7e308;
  MethodSettings method = implicit("backward_euler", 3, 0.1);
  method.check_every = 0;
  auto const solver = solver_of(ranks_, problem, method);
  EXPECT_THROW(solver->advance_to(3), Error);
}

TEST_F(ImplicitSteps, RefuseUnsolvableProblems) {
  auto const key_of = [&](MethodSettings const& method, Problem const& problem) -> std::string {
    try {
      check_solvable(problem, method);
      return "";
    } catch (SettingError const& error) {
      return error.key();
    } catch (InputError const& error) {
      return error.what();
    }
  };
  Problem const problem = heated({12, 13, 1});
  for (char const* const name : names) {
    EXPECT_EQ(key_of(implicit(name, 3, 1.0), problem), "");
    EXPECT_EQ(key_of(implicit(name, 3, 1e12), problem), "");
    for (double const step : {0.0, -1.0, std::nan(""), HUGE_VAL, 1e-310, 1e308}) {
      EXPECT_EQ(key_of(implicit(name, 3, step), problem), "time_step") << step;
    }
    for (double const tolerance : {0.0, -1e-3, 1.0, std::nan("")}) {
      EXPECT_EQ(key_of(implicit(name, 3, 1.0, tolerance), problem), "step_tolerance");
    }
    MethodSettings many = implicit(name, 3, 1.0);
    many.multigrid.pre = 9;
    EXPECT_EQ(key_of(many, problem), "pre");
    Problem shifted = problem;
    shifted.sigma = 1.0;
    EXPECT_EQ(key_of(implicit(name, 3, 1.0), shifted).substr(0, 27), "a problem must have sigma =");
    Problem still = problem;
    still.equation = Equation::poisson;
    EXPECT_EQ(key_of(implicit(name, 3, 1.0), still),
              "the method " + std::string(name) +
                  " does not solve the poisson equation (use "
                  "multigrid)");
  }
}

}  // namespace
}  // namespace isotherm::test
