#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include "solver/time/rkl2.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/solving.hpp"

// Runs whose steps are shortened to meet output times exactly.

namespace isotherm::test {
namespace {

constexpr double pi = std::numbers::pi;

/// Settings of a run to t = 1 by steps of at most `step_s`, with three output times before. Steps
/// have four lengths, unless `step_s` divides the intervals.
MethodSettings meeting(std::string const& name, double step_s) {
  MethodSettings method = ftcs(0, step_s);
  method.name = name;
  method.check_every = name == "ftcs" || name == "rkl2" ? 8 : 1;
  method.norm = Norm::max;
  method.step_tolerance = 1e-13;
  method.times_s = {0.1, 0.25, 0.8};
  method.end_time_s = 1.0;
  lay_out_steps(method);
  return method;
}

/// The eigenmode sin(πx) sin(2πy) between Dirichlet faces at 0; each step multiplies it by a
/// number.
struct Mode {
  Problem problem = box_problem(Equation::diffusion, 2, {17, 25, 1}, {});
  double eigenvalue = 0.0;  ///< of −D ∇·∇

  explicit Mode(Precision precision) {
    problem.precision = precision;
    problem.diffusivity = 0.04;
    PerAxis<double> const waves{1.0, 2.0, 0.0};
    for (int axis = 0; axis < 2; ++axis) {
      double const h = problem.grid.spacing[axis];
      eigenvalue += problem.diffusivity * 2.0 * (1.0 - std::cos(waves[axis] * pi * h)) / (h * h);
    }
    problem.initial.value = steady(
        [](double x, double y, double) { return std::sin(pi * x) * std::sin(2.0 * pi * y); });
  }
};

double factor(std::string const& name, double z, bool first) {
  if (name == "ftcs") return 1.0 - z;
  // Three stages: 1 − z + z²/2 − z³ c, by the Legendre polynomial P_3.
  if (name == "rkl2") {
    double const x = 1.0 - z / rkl2_span(3);
    double const b = 10.0 / 24.0;
    return 1.0 - b + b * (5.0 * x * x * x - 3.0 * x) / 2.0;
  }
  if (name == "backward_euler") return 1.0 / (1.0 + z);
  double const half = 1.0 / (1.0 + 0.5 * z);
  return first ? half * half : (1.0 - 0.5 * z) * half;
}

/// Returns the factor of the mode after `steps` steps.
double left_after(Mode const& mode, MethodSettings const& method, std::int64_t steps) {
  double left = 1.0;
  for (std::int64_t n = 0; n < steps; ++n) {
    left *= factor(method.name, mode.eigenvalue * method.time_steps.step_after(n), n == 0);
  }
  return left;
}

class MeetingTimes : public BackendTest {
 protected:
  [[nodiscard]] std::unique_ptr<Solver> solver_of(Problem const& problem,
                                                  MethodSettings const& method) const {
    return make_solver(ranks_, problem, method, execution(problem, ranks_));
  }
  mpi::Communicator ranks_{MPI_COMM_WORLD};
};

template <class Real>
void expect_decay(Solver& solver, Mode const& mode, MethodSettings const& method) {
  std::vector<double> times = method.times_s;
  times.push_back(*method.end_time_s);
  for (double const time_s : times) {
    solver.advance_to(method.time_steps.next_end(solver.iteration()));
    EXPECT_EQ(solver.time_s(), time_s);
    double const left = left_after(mode, method, solver.iteration());
    double const error = largest_error<Real>(solver, [&](double x, double y, double z) {
      return left * mode.problem.initial.value(x, y, z, 0.0);
    });
    EXPECT_LE(error, 200.0 * std::numeric_limits<Real>::epsilon()) << method.name << ' ' << time_s;
  }
  EXPECT_EQ(solver.iteration(), method.iterations);
}

TEST_F(MeetingTimes, DampsEigenmodesByTheFactorsOfTheSteps) {
  for (Precision const precision : {Precision::float32, Precision::float64}) {
    Mode const mode(precision);
    double const stable = largest_stable_time_step(mode.problem.grid, mode.problem.diffusivity);
    for (auto const& [name, step_s] :
         {std::pair("ftcs", 0.93 * stable), std::pair("rkl2", 2.3 * stable),
          std::pair("backward_euler", 0.07), std::pair("crank_nicolson", 0.07)}) {
      MethodSettings const method = meeting(name, step_s);
      auto const [shortest, longest] = step_lengths(method);
      EXPECT_LT(shortest, 0.99 * longest);
      auto const solver = solver_of(mode.problem, method);
      precision == Precision::float32 ? expect_decay<float>(*solver, mode, method)
                                      : expect_decay<double>(*solver, mode, method);
    }
  }
}

/// The residual of the mode is its decay rate times its amplitude, regardless of the length of the
/// next step.
TEST_F(MeetingTimes, ResidualsAreIndependentOfTheStepLength) {
  Mode const mode(Precision::float64);
  double const stable = largest_stable_time_step(mode.problem.grid, mode.problem.diffusivity);
  for (auto const& [name, step_s] :
       {std::pair("ftcs", 0.93 * stable), std::pair("rkl2", 2.3 * stable),
        std::pair("backward_euler", 0.07), std::pair("crank_nicolson", 0.07)}) {
    MethodSettings method = meeting(name, step_s);
    method.check_every = 1;
    auto const solver = solver_of(mode.problem, method);
    solver->advance_to(method.iterations);
    std::vector<Residual> const residuals = solver->take_residuals();
    EXPECT_GE(residuals.size(), static_cast<std::size_t>(method.iterations));
    for (Residual const& residual : residuals) {
      double const left = left_after(mode, method, residual.iteration);
      EXPECT_NEAR(residual.value / (mode.eigenvalue * left), 1.0, 1e-9)
          << name << ' ' << residual.iteration;
    }
  }
}

/// The quadrature of a step of three stages of RKL2, by the recursion of the paper (eq. 17).
template <class Function>
double integral_by_three_stages(Function const& f, double from, double h) {
  double const w = 0.4;  // 4 / (3² + 3 − 2)
  std::array<double, 4> const b{1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0, 10.0 / 24.0};
  double const first = f(from);
  std::array<double, 4> y{0.0, w / 3.0 * h * first, 0.0, 0.0};
  std::array<double, 4> const times{0.0, w / 3.0, 4.0 / 10.0, 1.0};
  for (std::size_t j = 2; j <= 3; ++j) {
    auto const n = static_cast<double>(j);
    double const mu = (2.0 * n - 1.0) / n * b[j] / b[j - 1];
    double const nu = -(n - 1.0) / n * b[j] / b[j - 2];
    y[j] = mu * y[j - 1] + nu * y[j - 2] +
           mu * w * h * (f(from + times[j - 1] * h) - (1.0 - b[j - 1]) * first);
  }
  return y[3];
}

// Without fluxes, a source that depends on time only is integrated by a known rule at known times.
// The residual is the source at its time.
TEST_F(MeetingTimes, EvaluatesSourcesAtTheTimesOfTheSteps) {
  Problem problem = box_problem(Equation::diffusion, 2, {12, 13, 1}, {BoundaryKind::periodic, 0.0});
  problem.initial.value = 0.5;
  auto const f = [](double t) { return 2.0 + std::cos(3.0 * t) + t; };
  problem.source = varying([=](double, double, double, double t) { return f(t); });
  double const stable = largest_stable_time_step(problem.grid, 1.0);
  for (auto const& [name, step_s] :
       {std::pair("ftcs", 0.93 * stable), std::pair("rkl2", 2.3 * stable),
        std::pair("backward_euler", 0.07), std::pair("crank_nicolson", 0.07)}) {
    MethodSettings method = meeting(name, step_s);
    method.check_every = 1;
    double wanted = 0.5;
    for (std::int64_t n = 0; n < method.iterations; ++n) {
      double const h = method.time_steps.step_after(n);
      double const from = method.time_steps.time_of(n);
      double const to = method.time_steps.time_of(n + 1);
      wanted += method.name == "ftcs"             ? h * f(from)
                : method.name == "rkl2"           ? integral_by_three_stages(f, from, h)
                : method.name == "backward_euler" ? h * f(to)
                : n == 0                          ? 0.5 * h * (f(0.5 * to) + f(to))
                                                  : 0.5 * h * (f(from) + f(to));
    }
    auto const solver = solver_of(problem, method);
    solver->advance_to(method.iterations);
    EXPECT_LE(largest_error<double>(*solver, [&](double, double, double) { return wanted; }), 1e-12)
        << name;
    std::vector<Residual> const residuals = solver->take_residuals();
    EXPECT_GE(residuals.size(), static_cast<std::size_t>(method.iterations));
    for (Residual const& residual : residuals) {
      EXPECT_NEAR(residual.value, f(residual.time_s), 1e-9) << name << ' ' << residual.iteration;
    }
  }
}

Problem heated() {
  Problem problem = box_problem(Equation::diffusion, 2, {19, 23, 1}, {});
  problem.diffusivity = 0.05;
  problem.boundary[y_upper] = {BoundaryKind::neumann, 0.5};
  problem.source = steady([](double x, double y, double) { return 5.0 * x * y; });
  problem.initial.value = steady([](double x, double y, double) { return x - y * y; });
  return problem;
}

TEST_F(MeetingTimes, SameBitsWithEveryPlan) {
  Problem const problem = heated();
  MethodSettings const method =
      meeting("ftcs", 0.93 * largest_stable_time_step(problem.grid, problem.diffusivity));
  std::vector<double> wanted;
  for (SweepPlan const& plan : plans(problem)) {
    Execution how = execution(problem, ranks_);
    how.plan = plan.name;
    std::unique_ptr<Solver> solver;
    try {
      solver = make_solver(ranks_, problem, method, how);
    } catch (PlanRefusal const&) {  // thrown on every rank
      continue;
    }
    solver->advance_to(method.iterations);
    std::vector<double> const found = field_of<double>(*solver);
    if (wanted.empty()) wanted = found;
    EXPECT_EQ(found, wanted) << plan.name;
  }
}

TEST_F(MeetingTimes, ResumesBitForBitAfterAnyStep) {
  Problem varied = heated();
  varied.source = varying([](double x, double y, double, double t) { return x * y + t; });
  varied.boundary[x_lower].value =
      varying([](double, double y, double, double t) { return y + std::sin(3.0 * t); });
  for (Problem const& problem : {heated(), varied}) {
    double const stable = largest_stable_time_step(problem.grid, problem.diffusivity);
    for (auto const& [name, step_s] :
         {std::pair("ftcs", 0.93 * stable), std::pair("rkl2", 2.3 * stable),
          std::pair("backward_euler", 0.07), std::pair("crank_nicolson", 0.07)}) {
      MethodSettings const method = meeting(name, step_s);
      auto const whole = solver_of(problem, method);
      whole->advance_to(method.iterations);
      auto const residuals = whole->take_residuals();
      std::int64_t const at = method.time_steps.next_end(0);
      for (std::int64_t const cut : {std::int64_t{1}, at - 1, at, at + 1, method.iterations - 1}) {
        auto const first = solver_of(problem, method);
        first->advance_to(cut);
        std::vector<double> const u = field_of<double>(*first);
        SolverState const state = first->state();

        MethodSettings resumed = method;
        lay_out_steps(resumed, state.position());
        EXPECT_EQ(resumed.iterations, method.iterations);
        auto const second = solver_of(problem, resumed);
        second->restore(std::span(u), state);
        EXPECT_EQ(second->time_s(), state.time_s);
        second->advance_to(method.iterations);

        EXPECT_EQ(field_of<double>(*second), field_of<double>(*whole)) << name << ", " << cut;
        auto const again = second->take_residuals();
        if (again.empty()) continue;  // no check remains
        EXPECT_EQ(again.back().value, residuals.back().value) << name << ", " << cut;
        EXPECT_EQ(again.back().time_s, residuals.back().time_s);
        EXPECT_EQ(again.back().iteration, residuals.back().iteration);
      }
    }
  }
}

TEST_F(MeetingTimes, RefusesStepsOutsideTheRangeOfFloat64) {
  MethodSettings method = meeting("backward_euler", 0.07);
  method.times_s = {1e-310};
  lay_out_steps(method);
  EXPECT_THROW((void)solver_of(heated(), method), SettingError);
}

}  // namespace
}  // namespace isotherm::test
