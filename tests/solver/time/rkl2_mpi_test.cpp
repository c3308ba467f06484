#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include "solver/time/ftcs.hpp"
#include "solver/time/rkl2.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/bodies.hpp"
#include "tests/support/solving.hpp"

// Steps of RKL2: their stability polynomial, order, stability limit and stages.

namespace isotherm::test {
namespace {

constexpr double pi = std::numbers::pi;

MethodSettings rkl2(std::int64_t steps, double time_step_s) {
  MethodSettings method = ftcs(steps, time_step_s);
  method.name = "rkl2";
  method.check_every = 0;
  return method;
}

/// The factor by which a step multiplies a wave whose eigenvalue times the step is −z: a_s + b_s
/// P_s(1 − z / span), with the Legendre polynomial P_s.
double stability_polynomial(int stages, double z) {
  double const s = stages;
  double const b = (s * s + s - 2.0) / (2.0 * s * (s + 1.0));
  return 1.0 - b + b * std::legendre(static_cast<unsigned>(stages), 1.0 - z / rkl2_span(stages));
}

/// The eigenmode sin(πx) sin(2πy) between Dirichlet faces at 0.
struct Mode {
  Problem problem;
  double eigenvalue = 0.0;  ///< of −D ∇·∇

  Mode(int dimension, Precision precision)
      : problem(box_problem(Equation::diffusion, dimension, {17, 25, dimension == 3 ? 9 : 1}, {})) {
    problem.precision = precision;
    problem.diffusivity = 0.04;
    PerAxis<double> const waves{1.0, 2.0, 1.0};
    for (int axis = 0; axis < dimension; ++axis) {
      double const h = problem.grid.spacing[axis];
      eigenvalue += problem.diffusivity * 2.0 * (1.0 - std::cos(waves[axis] * pi * h)) / (h * h);
    }
    problem.initial.value = steady([=](double x, double y, double z) {
      return std::sin(pi * x) * std::sin(2.0 * pi * y) * (dimension == 3 ? std::sin(pi * z) : 1.0);
    });
  }
};

class Rkl2 : public BackendTest {
 protected:
  [[nodiscard]] std::unique_ptr<Solver> ended(Problem const& problem,
                                              MethodSettings const& method) const {
    auto solver = make_solver(ranks_, problem, method, execution(problem, ranks_));
    solver->advance_to(method.iterations);
    return solver;
  }
  template <class Function>
  [[nodiscard]] double error_of(Problem const& problem, MethodSettings const& method,
                                Function const& wanted) const {
    auto const solver = ended(problem, method);
    double const error = problem.precision == Precision::float32
                             ? largest_error<float>(*solver, wanted)
                             : largest_error<double>(*solver, wanted);
    return ranks_.max(error);
  }
  mpi::Communicator ranks_{MPI_COMM_WORLD};
};

TEST_F(Rkl2, DampsEigenmodesByTheStabilityPolynomial) {
  for (int const dimension : {2, 3}) {
    for (Precision const precision : {Precision::float32, Precision::float64}) {
      for (bool const varies : {false, true}) {
        Mode mode(dimension, precision);
        // The same medium, with coefficients in fields.
        if (varies)
          make_isotropic(mode.problem, steady([](double, double, double) { return 1.0; }));
        double const stable = largest_stable_time_step(mode.problem);
        for (int const stages : {3, 7, 21}) {
          double const step_s = 0.97 * rkl2_span(stages) * stable;
          double const factor = stability_polynomial(stages, mode.eigenvalue * step_s);
          double const epsilon = precision == Precision::float32
                                     ? std::numeric_limits<float>::epsilon()
                                     : std::numeric_limits<double>::epsilon();
          EXPECT_LE(error_of(mode.problem, rkl2(3, step_s),
                             [&](double x, double y, double z) {
                               return std::pow(factor, 3.0) *
                                      mode.problem.initial.value(x, y, z, 0.0);
                             }),
                    20.0 * stages * epsilon)
              << dimension << ", " << stages << ", " << varies;
        }
      }
    }
  }
}

/// u = cos(πx) cos(πy) exp(−λt) + t² cos(t), by a source that is constant in space.
TEST_F(Rkl2, IsOfSecondOrder) {
  Mode mode(2, Precision::float64);
  for (Face const face : faces(mode.problem.grid)) {
    mode.problem.boundary[face] = {BoundaryKind::neumann, 0.0};
  }
  mode.eigenvalue = 0.0;
  for (int axis = 0; axis < 2; ++axis) {
    double const h = mode.problem.grid.spacing[axis];
    mode.eigenvalue += 0.04 * 2.0 * (1.0 - std::cos(pi * h)) / (h * h);
  }
  auto const wave = [](double x, double y) { return std::cos(pi * x) * std::cos(pi * y); };
  mode.problem.initial.value = steady([=](double x, double y, double) { return wave(x, y); });
  mode.problem.source = varying(
      [](double, double, double, double t) { return 2.0 * t * std::cos(t) - t * t * std::sin(t); });
  double const end_s = 1.0;
  auto const error_with = [&](int steps) {
    return error_of(mode.problem, rkl2(steps, end_s / steps), [&](double x, double y, double) {
      return wave(x, y) * std::exp(-mode.eigenvalue * end_s) + end_s * end_s * std::cos(end_s);
    });
  };
  // Both have three stages: the constant of the error depends on their number.
  double const coarse = error_with(32);
  double const fine = error_with(64);
  EXPECT_LE(coarse, 2e-3);
  EXPECT_NEAR(std::log2(coarse / fine), 2.0, 0.15);
}

/// Dirichlet values in t: u = (x + 2y) sin t. Its second difference is zero.
TEST_F(Rkl2, FollowsBoundaryValuesInTime) {
  Problem problem = box_problem(Equation::diffusion, 2, {17, 13, 1}, {});
  auto const u = [](double x, double y, double t) { return (x + 2.0 * y) * std::sin(t); };
  for (Face const face : faces(problem.grid)) {
    problem.boundary[face].value =
        varying([=](double x, double y, double, double t) { return u(x, y, t); });
  }
  problem.source =
      varying([](double x, double y, double, double t) { return (x + 2.0 * y) * std::cos(t); });
  auto const error_with = [&](int steps) {
    return error_of(problem, rkl2(steps, 1.0 / steps),
                    [&](double x, double y, double) { return u(x, y, 1.0); });
  };
  double const coarse = error_with(10);
  double const fine = error_with(20);
  EXPECT_LE(coarse, 2e-3);
  EXPECT_GE(coarse / fine, 3.0);
}

/// No wave grows by steps of the largest length, not even the shortest ones.
TEST_F(Rkl2, IsStableUpToTheLongestStep) {
  for (bool const varies : {false, true}) {
    Problem problem = box_problem(Equation::diffusion, 2, {21, 18, 1}, {});
    if (varies) {
      make_isotropic(problem, steady([](double x, double y, double) {
                       return std::exp(4.0 * std::sin(9.0 * x) * y);
                     }));
    }
    problem.initial.value = steady([](double x, double y, double) {
      return std::sin(1000.0 * x * x + 777.0 * y) +
             std::cos(20.0 * pi * x) * std::cos(17.0 * pi * y);
    });
    double const stable = largest_stable_time_step(problem);
    for (double const span : {rkl2_span(3), rkl2_span(4), max_rkl2_span}) {
      auto const solver = ended(problem, rkl2(6, span * stable));
      double const largest =
          ranks_.max(largest_error<double>(*solver, [](double, double, double) { return 0.0; }));
      EXPECT_LE(largest, 2.0) << span;
    }
  }
}

/// A serial loop over the stages, written from eqs. 16 to 18 of the paper.
class Oracle {
 public:
  Oracle(Problem const& problem, int stages, double step_s)
      : problem_(problem), n_(problem.grid.points), stages_(stages), step_s_(step_s) {
    u_.resize(static_cast<std::size_t>(n_.x * n_.y));
    for_each([&](std::int64_t i, std::int64_t j) {
      u_[at(i, j)] = problem_.initial.value(x(i), y(j), 0.0, 0.0);
    });
    set_boundary(u_, 0.0);
  }
  void step() {
    double const w = 4.0 / (stages_ * stages_ + stages_ - 2.0);
    std::vector<double> const start = u_;
    std::vector<double> const first = rate(start, time_s_);
    std::vector<double> older = start;
    std::vector<double> latest = start;
    for (std::size_t n = 0; n < u_.size(); ++n) latest[n] += w / 3.0 * step_s_ * first[n];
    double now_s = time_s_ + step_s_ * w / 3.0;
    set_boundary(latest, now_s);
    for (int j = 2; j <= stages_; ++j) {
      double const mu = (2.0 * j - 1.0) / j * b(j) / b(j - 1);
      double const nu = -(j - 1.0) / j * b(j) / b(j - 2);
      std::vector<double> const m = rate(latest, now_s);
      std::vector<double> next = start;
      for (std::size_t n = 0; n < u_.size(); ++n) {
        next[n] = mu * latest[n] + nu * older[n] + (1.0 - mu - nu) * start[n] +
                  mu * w * step_s_ * (m[n] - (1.0 - b(j - 1)) * first[n]);
      }
      now_s = time_s_ + step_s_ * (j * j + j - 2.0) * w / 4.0;
      set_boundary(next, now_s);
      older = latest;
      latest = next;
    }
    time_s_ += step_s_;
    u_ = latest;
  }
  [[nodiscard]] double value(Index3 p) const { return u_[at(p.x, p.y)]; }

 private:
  static double b(int j) { return j < 2 ? 1.0 / 3.0 : (j * j + j - 2.0) / (2.0 * j * (j + 1.0)); }
  template <class Visit>
  void for_each(Visit const& visit) const {
    for (std::int64_t j = 0; j < n_.y; ++j)
      for (std::int64_t i = 0; i < n_.x; ++i) visit(i, j);
  }
  [[nodiscard]] std::size_t at(std::int64_t i, std::int64_t j) const {
    return static_cast<std::size_t>(i + n_.x * j);
  }
  [[nodiscard]] double x(std::int64_t i) const {
    return static_cast<double>(i) * problem_.grid.spacing[0];
  }
  [[nodiscard]] double y(std::int64_t j) const {
    return static_cast<double>(j) * problem_.grid.spacing[1];
  }
  /// Sets the Dirichlet faces of x. Those of y are Neumann faces.
  void set_boundary(std::vector<double>& u, double t) const {
    for (std::int64_t j = 0; j < n_.y; ++j) {
      u[at(0, j)] = problem_.boundary[x_lower].value(0.0, y(j), 0.0, t);
      u[at(n_.x - 1, j)] = problem_.boundary[x_upper].value(x(n_.x - 1), y(j), 0.0, t);
    }
  }
  [[nodiscard]] std::vector<double> rate(std::vector<double> const& u, double t) const {
    double const hx = problem_.grid.spacing[0];
    double const hy = problem_.grid.spacing[1];
    std::vector<double> m(u.size());
    for_each([&](std::int64_t i, std::int64_t j) {
      if (i == 0 || i == n_.x - 1) return;
      double const here = u[at(i, j)];
      // A ghost point mirrors its neighbour, plus twice the spacing times the derivative.
      auto const given = [&](Face face) {
        return 2.0 * hy * problem_.boundary[face].value(x(i), y(j), 0.0, t);
      };
      double const south = j > 0 ? u[at(i, j - 1)] : u[at(i, 1)] + given(y_lower);
      double const north = j + 1 < n_.y ? u[at(i, j + 1)] : u[at(i, n_.y - 2)] + given(y_upper);
      m[at(i, j)] =
          problem_.diffusivity * ((u[at(i - 1, j)] - 2.0 * here + u[at(i + 1, j)]) / (hx * hx) +
                                  (south - 2.0 * here + north) / (hy * hy)) +
          problem_.source(x(i), y(j), 0.0, t);
    });
    return m;
  }

  Problem problem_;
  Extent3 n_;
  int stages_;
  double step_s_;
  double time_s_ = 0.0;
  std::vector<double> u_;
};

Problem driven() {
  Problem problem = box_problem(Equation::diffusion, 2, {19, 23, 1}, {});
  problem.diffusivity = 0.05;
  problem.boundary[y_lower] = {BoundaryKind::neumann, 0.3};
  problem.boundary[y_upper] = {BoundaryKind::neumann,
                               varying([](double x, double, double, double t) { return x + t; })};
  problem.boundary[x_lower].value =
      varying([](double, double y, double, double t) { return y + std::sin(3.0 * t); });
  problem.source = varying([](double x, double y, double, double t) { return 5.0 * x * y - t; });
  problem.initial.value = steady([](double x, double y, double) { return x - y * y; });
  return problem;
}

TEST_F(Rkl2, EqualsASerialLoopOverTheStages) {
  Problem const problem = driven();
  double const stable = largest_stable_time_step(problem);
  for (int const stages : {3, 5, 15}) {
    double const step_s = 0.95 * rkl2_span(stages) * stable;
    Oracle oracle(problem, stages, step_s);
    for (int n = 0; n < 4; ++n) oracle.step();
    auto const solver = ended(problem, rkl2(4, step_s));
    std::vector<double> const u = field_of<double>(*solver);
    for_each_owned(solver->subdomain(), [&](Index3 p, std::size_t n) {
      EXPECT_NEAR(u[n], oracle.value(p), 1e-12) << stages << ' ' << p.x << ' ' << p.y;
    });
  }
}

/// The field of several ranks has the bits of one rank.
TEST_F(Rkl2, SameBitsOnAnyNumberOfRanks) {
  mpi::Communicator const alone(MPI_COMM_SELF);
  Problem layered = driven();
  make_isotropic(layered, steady([](double x, double y, double) { return 0.1 + x * x + y; }));
  for (Problem problem : {driven(), layered}) {
    for (Precision const precision : {Precision::float32, Precision::float64}) {
      problem.precision = precision;
      MethodSettings const method = rkl2(3, 0.9 * rkl2_span(9) * largest_stable_time_step(problem));
      auto const shared = ended(problem, method);
      Execution how = execution(problem, alone);
      how.parts = {1, 1, 1};
      auto const whole = make_solver(alone, problem, method, how);
      whole->advance_to(method.iterations);
      auto const compare = [&]<class Real>(Real) {
        std::vector<Real> const mine = field_of<Real>(*shared);
        std::vector<Real> const all = field_of<Real>(*whole);
        for_each_owned(shared->subdomain(), [&](Index3 p, std::size_t n) {
          EXPECT_EQ(mine[n], all[static_cast<std::size_t>(p.x + p.y * problem.grid.points.x)]);
        });
      };
      precision == Precision::float32 ? compare(float{}) : compare(double{});
    }
  }
}

TEST_F(Rkl2, ChoosesTheSmallestOddNumberOfStages) {
  EXPECT_EQ(rkl2_stage_count(1e-3, 1.0), 3);
  EXPECT_EQ(rkl2_stage_count(2.5, 1.0), 3);
  EXPECT_EQ(rkl2_stage_count(2.6, 1.0), 5);
  EXPECT_EQ(rkl2_stage_count(7.0, 1.0), 5);
  EXPECT_EQ(rkl2_stage_count(2002.0, 1.0), max_rkl2_stages);
  EXPECT_EQ(rkl2_stage_count(2048.0, 1.0), 91);
  for (double const step_s : {2048.1, 1e300, 0.0, -1.0}) {
    EXPECT_THROW((void)rkl2_stage_count(step_s, 1.0), SettingError) << step_s;
  }
  Problem const problem = driven();
  EXPECT_THROW(check_solvable(problem, rkl2(1, 2049.0 * largest_stable_time_step(problem))),
               SettingError);
}

}  // namespace
}  // namespace isotherm::test
