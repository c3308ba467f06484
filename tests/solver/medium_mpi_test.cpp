#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "solver/discretise/medium_units.hpp"
#include "solver/discretise/stable_step.hpp"
#include "solver/level/medium/separable_conductance_rows.hpp"
#include "solver/time/ftcs.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/bodies.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/solving.hpp"

// Relaxations and explicit steps in heterogeneous media, compared with a pointwise reference.

namespace isotherm::test {
namespace {

using enum BoundaryKind;

class Medium : public BackendTest {};

/// A uniform medium conducts like constant coefficients.
TEST_F(Medium, UniformMediumMatchesConstantCoefficients) {
  for (Equation const equation : {Equation::poisson, Equation::diffusion}) {
    for (int const dimension : {2, 3}) {
      Problem plain = mixed_problem(equation, Precision::float64, dimension);
      plain.diffusivity = equation == Equation::diffusion ? 0.4 : 1.0;
      Problem medium = plain;
      make_isotropic(medium, steady([](double, double, double) { return 1.0; }));
      MethodSettings const method = method_for(plain, 40);
      for (std::string const name : {"auto", "plain"}) {
        auto const one = solved(plain, method, name);
        auto const other = solved(medium, method, name);
        EXPECT_LE(difference<double>(*one, *other), 2e-14) << name << ' ' << dimension;
      }
    }
  }
}

TEST_F(Medium, DiffusivityIsConductivityOverCapacity) {
  Problem plain = mixed_problem(Equation::diffusion, Precision::float64, 3);
  plain.diffusivity = 2.5;
  Problem medium = plain;
  medium.diffusivity = 1.0;
  make_isotropic(medium, 400.0);
  medium.medium.capacity = 160.0;
  medium.source = steady([](double x, double y, double) { return 160.0 * (4 * x - y); });
  MethodSettings const method = method_for(plain, 30);
  EXPECT_NEAR(largest_stable_time_step(medium) / largest_stable_time_step(plain.grid, 2.5), 1.0,
              1e-12);
  EXPECT_LE(difference<double>(*solved(plain, method), *solved(medium, method)), 3e-14);
}

/// Layers with interfaces midway between points carry the same heat flux. The discrete solution,
/// linear in each layer, is exact.
TEST_F(Medium, LayersConductAsResistancesInSeries) {
  double const inner = 0.02, outer = 3.0, h = 1.0 / 12;
  for (Precision const precision : {Precision::float32, Precision::float64}) {
    for (int const axis : {0, 1, 2}) {
      Extent3 points{5, 5, 5};
      points[axis] = 13;
      PerAxis<double> upper{1, 1, 1};
      Problem problem = box_problem(Equation::laplace, 3, points, {neumann, 0.0}, upper);
      problem.precision = precision;
      double const border = 4.5 * h;
      auto const along = [axis](double x, double y, double z) {
        return axis == 0 ? x : axis == 1 ? y : z;
      };
      make_isotropic(problem, steady([=](double x, double y, double z) {
                       return along(x, y, z) < border ? inner : outer;
                     }));
      problem.boundary[{axis, false}] = {dirichlet, 1.0};
      problem.boundary[{axis, true}] = {dirichlet, 0.0};
      double const resistance = border / inner + (1 - border) / outer;
      auto const exact = [=](double x, double y, double z) {
        double const s = along(x, y, z);
        double const before = s < border ? s / inner : border / inner + (s - border) / outer;
        return 1.0 - before / resistance;
      };
      MethodSettings method = jacobi(6000);
      method.check_every = 100;
      // in float32 changes vanish before the estimated error is so small
      method.tolerance = precision == Precision::float32 ? 0.0 : 1e-13;
      auto const solver = solved(problem, method);
      if (precision == Precision::float64) {
        EXPECT_TRUE(solver->converged());
      }
      double const bound = precision == Precision::float32 ? 2e-5 : 1e-11;
      if (precision == Precision::float32) {
        EXPECT_LE(largest_error<float>(*solver, exact), bound);
      } else {
        EXPECT_LE(largest_error<double>(*solver, exact), bound);
      }
    }
  }
}

/// The solution is u = a + b x between a Dirichlet and a Robin face, with κ b = h (u_ambient − u)
/// at the Robin face.
TEST_F(Medium, RobinFaceConductsTheFluxThatReachesIt) {
  for (bool const upper : {true, false}) {
    Problem problem = box_problem(Equation::laplace, 2, {11, 6, 1}, {neumann, 0.0}, {2, 1, 1});
    make_isotropic(problem, 0.5);
    double const coefficient = 3.0, ambient = 290.0, hot = 350.0;
    problem.boundary[{0, !upper}] = {dirichlet, hot};
    problem.boundary[{0, upper}] = {robin, ambient, coefficient};
    double const flux = (hot - ambient) / (2.0 / 0.5 + 1.0 / coefficient);
    MethodSettings method = jacobi(4000);
    method.check_every = 50;
    method.tolerance = 1e-13;
    auto const solver = solved(problem, method);
    EXPECT_TRUE(solver->converged());
    EXPECT_LE(largest_error<double>(*solver,
                                    [&](double x, double, double) {
                                      double const way = upper ? x : 2.0 - x;
                                      return hot - flux * way / 0.5;
                                    }),
              1e-9);
  }
}

/// The reference: applies the update point by point in float64, with coefficients computed from the
/// problem itself.
class ByHand {
 public:
  explicit ByHand(Problem const& problem) : problem_(problem), u_(count()) {
    each([&](Index3 p) {
      u_[at(p)] = given(p) != nullptr ? value(*given(p), p) : value(problem.initial.value, p);
    });
  }
  void step(double time_step_s) {  // 0: a Jacobi relaxation
    std::vector<double> const before = u_;
    each([&](Index3 p) {
      if (given(p) != nullptr || is_insulated(p)) return;
      double total = 0, sum = 0;
      double inflow = value(problem_.source, p) * volume(p);
      for (int axis = 0; axis < problem_.grid.dimension; ++axis) {
        for (bool const upper : {false, true}) {
          Index3 beside = p;
          beside[axis] += upper ? 1 : -1;
          std::int64_t const n = problem_.grid.points[axis];
          bool const outside = beside[axis] < 0 || beside[axis] >= n;
          double const area = volume(p) / width(axis, p);
          if (outside && !problem_.grid.periodic[axis]) {
            through({axis, upper}, p, area, total, inflow);
            continue;
          }
          beside[axis] = (beside[axis] + n) % n;
          if (is_insulated(beside)) continue;
          double const a = kappa(axis, p), b = kappa(axis, beside);
          double const g = 2 * a * b / (a + b) * area / gap(axis, upper ? p : beside);
          total += g;
          sum += g * before[at(beside)];
        }
      }
      double const here = before[at(p)];
      u_[at(p)] = time_step_s > 0 ? here + time_step_s * (sum - total * here + inflow) /
                                               (volume(p) * value(problem_.medium.capacity, p))
                                  : (sum + inflow) / total;
    });
  }
  [[nodiscard]] double operator()(Index3 p) const { return u_[at(p)]; }

 private:
  [[nodiscard]] std::size_t count() const {
    return static_cast<std::size_t>(problem_.grid.point_count());
  }
  [[nodiscard]] std::size_t at(Index3 p) const {
    Extent3 const n = problem_.grid.points;
    return static_cast<std::size_t>((p.z * n.y + p.y) * n.x + p.x);
  }
  template <class Visit>
  void each(Visit const& visit) const {
    Extent3 const n = problem_.grid.points;
    for (std::int64_t k = 0; k < n.z; ++k)
      for (std::int64_t j = 0; j < n.y; ++j)
        for (std::int64_t i = 0; i < n.x; ++i) visit(Index3{i, j, k});
  }
  [[nodiscard]] double value(ScalarFunction const& function, Index3 p) const {
    Grid const& grid = problem_.grid;
    return function(grid.coordinate(0, p.x), grid.coordinate(1, p.y), grid.coordinate(2, p.z), 0.0);
  }
  [[nodiscard]] double kappa(int axis, Index3 p) const {
    return problem_.diffusivity * value(problem_.medium.conductivity[axis], p);
  }
  [[nodiscard]] bool contains(Region const& where, Index3 p) const {
    Grid const& grid = problem_.grid;
    return where.contains(grid.coordinate(0, p.x), grid.coordinate(1, p.y),
                          grid.coordinate(2, p.z));
  }
  [[nodiscard]] bool ends(int axis, Index3 p) const {
    return !problem_.grid.periodic[axis] &&
           (p[axis] == 0 || p[axis] == problem_.grid.points[axis] - 1);
  }
  [[nodiscard]] double width(int axis, Index3 p) const {
    Index3 before = p;
    before[axis] = (p[axis] - 1 + problem_.grid.points[axis]) % problem_.grid.points[axis];
    bool const first = ends(axis, p) && p[axis] == 0;
    bool const last = ends(axis, p) && p[axis] != 0;
    return 0.5 * ((first ? 0.0 : gap(axis, before)) + (last ? 0.0 : gap(axis, p)));
  }
  [[nodiscard]] double gap(int axis, Index3 p) const {
    Grid const& grid = problem_.grid;
    if (!grid.is_graded(axis)) return grid.spacing[axis];
    return grid.coordinate(axis, p[axis] + 1) - grid.coordinate(axis, p[axis]);
  }
  [[nodiscard]] double volume(Index3 p) const {
    double product = 1;
    for (int axis = 0; axis < problem_.grid.dimension; ++axis) product *= width(axis, p);
    return product;
  }
  [[nodiscard]] BoundaryCondition const& holds(Face face, Index3 p) const {
    BoundaryCondition const* last = &problem_.boundary[face];
    for (BoundaryPatch const& patch : problem_.patches) {
      if (patch.face == face && contains(patch.where, p)) last = &patch.condition;
    }
    return *last;
  }
  /// Returns the given value of a point: that of its first Dirichlet face, else of the last fixed
  /// region that contains it.
  [[nodiscard]] ScalarFunction const* given(Index3 p) const {
    for (Face const face : faces(problem_.grid)) {
      bool const on = p[face.axis] == (face.upper ? problem_.grid.points[face.axis] - 1 : 0);
      if (on && holds(face, p).kind == dirichlet) return &holds(face, p).value;
    }
    ScalarFunction const* last = nullptr;
    for (FixedRegion const& fixed : problem_.medium.fixed) {
      if (contains(fixed.where, p)) last = &fixed.value;
    }
    return last;
  }
  [[nodiscard]] bool is_insulated(Index3 p) const {
    return given(p) == nullptr &&
           std::ranges::any_of(problem_.medium.insulated,
                               [&](Region const& where) { return contains(where, p); });
  }
  void through(Face face, Index3 p, double area, double& total, double& inflow) const {
    BoundaryCondition const& condition = holds(face, p);
    if (condition.kind == neumann) inflow += kappa(face.axis, p) * area * value(condition.value, p);
    if (condition.kind == robin) {
      double const g = value(condition.coefficient, p) * area;
      total += g;
      inflow += g * value(condition.value, p);
    }
  }

  Problem problem_;
  std::vector<double> u_;
};

/// Expects the field after some steps to match the reference, including fixed regions with
/// time-dependent values.
template <class Real>
void expect_as_by_hand(Problem const& problem, std::vector<std::string> const& plans_to_test,
                       double bound) {
  int const steps = 7;
  double const stable =
      problem.equation == Equation::diffusion ? largest_stable_time_step(problem) : 0;
  ByHand by_hand(problem);
  for (int n = 0; n < steps; ++n) by_hand.step(0.9 * stable);
  for (std::string const& plan : plans_to_test) {
    auto const solver =
        solved(problem, stable > 0 ? ftcs(steps, 0.9 * stable) : jacobi(steps), plan);
    std::vector<Real> const u = field_of<Real>(*solver);
    double largest = 0;
    for_each_owned(solver->subdomain(), [&](Index3 p, std::size_t n) {
      double const error = std::abs(static_cast<double>(u[n]) - by_hand(p));
      largest = std::isnan(largest) || error <= largest ? largest : error;
    });
    EXPECT_LE(largest, bound) << plan;
  }
}

TEST_F(Medium, GradedAxesMatchPointwiseReference) {
  if (is_sanitized) GTEST_SKIP() << numbers_alone;
  for (Equation const equation : {Equation::poisson, Equation::diffusion}) {
    for (int const dimension : {2, 3}) {
      SCOPED_TRACE(std::string(name(equation)) + ' ' + std::to_string(dimension));
      Problem const problem = graded(everything(equation, Precision::float64, dimension));
      expect_as_by_hand<double>(problem, {"auto"}, 1e-12);
      Problem plain = graded(mixed_problem(equation, Precision::float64, dimension));
      expect_as_by_hand<double>(plain, {"auto"}, 1e-12);
    }
  }
}

/// Conductances as products of rows along the axes (separable coefficients) must give the bits of
/// conductances stored in fields.
template <class Real>
void expect_equal_bits(Problem problem) {
  problem.medium.isotropic = false;
  problem.medium.conductivity = {2.75, 0.3, 1.0};
  problem.medium.capacity = 7.0;
  Problem in_fields = problem;
  in_fields.medium.conductivity[1] = steady([](double, double, double) { return 0.3; });
  EXPECT_TRUE(is_separable(problem));
  EXPECT_FALSE(is_separable(in_fields));
  MethodSettings const method = problem.equation == Equation::diffusion
                                    ? ftcs(9, 0.9 * largest_stable_time_step(problem))
                                    : jacobi(9);
  auto const one = solved(problem, method);
  auto const other = solved(in_fields, method);
  EXPECT_EQ(field_of<Real>(*one), field_of<Real>(*other));
}

TEST_F(Medium, SeparableCoefficientsGiveTheBitsOfStoredConductances) {
  for (Equation const equation : {Equation::poisson, Equation::diffusion}) {
    for (int const dimension : {2, 3}) {
      for (bool const grades : {true, false}) {
        SCOPED_TRACE(std::string(name(equation)) + ' ' + std::to_string(dimension));
        auto const problem = [&](Precision precision) {
          Problem const even = mixed_problem(equation, precision, dimension);
          return grades ? graded(even) : even;
        };
        expect_equal_bits<float>(problem(Precision::float32));
        expect_equal_bits<double>(problem(Precision::float64));
      }
    }
  }
}

TEST_F(Medium, SeparableCoefficientsAllowRobinFaces) {
  for (Equation const equation : {Equation::poisson, Equation::diffusion}) {
    for (int const dimension : {2, 3}) {
      Problem problem = graded(mixed_problem(equation, Precision::float64, dimension));
      problem.boundary[{0, true}] = {robin, 2.0, 40.0};
      problem.boundary[{1, false}] = {robin, -1.0, 0.0};
      problem.boundary[{1, true}] = {robin, 0.5, 3.0};
      EXPECT_TRUE(is_separable(problem));
      expect_as_by_hand<double>(problem, {"auto"}, 1e-12);
      problem.boundary[{1, true}].coefficient =
          steady([](double x, double, double) { return x < 0.3 ? 0.0 : 5.0; });
      EXPECT_FALSE(is_separable(problem));
    }
  }
}

TEST_F(Medium, MixedMediumMatchesPointwiseReference) {
  for (Equation const equation : {Equation::poisson, Equation::diffusion}) {
    for (int const dimension : {2, 3}) {
      SCOPED_TRACE(std::string(name(equation)) + ' ' + std::to_string(dimension));
      Problem problem = everything(equation, Precision::float64, dimension);
      std::vector<std::string> names;
      for (SweepPlan const& plan : plans(problem)) {
        if (plan.steps <= 6) names.push_back(plan.name);  // four ranks have only as many points
      }
      expect_as_by_hand<double>(problem, names, 1e-12);
      problem.precision = Precision::float32;
      expect_as_by_hand<float>(problem, {"auto"}, 2e-4);
    }
  }
}

/// Fused steps read the source in the ghost layer, too, after its projection.
TEST_F(Medium, ProjectedSourceOfAnIslandGivesSameFieldWithFusedSteps) {
  Problem problem = box_problem(Equation::poisson, 2, {24, 32, 1}, {neumann, 0.0});
  make_isotropic(problem, steady([](double x, double y, double) { return 1 + x * y; }));
  problem.boundary[{0, false}] = {dirichlet, 0.0};
  problem.medium.insulated.push_back(
      region([](double x, double, double) { return std::abs(x - 0.5) < 0.06; }));
  problem.source = steady([](double, double y, double) { return 1 + y; });
  problem.project = true;
  auto const plain = solved(problem, jacobi(12), "plain");
  for (SweepPlan const& plan : plans(problem)) {
    if (plan.steps > 6) continue;  // as many points as four ranks have
    EXPECT_EQ(difference<double>(*solved(problem, jacobi(12), plan.name), *plain), 0.0)
        << plan.name;
  }
}

/// The largest stable time step is the limit of stability.
TEST_F(Medium, LargestStableStepIsTheLimitOfStability) {
  if (is_sanitized) GTEST_SKIP() << numbers_alone;
  Problem const problem = everything(Equation::diffusion, Precision::float64, 2);
  double const largest = largest_stable_time_step(problem);
  double fastest = 0;
  // A single peak decays at the rate Σ g / (c V) of its point.
  for (std::int64_t j = 0; j < 14; ++j) {
    for (std::int64_t i = 0; i < 19; ++i) {
      Problem peak = problem;
      peak.source = 0.0;
      for (auto& entry : peak.boundary) entry.value = 0.0;
      for (auto& entry : peak.patches) entry.condition.value = 0.0;
      for (auto& entry : peak.medium.fixed) entry.value = 0.0;
      peak.initial.value = steady([&](double x, double y, double) {
        return std::abs(x - problem.grid.coordinate(0, i)) +
                           std::abs(y - problem.grid.coordinate(1, j)) <
                       1e-9
                   ? 1.0
                   : 0.0;
      });
      ByHand of(peak);
      if (of({i, j, 0}) != 1.0) continue;  // a fixed point
      of.step(1e-6);
      fastest = std::max(fastest, (1.0 - of({i, j, 0})) / 1e-6);
    }
  }
  EXPECT_NEAR(largest * fastest, 1.0, 1e-6);
  double of_parts = 0;  // more parts than planes
  for (int part = 0; part < 17; ++part) {
    of_parts = std::max(of_parts, inverse_stable_step(problem, part, 17));
  }
  EXPECT_EQ(1.0 / of_parts, largest);
  EXPECT_THROW(solved(problem, ftcs(1, 1.01 * largest)), SettingError);
}

TEST_F(Medium, RefusesNonPositiveCoefficients) {
  Problem problem = everything(Equation::diffusion, Precision::float64, 2);
  auto const refusal = [&](Problem const& wrong) -> std::string {
    MethodSettings method = ftcs(1, 1e-9);
    method.longest_step_s = 1.0;
    try {
      (void)solved(wrong, method);
    } catch (InputError const& error) {
      return error.what();
    }
    return "";
  };
  Problem negative = problem;
  negative.medium.conductivity[1] = steady([](double x, double, double) { return x - 0.5; });
  EXPECT_NE(refusal(negative).find("the conductivity is "), std::string::npos) << refusal(negative);
  Problem empty = problem;
  empty.medium.capacity = steady([](double x, double, double) { return x > 0.3 ? 0.0 : 1.0; });
  EXPECT_NE(refusal(empty).find("the capacity is 0 at x = "), std::string::npos) << refusal(empty);
  Problem sucking = problem;
  sucking.boundary[{1, false}].coefficient = -2.0;
  EXPECT_NE(refusal(sucking).find("the coefficient of the face y_lower"), std::string::npos);
  EXPECT_THROW((void)largest_stable_time_step(negative), InputError);
}

/// Time-dependent values of a fixed region, of a patch, and of the ambient temperature of a Robin
/// face.
TEST_F(Medium, FollowsTimeDependentValues) {
  Problem problem = everything(Equation::diffusion, Precision::float64, 2);
  problem.medium.fixed[0].value =
      varying([](double x, double, double, double t) { return x + 100 * t; });
  problem.patches[1].condition.value =
      varying([](double, double, double, double t) { return 7 * t; });
  for (char const* const name : {"ftcs", "rkl2", "backward_euler", "crank_nicolson"}) {
    double const step = 0.5 * largest_stable_time_step(problem);
    MethodSettings method = ftcs(10, step);
    method.name = name;
    auto const solver = solved(problem, method);
    std::vector<double> const u = field_of<double>(*solver);
    for_each_owned(solver->subdomain(), [&](Index3 p, std::size_t n) {
      double const x = problem.grid.coordinate(0, p.x);
      double const y = problem.grid.coordinate(1, p.y);
      if (p.x == 0) return;
      if (p.y == 13 && x > 0.5) {
        EXPECT_DOUBLE_EQ(u[n], 70 * step) << name;
      } else if (std::hypot(x - 0.6, y - 0.7) < 0.12) {
        EXPECT_DOUBLE_EQ(u[n], x + 1000 * step) << name;
      }
    });
  }
}

/// The heat that enters an insulated box through a patch is the time integral of its flux.
TEST_F(Medium, HeatThroughAPatchIsTheIntegralOfItsFlux) {
  mpi::Communicator const ranks(MPI_COMM_WORLD);
  Problem problem = box_problem(Equation::diffusion, 2, {9, 9, 1}, {neumann, 0.0});
  problem.initial.value = 0.0;
  problem.patches.push_back(
      {{0, false},
       region([](double, double y, double) { return y > 0.55; }),
       {neumann, varying([](double, double, double, double t) { return t; })}});
  double const length = 3.5 / 8;                                            // of the patch
  for (auto const& [name, steps] : {std::pair("ftcs", 15.0),                // 0 + 1 + … + 5
                                    std::pair("rkl2", 18.0),                // the integral
                                    std::pair("backward_euler", 21.0),      // 1 + 2 + … + 6
                                    std::pair("crank_nicolson", 18.25)}) {  // 0.25 + 0.5 + 1.5 + …
    double const step = 0.9 * largest_stable_time_step(problem);
    MethodSettings method = ftcs(6, step);
    method.name = name;
    method.step_tolerance = 1e-12;
    auto const solver = solved(problem, method);
    std::vector<double> const u = field_of<double>(*solver);
    double heat = 0.0;
    for_each_owned(solver->subdomain(),
                   [&](Index3 p, std::size_t n) { heat += u[n] * volume(problem.grid, {}, p); });
    EXPECT_NEAR(ranks.sum(heat) / (step * step * length), steps, 1e-9) << name;
  }
}

}  // namespace
}  // namespace isotherm::test
