#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "solver/discretise/evaluate.hpp"
#include "solver/discretise/flux/energy_meter.hpp"
#include "solver/discretise/point_constraints.hpp"
#include "solver/discretise/shapes/cell.hpp"
#include "solver/discretise/shapes/link_conductivity.hpp"
#include "solver/discretise/shapes/open_shares.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/bodies.hpp"
#include "tests/support/fields.hpp"

// The heat content and the energy of fields: closed forms, sums over points in another order, and
// conservation.
namespace isotherm::test {
namespace {

using enum BoundaryKind;

/// Heat and energy of the same field.
struct Content {
  double heat = 0.0;
  double energy = 0.0;
  friend bool operator==(Content const&, Content const&) = default;
};

class EnergyMeterTest : public BackendTest {
 protected:
  /// Measures a function of points, on a field with other values in its halos.
  template <class Real, class Value>
  static Content content_of(mpi::Communicator const& ranks, Extent3 parts, Problem const& problem,
                            Value const& value) {
    Subdomain const part(problem.grid, parts, ranks.rank());
    Queue queue = make_queue(mpi::Communicator(MPI_COMM_WORLD).local_rank());
    Field<Real> field(queue, part.extent(), {1, 1, 1});
    HostBox<Real> points(field.layout().box());
    points.values.assign(points.values.size(), Real{1e6});
    for_each(part.owned(), [&](std::int64_t i, std::int64_t j, std::int64_t k) {
      points(i, j, k) = static_cast<Real>(value(part.to_global(Index3{i, j, k})));
    });
    write_points(queue, field, points);
    EnergyMeter<Real> meter(ranks, queue, part, problem);
    auto const view = std::as_const(field).view();
    return {meter.heat(view), meter.energy(view)};
  }
  template <class Real, class Value>
  Content content_of(Problem const& problem, Value const& value) const {
    return content_of<Real>(ranks_, choose_decomposition(problem.grid, ranks_.size()), problem,
                            value);
  }
  /// Measures u = a + b x.
  template <class Real = double>
  Content content_of_ramp(Problem const& problem, double a, double b) const {
    return content_of<Real>(problem,
                            [&](Index3 p) { return a + b * problem.grid.coordinate(0, p.x); });
  }

  mpi::Communicator const ranks_{MPI_COMM_WORLD};
};

Problem box(int dimension, Equation equation = Equation::diffusion) {
  return box_problem(equation, dimension, {9, 6, dimension == 3 ? 7 : 1}, {neumann, 0.0});
}

TEST_F(EnergyMeterTest, LinearFieldHasHalfOfKappa) {
  for (int const dimension : {2, 3}) {
    Problem problem = box(dimension);
    EXPECT_NEAR(content_of_ramp(problem, 0, 1).energy, 0.5, 1e-14);
    EXPECT_NEAR(content_of_ramp(problem, 0, 1).heat, 0.5, 1e-14);
    problem.diffusivity = 6.0;
    EXPECT_NEAR(content_of_ramp(problem, 3, 1).energy, 3.0, 1e-13);
    problem.diffusivity = 1.0;
    problem.medium.conductivity = {4.0, 7.0, 9.0};
    problem.medium.capacity = 5.0;
    problem.grid = graded(problem).grid;
    EXPECT_NEAR(content_of_ramp(problem, 0, 1).energy, 2.0, 1e-13);
    // All numbers of this ramp are float32 numbers, except the coordinates of a graded axis.
    Problem const even = box(dimension);
    EXPECT_NEAR(content_of_ramp<float>(even, 2, 0.5).energy, 0.125, 1e-14);
    EXPECT_NEAR(content_of_ramp<float>(even, 2, 0.5).heat, 2.25, 1e-14);
  }
}

TEST_F(EnergyMeterTest, AxisOfOnePointHasNoLinks) {
  Problem problem = box_problem(Equation::poisson, 3, {5, 2, 4}, {neumann, 0.0});
  problem.grid = make_grid(3, {5, 1, 4}, {0, 0, 0}, {1, 1, 1}, {false, true, false});
  set_axis(problem, 1, {periodic});
  double const found = content_of<double>(ranks_, {1, 1, ranks_.size()}, problem, [&](Index3 p) {
                         return problem.grid.coordinate(0, p.x);
                       }).energy;
  EXPECT_NEAR(found, 0.5, 1e-14);
}

TEST_F(EnergyMeterTest, HeatOfTwoMaterialsIsExact) {
  for (int const dimension : {2, 3}) {
    Problem problem = box(dimension);
    double const infinity = std::numeric_limits<double>::infinity();
    Region const upper{{}, "", make_box({0.37, -infinity, -infinity}, {2, infinity, infinity})};
    Region const inside{[](double x, double, double) { return x >= 0.37; }, "", upper.solid};
    problem.medium.capacity = volume_mean(problem.grid, {{{}, {1.5}}, {inside, {4.0}}});
    Content const found = content_of_ramp(problem, 2, 0);
    EXPECT_NEAR(found.heat, 2 * (0.37 * 1.5 + 0.63 * 4.0), 1e-13);
    EXPECT_EQ(found.energy, 0.0);
  }
}

TEST_F(EnergyMeterTest, InsulatedPointsDoNotCount) {
  for (bool const closed : {false, true}) {
    Problem problem = box_problem(Equation::diffusion, 2, {11, 5, 1}, {neumann, 0.0});
    if (closed) {  // ten gaps of 0.1 on a ring
      problem.grid = make_grid(2, {10, 5, 1}, {0, 0, 0}, {1, 1, 0}, {true, false, false});
      set_axis(problem, 0, {periodic});
    }
    problem.medium.insulated.push_back(region([](double x, double, double) { return x > 0.45; }));
    Content const found = content_of_ramp(problem, 0, 1);
    // Points at 0, 0.1 … 0.4. The volume of the first one is whole on the ring.
    EXPECT_NEAR(found.heat, 0.1, 1e-14);
    EXPECT_NEAR(found.energy, 0.5 * 0.4, 1e-14);
    EXPECT_NEAR(content_of_ramp(problem, 1, 0).heat, closed ? 0.5 : 0.45, 1e-14);
  }
}

/// A Dirichlet face gives values to points in an insulated region or a fluid. Of the links between
/// them nothing is open: the field y has the energy and the heat of what lies beyond the region.
TEST_F(EnergyMeterTest, GivenPointsInInsulationDoNotCount) {
  Region const solid = {[](double x, double, double) { return x <= 0.43; }, "",
                        make_box({-1, -1, -1}, {0.43, 2, 2})};
  Region const at_points = region([](double x, double, double) { return x < 0.45; });
  FixedRegion fluid{solid, 7.0};
  fluid.film_coefficient = 2.0;
  fluid.is_excluded = true;
  for (int const dimension : {2, 3}) {
    std::vector<Problem> problems(3, box(dimension));
    problems[0].medium.insulated.push_back(solid);
    problems[1].medium.fixed.push_back(fluid);
    problems[2].medium.insulated.push_back(at_points);
    for (Problem& problem : problems) {
      double const open = &problem == &problems[2] ? 0.5625 : 0.57;  // nine points: gaps of 1/8
      problem.boundary[{0, false}] = {dirichlet,
                                      steady([](double, double y, double) { return y; })};
      problem.medium.capacity = capacity_of_open_part(problem, 2.0);
      Content const found =
          content_of<double>(ranks_, cuts_of(problem.grid, ranks_.size())[1], problem,
                             [&](Index3 p) { return problem.grid.coordinate(1, p.y); });
      EXPECT_NEAR(found.energy, 0.5 * open, 1e-13);
      EXPECT_NEAR(found.heat, open, 1e-13);
    }
  }
}

/// A fluid on the surface of an insulated region is no part of the medium either.
TEST_F(EnergyMeterTest, FluidsDoNotCount) {
  Problem problem = box_problem(Equation::diffusion, 2, {11, 5, 1}, {neumann, 0.0});
  FixedRegion fluid{region([](double x, double, double) { return x > 0.45; }), 7.0};
  fluid.film_coefficient = 2.0;
  fluid.is_excluded = true;
  problem.medium.fixed.push_back(fluid);
  Content const found = content_of_ramp(problem, 0, 1);
  EXPECT_NEAR(found.heat, 0.1, 1e-14);
  EXPECT_NEAR(found.energy, 0.5 * 0.4, 1e-14);
}

/// A pseudorandom value for each point.
double irregular(Index3 p) {
  return std::sin(static_cast<double>(1 + p.x + 31 * p.y + 1009 * p.z)) *
         std::exp2(static_cast<double>(p.x % 5));
}

/// Sums over all points and links of the whole grid, one after the other.
Content by_points(Problem const& problem) {
  Grid const& grid = problem.grid;
  Content sum;
  for_each(LocalBox{{}, grid.points}, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
    Index3 const p{i, j, k};
    if (constraint_of(problem, p) == constraint::insulation) return;
    sum.heat += value_at(problem.medium.capacity, grid, p) * volume(grid, {}, p) * irregular(p);
    for (int axis = 0; axis < grid.dimension; ++axis) {
      Index3 next = p;
      next[axis] = grid.on_axis(axis, p[axis] + 1);
      if (next[axis] == grid.points[axis]) continue;
      if (constraint_of(problem, next) == constraint::insulation) continue;
      double const difference = irregular(p) - irregular(next);
      sum.energy += 0.5 * conductance_of_link(problem, {}, axis, p) * difference * difference;
    }
  });
  return sum;
}

TEST_F(EnergyMeterTest, SameBitsForEveryDecomposition) {
  std::vector<Problem> problems;
  for (int const dimension : {2, 3}) {
    problems.push_back(everything(Equation::diffusion, Precision::float64, dimension));
    problems.push_back(graded(problems.back()));
    Problem layered =
        box_problem(Equation::poisson, dimension, {8, 9, dimension == 3 ? 7 : 1}, {periodic});
    Solid const ball = make_ball(dimension, {0.4, 0.5, 0.6}, 0.33);
    Region const inside{[ball](double x, double y, double z) {
                          return ball.share({{{{x, x}, {y, y}, {z, z}}}}) > 0.5;
                        },
                        "a ball", ball};
    for (ScalarFunction& along : layered.medium.conductivity) {
      along = steady(
          [inside](double x, double y, double z) { return inside.contains(x, y, z) ? 30.0 : 1.0; });
    }
    layered.medium.layers = std::make_shared<std::vector<MediumLayer> const>(
        std::vector<MediumLayer>{{{}, {1.0, 1.0, 1.0}}, {inside, {30.0, 30.0, 30.0}}});
    problems.push_back(layered);
  }
  mpi::Communicator const alone(MPI_COMM_SELF);
  for (Problem const& problem : problems) {
    Content const whole = content_of<double>(alone, {1, 1, 1}, problem, irregular);
    Content const wanted = by_points(problem);
    EXPECT_NEAR(whole.heat, wanted.heat, 1e-12 * (1 + std::abs(wanted.heat)));
    EXPECT_NEAR(whole.energy, wanted.energy, 1e-12 * wanted.energy);
    for (Extent3 const parts : cuts_of(problem.grid, ranks_.size())) {
      EXPECT_EQ(content_of<double>(ranks_, parts, problem, irregular), whole) << parts.x;
    }
  }
}

TEST_F(EnergyMeterTest, ImplicitStepsConserveHeat) {
  Problem problem = box(2);
  problem.medium.capacity = steady([](double x, double y, double) { return 1 + x + 2 * y; });
  problem.initial.value = steady([](double x, double y, double) { return 10 * x * x + y; });
  MethodSettings method = jacobi(5);
  method.name = "backward_euler";
  method.time_step_s = 0.5;
  Execution const where = execution(problem, ranks_);
  auto solver = make_solver(ranks_, problem, method, where);
  auto const measure = [&] {
    solver->wait();
    EnergyMeter<double> meter(ranks_, solver->queue(), solver->subdomain(), problem);
    auto const view = std::get<FieldView<double const>>(solver->field_view());
    return Content{meter.heat(view), meter.energy(view)};
  };
  Content const before = measure();
  solver->advance_to(5);
  Content const after = measure();
  EXPECT_NEAR(after.heat, before.heat, 1e-11 * before.heat);
  EXPECT_LT(after.energy, 0.1 * before.energy);
}

}  // namespace
}  // namespace isotherm::test
