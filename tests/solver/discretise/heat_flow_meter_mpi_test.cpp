#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kernels/conduction/face_conductances.hpp"
#include "solver/discretise/flux/heat_flow_meter.hpp"
#include "solver/discretise/shapes/regional_source.hpp"
#include "solver/problem/conditions.hpp"
#include "solver/time/ftcs.hpp"
#include "tests/support/bodies.hpp"
#include "tests/support/fields.hpp"
#include "tests/support/shapes.hpp"

// In an MPI test, use EXPECT_*, not ASSERT_*: a rank that leaves early leaves the others waiting in
// their next collective call.

namespace isotherm::test {
namespace {

using enum BoundaryKind;

class HeatFlowMeterTest : public BackendTest {
 protected:
  mpi::Communicator ranks_{MPI_COMM_WORLD};
};

std::vector<double> as_list(HeatFlows const& flows) {
  std::vector<double> list(flows.faces.begin(), flows.faces.end());
  list.insert(list.end(), flows.fixed.begin(), flows.fixed.end());
  list.insert(list.end(), {flows.source, flows.balance});
  return list;
}

/// Returns the largest of the flows, without the balance.
double scale(HeatFlows const& flows) {
  std::vector<double> const list = as_list(flows);
  double largest = 0.0;
  for (std::size_t i = 0; i + 1 < list.size(); ++i) largest = std::max(largest, std::abs(list[i]));
  return largest;
}

MethodSettings cycles_to(double tolerance) {
  MethodSettings method = jacobi(60);
  method.name = "multigrid";
  method.check_every = 1;
  method.tolerance = tolerance;
  return method;
}

/// Enough cycles to leave rounding errors only, regardless of the solver's error estimate.
MethodSettings all_cycles() {
  MethodSettings method = cycles_to(0.0);
  method.iterations = 25;
  return method;
}

TEST_F(HeatFlowMeterTest, BalanceClosesAtConvergence) {
  for (Precision const precision : {Precision::float32, Precision::float64}) {
    for (int const dimension : {2, 3}) {
      for (bool const medium : {false, true}) {
        Problem const problem = medium ? everything(Equation::poisson, precision, dimension)
                                       : mixed_problem(Equation::poisson, precision, dimension);
        bool const single = precision == Precision::float32;
        auto const solver = solved(problem, cycles_to(single ? 1e-5 : 1e-11));
        EXPECT_TRUE(solver->converged());
        HeatFlows const flows = flows_of(*solver, problem);
        EXPECT_LE(std::abs(flows.balance), (single ? 1e-4 : 1e-9) * scale(flows))
            << dimension << (medium ? " body" : " none");
        EXPECT_GT(scale(flows), 0.5);
      }
    }
  }
}

TEST_F(HeatFlowMeterTest, MeasuresTheFluxThroughLayers) {
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
    auto const solver = solved(problem, cycles_to(1e-13));
    HeatFlows const flows = flows_of(*solver, problem);
    EXPECT_NEAR(flows.faces[(Face{axis, false})], 4 * exact, 1e-10);  // the area is 4
    EXPECT_NEAR(flows.faces[(Face{axis, true})], -4 * exact, 1e-10);
  }
}

/// A slab between a warm end of any kind and a cold Dirichlet face, with κ = 2 and a length of 1.
struct Slab {
  char const* warm_end;
  double flux;  ///< exact value
};
constexpr double conductivity_of_slab = 2.0;

void set_warm_end(Problem& problem, Face face, std::string const& kind) {
  auto const at_end = region([=](double x, double y, double z) {
    double const at = PerAxis<double>{x, y, z}[face.axis];
    return face.upper ? at > 0.99 : at < 0.01;
  });
  BoundaryCondition& warm = problem.boundary[face];
  if (kind == "dirichlet") warm = {dirichlet, 5.0};
  if (kind == "neumann") warm = {neumann, 0.7};
  if (kind == "robin") warm = {robin, 5.0, 3.0};
  if (kind == "patch") problem.patches.push_back({face, at_end, {robin, 5.0, 3.0}});
  if (kind == "fixed region") problem.medium.fixed.push_back({at_end, 5.0});
}

void expect_flow_of_slab(Slab const& slab, int dimension, Face warm) {
  int const across = (warm.axis + 1) % dimension;
  for (std::string const sides : {"insulated", "periodic", "half empty"}) {
    SCOPED_TRACE(slab.warm_end + (", sides " + sides + ", ") + name(warm));
    Extent3 points{5, 5, dimension == 3 ? 5 : 1};
    points[warm.axis] = 9;
    Problem problem = box_problem(Equation::laplace, dimension, points, {neumann, 0.0});
    make_isotropic(problem, conductivity_of_slab);
    Face const cold{warm.axis, !warm.upper};
    problem.boundary[cold] = {dirichlet, 1.0};
    set_warm_end(problem, warm, slab.warm_end);
    double area = 1.0;
    if (sides == "periodic") {
      problem.grid.periodic[across] = true;  // adds a gap to the axis
      set_axis(problem, across, {periodic});
      area = 1.25;
    }
    if (sides == "half empty") {
      problem.medium.insulated.push_back(region([across](double x, double y, double z) {
        return PerAxis<double>{x, y, z}[across] > 0.6;
      }));
      area = 0.625;  // of the three remaining points
    }
    bool const fixed_end = slab.warm_end == std::string("fixed region");
    HeatFlows const flows = flows_of(*solved(problem, all_cycles()), problem);
    double const wanted = slab.flux * area;
    EXPECT_NEAR(fixed_end ? flows.fixed[0] : flows.faces[warm], wanted, 1e-9);
    EXPECT_NEAR(flows.faces[cold], -wanted, 1e-9);
    EXPECT_NEAR(flows.balance, 0.0, 1e-9);
    for (Face const side : faces(problem.grid)) {
      if (side.axis == warm.axis) continue;
      EXPECT_EQ(flows.faces[side], 0.0) << name(side);
    }
  }
}

TEST_F(HeatFlowMeterTest, MeasuresTheFluxOfASlabForEveryConditionAndAxis) {
  double const through_robin_end = 4.0 / (1.0 / conductivity_of_slab + 1.0 / 3.0);
  for (Slab const& slab :
       {Slab{"dirichlet", 8.0}, Slab{"neumann", 1.4}, Slab{"robin", through_robin_end},
        Slab{"patch", through_robin_end}, Slab{"fixed region", 8.0}}) {
    for (int const dimension : {2, 3}) {
      for (int axis = 0; axis < dimension; ++axis) {
        for (bool const upper : {false, true}) {
          expect_flow_of_slab(slab, dimension, {axis, upper});
        }
      }
    }
  }
}

/// The flux to the ambient value: two resistances in series.
TEST_F(HeatFlowMeterTest, MeasuresTheFluxOfARobinFace) {
  Problem problem = box_problem(Equation::laplace, 2, {11, 6, 1}, {neumann, 0.0}, {2, 3, 1});
  make_isotropic(problem, 0.5);
  problem.boundary[{0, false}] = {dirichlet, 350.0};
  problem.boundary[{0, true}] = {robin, 290.0, 3.0};
  auto const solver = solved(problem, cycles_to(1e-12));
  HeatFlows const flows = flows_of(*solver, problem);
  double const exact = 3 * 60.0 / (2.0 / 0.5 + 1.0 / 3.0);
  EXPECT_NEAR(flows.faces[(Face{0, false})], exact, 1e-8);
  EXPECT_NEAR(flows.faces[(Face{0, true})], -exact, 1e-8);
  EXPECT_NEAR(flows.faces[(Face{1, true})], 0.0, 1e-12);
}

/// The heat flow between a wire and the rim around it is 2πκ/ln(R/r). The wire consists of the grid
/// points inside r, the rim of those outside R, so the gap is wider by up to two spacings.
TEST_F(HeatFlowMeterTest, MeasuresTheFluxFromAWire) {
  Problem problem = box_problem(Equation::laplace, 2, {161, 161, 1}, {neumann, 0.0}, {2, 2, 1});
  auto const radius = [](double x, double y) { return std::hypot(x - 1, y - 1); };
  problem.medium.fixed.push_back(
      {region([=](double x, double y, double) { return radius(x, y) <= 0.3; }), 7.0, "wire"});
  problem.medium.fixed.push_back(
      {region([=](double x, double y, double) { return radius(x, y) >= 0.9; }), 2.0, "rim"});
  auto const solver = solved(problem, cycles_to(1e-11));
  EXPECT_TRUE(solver->converged());
  HeatFlows const flows = flows_of(*solver, problem);
  auto const exact = [](double wire, double rim) {
    return 2 * std::acos(-1.0) * 5 / std::log(rim / wire);
  };
  double const h = problem.grid.spacing[0];
  EXPECT_LT(flows.fixed[0], exact(0.3, 0.9));
  EXPECT_GT(flows.fixed[0], exact(0.3 - h, 0.9 + h));
  EXPECT_NEAR(flows.fixed[1], -flows.fixed[0], 1e-8 * exact(0.3, 0.9));
}

/// In a transient, the inflow equals the change of stored heat at the unknown points.
TEST_F(HeatFlowMeterTest, BalanceIncludesStoredHeat) {
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
    HeatFlows const flows = flows_of(*solver, problem);
    std::vector<double> const before = field_of<double>(*solver);
    solver->advance_to(6);
    std::vector<double> const after = field_of<double>(*solver);
    double gain = 0.0;
    for_each_owned(solver->subdomain(), [&](Index3 p, std::size_t n) {
      if (is_fixed_point(problem, p)) return;
      double const capacity =
          problem.medium.capacity(problem.grid.coordinate(0, p.x), problem.grid.coordinate(1, p.y),
                                  problem.grid.coordinate(2, p.z), 0);
      gain += capacity * volume(problem.grid, {}, p) * (after[n] - before[n]) / method.time_step_s;
    });
    gain = ranks_.sum(gain);
    EXPECT_NEAR(flows.balance, gain, 1e-9 * scale(flows)) << dimension;
    EXPECT_GT(std::abs(gain), 1e-3 * scale(flows));
  }
}

/// A pseudorandom value for each point.
template <class Real>
Real irregular(Index3 p) {
  auto const mixed = static_cast<double>(1 + p.x + 31 * p.y + 1009 * p.z);
  return static_cast<Real>(std::sin(mixed) * std::exp2(p.x % 5));
}

/// A region of scattered points, which makes neighbours differ everywhere.
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
  problem.medium.fixed.push_back({scattered(problem.grid, 1), 4.0});
  problem.medium.fixed.push_back({scattered(problem.grid, 2), 5.0});
  problem.medium.insulated.push_back(scattered(problem.grid, 5));
  return problem;
}

/// A Robin face with a conductance some thousand times those inside, so value − u still has correct
/// digits. It meets fixed and insulated points, and edges with faces of all kinds.
Problem well_conducting(Equation equation, int dimension, double coefficient) {
  Problem problem = everything(equation, Precision::float64, dimension);
  problem.boundary[{0, true}] = {
      robin, -1.0, steady([=](double, double y, double) { return coefficient * (1 + y); })};
  problem.boundary[{1, false}].coefficient = 3 * coefficient;
  problem.medium.fixed.push_back({scattered(problem.grid, 1), 4.0});
  problem.medium.insulated.push_back(scattered(problem.grid, 5));
  return problem;
}

/// Returns the coefficient of a Robin face at a point. If the point is fixed, it is limited by the
/// conductance of its medium over one gap.
double coefficient_at(Problem const& problem, Face face, Index3 p, BoundaryCondition const& holds) {
  Grid const& grid = problem.grid;
  double const coefficient = holds.coefficient(grid.coordinate(0, p.x), grid.coordinate(1, p.y),
                                               grid.coordinate(2, p.z), 0);
  if (constraint_of(problem, p) == constraint::none) return coefficient;
  return std::min(coefficient, conductivity_at(problem, face.axis, p) / grid.spacing[face.axis]);
}

/// The reference: flows point by point from the definition. The heat that leaves a fixed point,
/// less the heat that reaches it otherwise, comes from the face or region that fixes it.
class ByPoints {
 public:
  explicit ByPoints(Problem const& problem) : problem_(problem), units_{} {
    sums_.resize(6 + problem.medium.fixed.size() + 2);
    for_each(LocalBox{{}, problem.grid.points},
             [&](std::int64_t i, std::int64_t j, std::int64_t k) {
               add({i, j, k});
             });
    for (std::size_t n = 0; n + 1 < sums_.size(); ++n) sums_.back() += sums_[n];
  }
  [[nodiscard]] std::vector<double> const& sums() const { return sums_; }

 private:
  void add(Index3 p) {
    int const constraint = constraint_of(problem_, p);
    if (constraint == constraint::insulation) return;
    double leaves = 0.0;
    auto const [x, y, z] = place(p);
    double const source = problem_.source(x, y, z, 0) * volume(problem_.grid, units_, p);
    sums_[sums_.size() - 2] += source;
    leaves -= source;
    for (int axis = 0; axis < problem_.grid.dimension; ++axis) {
      for (bool const upper : {false, true}) leaves += leaves_along({axis, upper}, p);
    }
    if (constraint >= 0) sums_[static_cast<std::size_t>(constraint)] += leaves;
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
    return conductance(side.axis, p, q) * (irregular<double>(p) - irregular<double>(q));
  }
  double conductance(int axis, Index3 p, Index3 q) {
    if (constraint_of(problem_, q) == constraint::insulation) return 0.0;
    double const a = conductivity_at(problem_, axis, p);
    double const b = conductivity_at(problem_, axis, q);
    return 2 * a * b / (a + b) * face_area(problem_.grid, units_, axis, p) /
           problem_.grid.spacing[axis];
  }
  /// Returns the value of a point on a Robin face. If its Robin faces conduct far better than its
  /// other links, the value balances the fluxes through them.
  double held(Index3 p) {
    Grid const& grid = problem_.grid;
    auto const [x, y, z] = place(p);
    double of_faces = 0.0, beyond = 0.0, to_neighbours = 0.0;
    double leaves = -problem_.source(x, y, z, 0) * volume(grid, units_, p);
    for (int axis = 0; axis < grid.dimension; ++axis) {
      for (bool const upper : {false, true}) {
        Index3 q = p;
        q[axis] += upper ? 1 : -1;
        std::int64_t const n = grid.points[axis];
        if (grid.periodic[axis] || (q[axis] >= 0 && q[axis] < n)) {
          q[axis] = (q[axis] + n) % n;
          double const g = conductance(axis, p, q);
          to_neighbours += g;
          leaves += g * (irregular<double>(p) - irregular<double>(q));
          continue;
        }
        double const area = face_area(grid, units_, axis, p);
        BoundaryCondition const& holds = condition_at(problem_, {axis, upper}, x, y, z);
        double const value = holds.value(x, y, z, 0);
        if (holds.kind == neumann) leaves -= conductivity_at(problem_, axis, p) * area * value;
        if (holds.kind != robin) continue;
        of_faces += holds.coefficient(x, y, z, 0) * area;
        beyond += holds.coefficient(x, y, z, 0) * area * value;
      }
    }
    bool const balanced =
        constraint_of(problem_, p) == constraint::none && of_faces > to_neighbours;
    return balanced ? (beyond - leaves) / of_faces : irregular<double>(p);
  }
  double through(Face face, Index3 p, double area) {
    auto const [x, y, z] = place(p);
    BoundaryCondition const& holds = condition_at(problem_, face, x, y, z);
    double const value = holds.value(x, y, z, 0);
    if (holds.kind == neumann) return conductivity_at(problem_, face.axis, p) * area * value;
    if (holds.kind != robin) return 0.0;
    return coefficient_at(problem_, face, p, holds) * area * (value - held(p));
  }
  [[nodiscard]] std::array<double, 3> place(Index3 p) const {
    Grid const& grid = problem_.grid;
    return {grid.coordinate(0, p.x), grid.coordinate(1, p.y), grid.coordinate(2, p.z)};
  }

  Problem const& problem_;
  MediumUnits units_;
  std::vector<double> sums_{};
};

/// Returns the flows of the pseudorandom field, with invalid values in its halos.
HeatFlows flows_of_irregular(mpi::Communicator const& ranks, Extent3 parts, Problem const& problem,
                             double time_s = 0.0) {
  Subdomain const part(problem.grid, parts, ranks.rank());
  Queue queue = make_queue(mpi::Communicator(MPI_COMM_WORLD).local_rank());
  Field<double> field(queue, part.extent(), {1, 1, 1});
  HostBox<double> points(field.layout().box());
  points.values.assign(points.values.size(), 1e6);
  for_each(part.owned(), [&](std::int64_t i, std::int64_t j, std::int64_t k) {
    points(i, j, k) = irregular<double>(part.to_global(Index3{i, j, k}));
  });
  write_points(queue, field, points);
  HeatFlowMeter<double> meter(ranks, queue, part, problem);
  return meter.read(std::as_const(field).view(), time_s);
}

TEST_F(HeatFlowMeterTest, SameBitsForEveryDecomposition) {
  std::vector<Problem> problems;
  for (int const dimension : {2, 3}) {
    problems.push_back(mixed_problem(Equation::poisson, Precision::float64, dimension));
    problems.push_back(everything(Equation::poisson, Precision::float64, dimension));
    for (bool const closed : {false, true})
      problems.push_back(scattered_problem(dimension, closed));
    problems.push_back(well_conducting(Equation::poisson, dimension, 1e4));
  }
  mpi::Communicator const alone(MPI_COMM_SELF);
  for (Problem const& problem : problems) {
    auto const found = [&](mpi::Communicator const& ranks, Extent3 parts) {
      return as_list(flows_of_irregular(ranks, parts, problem));
    };
    std::vector<double> const whole = found(alone, {1, 1, 1});
    std::vector<double> const wanted = ByPoints(problem).sums();
    for (std::size_t n = 0; n < wanted.size(); ++n) {
      EXPECT_NEAR(whole[n], wanted[n], 1e-9 * (1 + std::abs(wanted[n]))) << n;
    }
    for (Extent3 const parts : cuts_of(problem.grid, ranks_.size())) {
      EXPECT_EQ(found(ranks_, parts), whole) << parts.x;
    }
  }
}

TEST_F(HeatFlowMeterTest, MeasuresThePowerOfNamedSources) {
  for (bool const heated_in_part : {false, true}) {
    Problem problem = box_problem(Equation::diffusion, 2, {13, 9, 1}, {neumann, 0.0});
    if (heated_in_part) problem.boundary[{0, false}] = {dirichlet, 1.0};
    GlobalBox const everywhere = problem.grid.box();
    auto const term = [&](std::string const& name, Solid const& solid, bool power,
                          ScalarFunction const& value) {
      Region const where{
          [solid](double x, double y, double z) {
            return !solid.chord(2, {x, y, z}).empty() && solid.chord(0, {x, y, z}).contains(x);
          },
          name, solid};
      RegionalSource const source(problem, where, everywhere);
      problem.source_terms.push_back(
          {name, power ? source.of_power(value) : source.of_density(value)});
    };
    ScalarFunction const ramp = varying([](double, double, double, double t) { return 5 * t; });
    term("coil", make_ball(2, {0.4, 0.5, 0}, 0.21), true, ramp);
    term("", make_box({0, 0, -1}, {1, 1, 1}), false, 3.0);
    term("die", make_box({0, 0.31, -1}, {0.73, 0.87, 1}), false, 2.0);
    problem.source = sum_of(problem, 0.5, problem.source_terms);
    for (double const time_s : {2.0, 3.0}) {
      Extent3 const parts = choose_decomposition(problem.grid, ranks_.size());
      HeatFlows const flows = flows_of_irregular(ranks_, parts, problem, time_s);
      // The half volumes at x = 0 cannot be heated.
      double const lost = heated_in_part ? 0.5 / 12 : 0.0;
      EXPECT_EQ(flows.named_sources.size(), 2U);
      EXPECT_NEAR(flows.named_sources[0], 5 * time_s, 1e-13);
      EXPECT_NEAR(flows.named_sources[1], 2 * (0.73 - lost) * 0.56, 1e-13);
      EXPECT_NEAR(flows.source,
                  0.5 + 3 * (1 - lost) + flows.named_sources[0] + flows.named_sources[1], 1e-12);
    }
  }
}

/// The exact solution is linear. The flux is the difference of 200 over the resistances in series.
TEST_F(HeatFlowMeterTest, MeasuresRobinFluxesOfAnyCoefficient) {
  for (double const coefficient : {1e-12, 1e-3, 1.0, 1e6, 1e12, 1e20}) {
    for (int const axis : {0, 1}) {
      Extent3 points{5, 5, 1};
      points[axis] = 17;
      Problem problem = box_problem(Equation::laplace, 2, points, {neumann, 0.0});
      problem.boundary[{axis, false}] = {robin, 200.0, coefficient};
      problem.boundary[{axis, true}] = {dirichlet, 0.0};
      auto const solver = solved(problem, all_cycles());
      HeatFlows const flows = flows_of(*solver, problem);
      double const exact = 200.0 / (1.0 / coefficient + 1.0);
      EXPECT_NEAR(flows.faces[(Face{axis, false})], exact, 1e-8 * exact) << coefficient;
      EXPECT_NEAR(flows.faces[(Face{axis, true})], -exact, 1e-8 * exact) << coefficient;
    }
  }
}

TEST_F(HeatFlowMeterTest, MeasuresSourceHeatThroughRobinFaces) {
  for (double const coefficient : {1e3, 1e6, 1e10, 1e12}) {
    Problem problem = box_problem(Equation::poisson, 2, {33, 33, 1}, {neumann, 0.0});
    problem.source = steady([](double x, double y, double) { return std::sin(3 * y) * x; });
    problem.boundary[{0, false}] = {
        robin, steady([](double, double y, double) { return 20 * (1 + y); }), coefficient};
    auto const solver = solved(problem, cycles_to(1e-10));
    HeatFlows const flows = flows_of(*solver, problem);
    EXPECT_NEAR(flows.faces[(Face{0, false})], -0.331422, 1e-6) << coefficient;
    EXPECT_NEAR(flows.balance, 0.0, 1e-6) << coefficient;
  }
}

/// A field u = x with the gradient of the ambient values exchanges nothing with them.
TEST_F(HeatFlowMeterTest, RobinFaceAlongAMeanGradientExchangesNothing) {
  for (double const coefficient : {1e-3, 1e6}) {
    Problem problem = box_problem(Equation::laplace, 2, {8, 5, 1}, {neumann, 0.0});
    problem.grid = make_grid(2, {8, 5, 1}, {0, 0, 0}, {1, 1, 1}, {true, false, false});
    set_axis(problem, 0, {periodic, 1.0});
    auto const ramp = steady([](double x, double, double) { return x; });
    problem.boundary[{1, false}] = {robin, ramp, coefficient};
    auto const solver = solved(problem, all_cycles());
    HeatFlows const flows = flows_of(*solver, problem);
    EXPECT_NEAR(flows.in, 0.0, 1e-9) << coefficient;
    EXPECT_NEAR(flows.out, 0.0, 1e-9) << coefficient;
  }
}

/// By symmetry a quarter of the heat leaves through each face. The faces meet at the corners.
TEST_F(HeatFlowMeterTest, SharesCornerFluxesAmongRobinFaces) {
  for (double const coefficient : {10.0, 1e12}) {
    Problem problem = box_problem(Equation::poisson, 2, {17, 17, 1}, {robin, 3.0, coefficient});
    problem.source = 8.0;
    auto const solver = solved(problem, all_cycles());
    HeatFlows const flows = flows_of(*solver, problem);
    for (Face const face : faces(problem.grid)) {
      EXPECT_NEAR(flows.faces[face], -2.0, 1e-8) << face.index();
    }
  }
}

/// Returns the sum of coefficient · area · (value − u) over the points of a box on a Robin face.
template <class ValueAt>
double through_robin(Problem const& problem, Face face, LocalBox global, ValueAt const& u) {
  double sum = 0.0;
  for_each(global, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
    Index3 const p{i, j, k};
    if (!lies_on(problem.grid, face, p) || constraint_of(problem, p) == constraint::insulation)
      return;
    double const x = problem.grid.coordinate(0, i), y = problem.grid.coordinate(1, j),
                 z = problem.grid.coordinate(2, k);
    BoundaryCondition const& holds = condition_at(problem, face, x, y, z);
    if (holds.kind != robin) return;
    sum += coefficient_at(problem, face, p, holds) * face_area(problem.grid, {}, face.axis, p) *
           (holds.value(x, y, z, 0) - u(p));
  });
  return sum;
}

TEST_F(HeatFlowMeterTest, RobinFluxMatchesItsDirectForm) {
  for (int const dimension : {2, 3}) {
    Problem const problem = well_conducting(Equation::poisson, dimension, 1e6);
    auto const solver = solved(problem, all_cycles());
    HeatFlows const flows = flows_of(*solver, problem);
    Subdomain const& part = solver->subdomain();
    std::vector<double> const field = field_of<double>(*solver);
    Extent3 const n = part.extent();
    auto const u = [&](Index3 p) {
      Index3 const at = part.to_local(p);
      return field[static_cast<std::size_t>((at.z * n.y + at.y) * n.x + at.x)];
    };
    GlobalBox const mine = part.owned_global();
    for (Face const face : {Face{0, true}, Face{1, false}}) {
      double const direct =
          ranks_.sum(through_robin(problem, face, LocalBox{mine.lower, mine.upper}, u));
      EXPECT_NEAR(flows.faces[face], direct, 1e-6 * scale(flows)) << dimension << face.index();
    }
    EXPECT_LE(std::abs(flows.balance), 1e-9 * scale(flows));
  }
}

/// In float32, 300.1 is rounded, so field and case differ slightly.
TEST_F(HeatFlowMeterTest, RobinFluxIsBoundedNextToDirichletFaces) {
  auto const flow = [&](double wall, double coefficient) {
    Problem problem = box_problem(Equation::laplace, 2, {17, 17, 1}, {neumann, 0.0});
    problem.precision = Precision::float32;
    problem.boundary[{0, false}] = {robin, 300.1, coefficient};
    problem.boundary[{1, false}] = {dirichlet, wall};
    auto const solver = solved(problem, all_cycles());
    return flows_of(*solver, problem).faces[(Face{0, false})];
  };
  EXPECT_NEAR(flow(300.1, 1e20), 0.0, 0.1);
  double const large = flow(0.0, 1e12);
  EXPECT_GT(large, 100.0);
  EXPECT_LT(large, 3000.0);
  EXPECT_NEAR(flow(0.0, 1e20), large, 1e-3 * large);
}

/// Heat stored at a Robin point is left out only if the point follows the ambient value
/// immediately.
TEST_F(HeatFlowMeterTest, IncludesHeatStoredAtRobinPoints) {
  mpi::Communicator const alone(MPI_COMM_SELF);
  auto const flow = [&](Equation equation, double coefficient) {
    Problem problem = box_problem(equation, 2, {17, 5, 1}, {neumann, 0.0});
    problem.boundary[{0, false}] = {robin, 200.0, coefficient};
    return std::pair{
        flows_of_irregular(alone, {1, 1, 1}, problem).faces[(Face{0, false})],
        through_robin(problem, {0, false}, LocalBox{{}, problem.grid.points}, irregular<double>)};
  };
  auto const [slow, slow_direct] = flow(Equation::diffusion, 1e4);
  EXPECT_NEAR(slow, slow_direct, 1e-12 * std::abs(slow_direct));
  double const at_once = flow(Equation::diffusion, 1e12).first;
  EXPECT_EQ(at_once, flow(Equation::laplace, 1e12).first);
  EXPECT_LT(std::abs(at_once), 1e4);
}

/// Returns a strip of medium along an axis with the values 1 and 0 in two regions, between which no
/// point lies. Beyond the second one nothing flows.
Problem narrow_gap(int axis, double from, double to) {
  Extent3 points{4, 4, 1};
  points[axis] = 11;
  Problem problem = plates(2, points, axis);
  set_axis(problem, axis, {neumann, 0.0});
  problem.medium.layers = std::make_shared<std::vector<MediumLayer> const>(
      std::vector<MediumLayer>{{{}, problem.medium.conductivity}});
  PerAxis<double> lower{-2, -2, -2}, upper{2, 2, 2};
  upper[axis] = from;
  problem.medium.fixed.push_back({box_region(lower, upper), 1.0});
  lower[axis] = to;
  upper[axis] = 0.77;
  problem.medium.fixed.push_back({box_region(lower, upper), 0.0});
  return problem;
}

/// The flow through a gap within a link depends on its width, not on the spacing.
TEST_F(HeatFlowMeterTest, NarrowGapBetweenTwoValues) {
  for (int const axis : {0, 1}) {
    struct Gap {
      double from, to;
    };
    for (auto const [from, to] : {Gap{0.515, 0.545}, Gap{0.5, 0.57}, Gap{0.53, 0.6}}) {
      Problem problem = narrow_gap(axis, from, to);
      HeatFlows flows = flows_of(*solved(problem, all_cycles()), problem);
      EXPECT_NEAR(flows.fixed[0], 1.0 / (to - from), 1e-9) << axis << ' ' << from;
      EXPECT_NEAR(flows.fixed[1], -1.0 / (to - from), 1e-9) << axis << ' ' << from;
      // Films on both surfaces are in series with it.
      problem.medium.fixed[0].film_coefficient = 50.0;
      problem.medium.fixed[1].film_coefficient = 20.0;
      flows = flows_of(*solved(problem, all_cycles()), problem);
      EXPECT_NEAR(flows.fixed[0], 1.0 / (to - from + 0.02 + 0.05), 1e-9) << axis << ' ' << from;
    }
    // A face with a given value next to a region.
    Problem problem = narrow_gap(axis, -1.0, 0.07);
    problem.medium.fixed.erase(problem.medium.fixed.begin());
    problem.boundary[{axis, false}] = {dirichlet, 3.0};
    HeatFlows const flows = flows_of(*solved(problem, all_cycles()), problem);
    EXPECT_NEAR(flows.faces[(Face{axis, false})], 3.0 / 0.07, 1e-9) << axis;
    EXPECT_NEAR(flows.fixed[0], -3.0 / 0.07, 1e-9) << axis;
  }
}

/// Regions that touch exchange heat without limit; the flow is that of the grid's spacing.
TEST_F(HeatFlowMeterTest, RegionsThatTouchExchangeWhatASpacingLets) {
  Problem const problem = narrow_gap(0, 0.55, 0.55);
  EXPECT_NEAR(flows_of(*solved(problem, all_cycles()), problem).fixed[0], 10.0, 1e-9);
}

}  // namespace
}  // namespace isotherm::test
