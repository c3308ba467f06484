#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "kernels/conduction/face_conductances.hpp"
#include "solver/discretise/flow_meter.hpp"
#include "solver/problem/conditions.hpp"
#include "solver/time/ftcs.hpp"
#include "tests/support/bodies.hpp"
#include "tests/support/fields.hpp"

// In an MPI test, use EXPECT_*, not ASSERT_*: a rank that leaves early strands the others in their
// next collective call.

namespace isotherm::test {
namespace {

using enum BoundaryKind;

class FlowMeterTest : public BackendTest {
 protected:
  mpi::Communicator ranks_{MPI_COMM_WORLD};
};

std::vector<double> as_list(Flows const& flows) {
  std::vector<double> list(flows.faces.begin(), flows.faces.end());
  list.insert(list.end(), flows.fixed.begin(), flows.fixed.end());
  list.insert(list.end(), {flows.source, flows.balance});
  return list;
}

/// Of the field that a solver holds.
Flows flows_of(mpi::Communicator const& ranks, Solver& solver, Problem const& problem) {
  Flows flows;
  std::visit(
      [&]<class Real>(FieldView<Real const> field) {
        FlowMeter<Real> meter(ranks, solver.queue(), solver.subdomain(), problem);
        flows = meter.read(field, solver.time_s());
      },
      solver.field_view());
  return flows;
}

/// The largest of them but for the balance.
double scale(Flows const& flows) {
  std::vector<double> const list = as_list(flows);
  double largest = 0.0;
  for (std::size_t i = 0; i + 1 < list.size(); ++i) largest = std::max(largest, std::abs(list[i]));
  return largest;
}

MethodSettings cycles(double tolerance) {
  MethodSettings method = jacobi(60);
  method.name = "multigrid";
  method.check_every = 1;
  method.tolerance = tolerance;
  return method;
}

TEST_F(FlowMeterTest, BalancesWhereTheSolverHasConverged) {
  for (Precision const precision : {Precision::float32, Precision::float64}) {
    for (int const dimension : {2, 3}) {
      for (bool const body : {false, true}) {
        Problem const problem = body ? everything(Equation::poisson, precision, dimension)
                                     : mixed_problem(Equation::poisson, precision, dimension);
        bool const single = precision == Precision::float32;
        auto const solver = solved(problem, cycles(single ? 1e-5 : 1e-11));
        EXPECT_TRUE(solver->converged());
        Flows const flows = flows_of(ranks_, *solver, problem);
        EXPECT_LE(std::abs(flows.balance), (single ? 1e-4 : 1e-9) * scale(flows))
            << dimension << (body ? " body" : " none");
        EXPECT_GT(scale(flows), 0.5);
      }
    }
  }
}

TEST_F(FlowMeterTest, FindsWhatFlowsThroughLayers) {
  double const border = 4.5 / 12, exact = 2.0 / (border / 0.02 + (1 - border) / 3.0);
  for (int const axis : {0, 1, 2}) {
    Extent3 points{5, 6, 4};
    points[axis] = 13;
    PerAxis<double> upper{2, 2, 2};
    upper[axis] = 1;
    Problem problem = box_problem(Equation::laplace, 3, points, {neumann, 0.0}, upper);
    make_isotropic(problem, steady([=](double x, double y, double z) {
                     return PerAxis<double>{x, y, z}[axis] < border ? 0.02 : 3.0;
                   }));
    problem.boundary[{axis, false}] = {dirichlet, 3.0};
    problem.boundary[{axis, true}] = {dirichlet, 1.0};
    auto const solver = solved(problem, cycles(1e-13));
    Flows const flows = flows_of(ranks_, *solver, problem);
    EXPECT_NEAR(flows.faces[(Face{axis, false})], 4 * exact, 1e-10);  // of an area of 4
    EXPECT_NEAR(flows.faces[(Face{axis, true})], -4 * exact, 1e-10);
  }
}

/// To what surrounds the box: as much as one resistance behind the other lets through.
TEST_F(FlowMeterTest, FindsWhatARobinFaceTakes) {
  Problem problem = box_problem(Equation::laplace, 2, {11, 6, 1}, {neumann, 0.0}, {2, 3, 1});
  make_isotropic(problem, 0.5);
  problem.boundary[{0, false}] = {dirichlet, 350.0};
  problem.boundary[{0, true}] = {robin, 290.0, 3.0};
  auto const solver = solved(problem, cycles(1e-12));
  Flows const flows = flows_of(ranks_, *solver, problem);
  double const exact = 3 * 60.0 / (2.0 / 0.5 + 1.0 / 3.0);
  EXPECT_NEAR(flows.faces[(Face{0, false})], exact, 1e-8);
  EXPECT_NEAR(flows.faces[(Face{0, true})], -exact, 1e-8);
  EXPECT_NEAR(flows.faces[(Face{1, true})], 0.0, 1e-12);
}

/// Between a wire and the rim around it 2πκ/ln(R/r) flows; of the grid's points the wire has those
/// inside of r, and the rim those outside of R, so that the gap is wider by up to two spacings.
TEST_F(FlowMeterTest, FindsWhatComesFromAWire) {
  Problem problem = box_problem(Equation::laplace, 2, {161, 161, 1}, {neumann, 0.0}, {2, 2, 1});
  auto const radius = [](double x, double y) { return std::hypot(x - 1, y - 1); };
  problem.body.fixed.push_back(
      {region([=](double x, double y, double) { return radius(x, y) <= 0.3; }), 7.0, "wire"});
  problem.body.fixed.push_back(
      {region([=](double x, double y, double) { return radius(x, y) >= 0.9; }), 2.0, "rim"});
  auto const solver = solved(problem, cycles(1e-11));
  EXPECT_TRUE(solver->converged());
  Flows const flows = flows_of(ranks_, *solver, problem);
  auto const exact = [](double wire, double rim) {
    return 2 * std::acos(-1.0) * 5 / std::log(rim / wire);
  };
  double const h = problem.grid.spacing[0];
  EXPECT_LT(flows.fixed[0], exact(0.3, 0.9));
  EXPECT_GT(flows.fixed[0], exact(0.3 - h, 0.9 + h));
  EXPECT_NEAR(flows.fixed[1], -flows.fixed[0], 1e-8 * exact(0.3, 0.9));
}

/// In time what comes in is what a step makes of the capacities at the unknown points.
TEST_F(FlowMeterTest, BalancesWithWhatTheBoxGains) {
  for (int const dimension : {2, 3}) {
    Problem problem = everything(Equation::diffusion, Precision::float64, dimension);
    problem.source = varying([](double x, double, double, double t) { return x + 1000 * t; });
    problem.boundary[{0, true}].value =
        varying([](double, double y, double, double t) { return y - 300 * t; });
    MethodSettings const method = ftcs(6, 0.4 * largest_stable_time_step(problem));
    Execution const where = execution(problem, ranks_);
    auto const solver = make_solver(ranks_, problem, method, where);
    solver->advance_to(5);
    solver->wait();
    Flows const flows = flows_of(ranks_, *solver, problem);
    std::vector<double> const before = field_of<double>(*solver);
    solver->advance_to(6);
    std::vector<double> const after = field_of<double>(*solver);
    double gain = 0.0;
    for_each_owned(solver->subdomain(), [&](Index3 p, std::size_t n) {
      if (keeps_value(problem, p)) return;
      double const capacity =
          problem.body.capacity(problem.grid.coordinate(0, p.x), problem.grid.coordinate(1, p.y),
                                problem.grid.coordinate(2, p.z), 0);
      gain += capacity * volume(problem.grid, {}, p) * (after[n] - before[n]) / method.time_step_s;
    });
    gain = ranks_.sum(gain);
    EXPECT_NEAR(flows.balance, gain, 1e-9 * scale(flows)) << dimension;
    EXPECT_GT(std::abs(gain), 1e-3 * scale(flows));
  }
}

/// What every point holds, of no regularity.
template <class Real>
Real irregular(Index3 p) {
  auto const mixed = static_cast<double>(1 + p.x + 31 * p.y + 1009 * p.z);
  return static_cast<Real>(std::sin(mixed) * std::exp2(p.x % 5));
}

/// A region that holds points here and there, so that neighbours differ everywhere.
Region scattered(Grid const& grid, int which) {
  return region([grid, which](double x, double y, double z) {
    PerAxis<double> const at{x, y, z};
    double sum = which;
    for (int axis = 0; axis < grid.dimension; ++axis) {
      sum += (axis + 1.7) * std::rint((at[axis] - grid.lower[axis]) / grid.spacing[axis]);
    }
    return std::sin(sum) > 0.75;
  });
}

Problem scattered_problem(int dimension, bool periodic_x) {
  Problem problem = everything(Equation::poisson, Precision::float64, dimension);
  if (periodic_x) {
    problem.grid.periodic[0] = true;
    set_axis(problem, 0, {periodic});
    std::erase_if(problem.patches, [](BoundaryPatch const& patch) { return patch.face.axis == 0; });
  }
  problem.body.fixed.push_back({scattered(problem.grid, 1), 4.0});
  problem.body.fixed.push_back({scattered(problem.grid, 2), 5.0});
  problem.body.insulated.push_back(scattered(problem.grid, 5));
  return problem;
}

/// Point by point, from the definition: what leaves a point that keeps its value, less what reaches
/// it otherwise, has come in from its keeper.
class ByPoints {
 public:
  explicit ByPoints(Problem const& problem) : problem_(problem), units_{} {
    sums_.resize(6 + problem.body.fixed.size() + 2);
    for_each(LocalBox{{}, problem.grid.points},
             [&](std::int64_t i, std::int64_t j, std::int64_t k) {
               add({i, j, k});
             });
    for (std::size_t n = 0; n + 1 < sums_.size(); ++n) sums_.back() += sums_[n];
  }
  [[nodiscard]] std::vector<double> const& sums() const { return sums_; }

 private:
  void add(Index3 p) {
    int const keeper = keeper_of(problem_, p);
    if (keeper == keeper::insulation) return;
    double leaves = 0.0;
    auto const [x, y, z] = place(p);
    double const source = problem_.source(x, y, z, 0) * volume(problem_.grid, units_, p);
    sums_[sums_.size() - 2] += source;
    leaves -= source;
    for (int axis = 0; axis < problem_.grid.dimension; ++axis) {
      for (bool const upper : {false, true}) leaves += leaves_along({axis, upper}, p);
    }
    if (keeper >= 0) sums_[static_cast<std::size_t>(keeper)] += leaves;
  }
  double leaves_along(Face side, Index3 p) {
    Grid const& grid = problem_.grid;
    Index3 q = p;
    q[side.axis] += side.upper ? 1 : -1;
    std::int64_t const n = grid.points[side.axis];
    double const area = face_area(grid, units_, side.axis, p);
    if (!grid.periodic[side.axis] && (q[side.axis] < 0 || q[side.axis] >= n)) {
      double const enters = through(side, p, area);
      sums_[static_cast<std::size_t>(side.index())] += enters;
      return -enters;
    }
    q[side.axis] = (q[side.axis] + n) % n;
    if (keeper_of(problem_, q) == keeper::insulation) return 0.0;
    double const a = conductivity_at(problem_, side.axis, p);
    double const b = conductivity_at(problem_, side.axis, q);
    return 2 * a * b / (a + b) * area / grid.spacing[side.axis] *
           (irregular<double>(p) - irregular<double>(q));
  }
  double through(Face face, Index3 p, double area) {
    auto const [x, y, z] = place(p);
    BoundaryCondition const& holds = condition_at(problem_, face, x, y, z);
    double const value = holds.value(x, y, z, 0);
    if (holds.kind == neumann) return conductivity_at(problem_, face.axis, p) * area * value;
    if (holds.kind != robin) return 0.0;
    return holds.coefficient(x, y, z, 0) * area * (value - irregular<double>(p));
  }
  [[nodiscard]] std::array<double, 3> place(Index3 p) const {
    Grid const& grid = problem_.grid;
    return {grid.coordinate(0, p.x), grid.coordinate(1, p.y), grid.coordinate(2, p.z)};
  }

  Problem const& problem_;
  BodyUnits units_;
  std::vector<double> sums_{};
};

TEST_F(FlowMeterTest, FindsTheSameBitsHoweverTheGridIsCut) {
  std::vector<Problem> problems;
  for (int const dimension : {2, 3}) {
    problems.push_back(mixed_problem(Equation::poisson, Precision::float64, dimension));
    problems.push_back(everything(Equation::poisson, Precision::float64, dimension));
    for (bool const closed : {false, true})
      problems.push_back(scattered_problem(dimension, closed));
  }
  mpi::Communicator const alone(MPI_COMM_SELF);
  for (Problem const& problem : problems) {
    auto const found = [&](mpi::Communicator const& ranks, Extent3 parts) {
      Subdomain const part(problem.grid, parts, ranks.rank());
      Queue queue = make_queue(ranks_.local_rank());
      Field<double> field(queue, part.extent(), {1, 1, 1});
      HostBox<double> points(field.layout().box());
      points.values.assign(points.values.size(), 1e6);  // halos are not asked
      for_each(part.owned(), [&](std::int64_t i, std::int64_t j, std::int64_t k) {
        points(i, j, k) = irregular<double>(part.to_global(Index3{i, j, k}));
      });
      write_points(queue, field, points);
      FlowMeter<double> meter(ranks, queue, part, problem);
      return as_list(meter.read(std::as_const(field).view(), 0.0));
    };
    std::vector<double> const whole = found(alone, {1, 1, 1});
    std::vector<double> const wanted = ByPoints(problem).sums();
    for (std::size_t n = 0; n < wanted.size(); ++n) {
      EXPECT_NEAR(whole[n], wanted[n], 1e-9 * (1 + std::abs(wanted[n]))) << n;
    }
    std::int64_t const all = ranks_.size();
    std::vector<Extent3> cuts{{all, 1, 1}, {1, all, 1}};
    if (problem.grid.dimension == 3) cuts.push_back({1, 1, all});
    if (all == 4) cuts.push_back({2, 2, 1});
    for (Extent3 const parts : cuts) EXPECT_EQ(found(ranks_, parts), whole) << parts.x;
  }
}

}  // namespace
}  // namespace isotherm::test
