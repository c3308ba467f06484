#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "solver/discretise/boundary.hpp"
#include "solver/discretise/evaluate.hpp"
#include "solver/discretise/flux/heat_flow_meter.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/bodies.hpp"

// Each kind of boundary condition on each face: the flux through it, and the heat balance of a
// steady solution. In an MPI test, use EXPECT_*, not ASSERT_*: a rank that leaves early leaves the
// others waiting in their next collective call.

namespace isotherm::test {
namespace {

using enum BoundaryKind;

class HeatFlowBalance : public BackendTest {
 protected:
  mpi::Communicator ranks_{MPI_COMM_WORLD};
};

/// Enough cycles to leave rounding errors only. The small grids are solved directly, in float32.
MethodSettings cycles(std::int64_t iterations = 4) {
  MethodSettings method = jacobi(iterations);
  method.name = "multigrid";
  return method;
}

/// An exact solution and what boundary conditions need of it.
struct Exact {
  std::function<double(double, double, double)> value;
  PerAxis<double> slope{};         ///< ∂u/∂x …, if u is linear
  PerAxis<double> conductivity{};  ///< along each axis
};

/// Returns the condition of this kind that the exact solution satisfies on a face.
BoundaryCondition condition_of(Exact const& exact, Face face, BoundaryKind kind) {
  double const outward = (face.upper ? 1.0 : -1.0) * exact.slope[face.axis];
  double const coefficient = face.upper ? 2.5 : 0.4;
  double const above = exact.conductivity[face.axis] * outward / coefficient;
  switch (kind) {
    case dirichlet:
      return {dirichlet, steady(exact.value)};
    case neumann:
      return {neumann, outward};
    case robin:
      return {robin,
              steady([=](double x, double y, double z) { return exact.value(x, y, z) + above; }),
              coefficient};
    default:
      return {periodic};
  }
}

/// A face, its condition, and the variants of the problem around it.
struct Arrangement {
  Face face;
  BoundaryKind kind = dirichlet;
  bool patched = false;  ///< the condition holds on a part of the face, the rest is Neumann
  int dimension = 2;
  bool graded = false;
  bool medium = false;

  [[nodiscard]] std::string name() const {
    return "face " + std::to_string(face.index()) + " kind " +
           std::to_string(static_cast<int>(kind)) + (patched ? " patch " : " ") +
           std::to_string(dimension) + 'D' + (graded ? " graded" : "") + (medium ? " body" : "");
  }
};

/// Calls work(arrangement) for each kind of condition on each face, and on a part of each face.
/// Several ranks mostly wait, so they run only the arrangement with all variants at once.
template <class Work>
void for_each_arrangement(mpi::Communicator const& ranks, Work const& work) {
  for (int const dimension : {2, 3}) {
    for (bool const graded : {false, true}) {
      for (bool const medium : {false, true}) {
        if (dimension == 3 && graded != medium) continue;
        if (ranks.size() > 1 && !(graded && medium && dimension == 3)) continue;
        for (int face = 0; face < 2 * dimension; ++face) {
          for (auto const& [kind, patched] : {std::pair{dirichlet, false},
                                              {neumann, false},
                                              {robin, false},
                                              {periodic, false},
                                              {dirichlet, true},
                                              {neumann, true},
                                              {robin, true}}) {
            Face const there = Face::from_index(face);
            if (kind == periodic && there.upper) continue;  // same as the lower face
            work(Arrangement{there, kind, patched, dimension, graded, medium});
          }
        }
      }
    }
  }
}

/// The problem with the exact solution. The face opposite the arranged one is Dirichlet (on a
/// periodic axis, a face of another axis). All others are Neumann.
Problem arranged(Arrangement const& one, Exact const& exact) {
  int const axis = one.face.axis;
  Problem problem = box_problem(Equation::laplace, one.dimension,
                                {7, 6, one.dimension == 3 ? 5 : 1}, {neumann, 0.0}, {2, 1.5, 1});
  problem.grid.periodic[axis] = one.kind == periodic;
  if (one.kind == periodic) {
    problem.grid =
        make_grid(one.dimension, problem.grid.points, {}, {2, 1.5, 1}, problem.grid.periodic);
  }
  for (int along = 0; one.graded && along < one.dimension; ++along) {
    if (problem.grid.periodic[along]) continue;
    std::vector<double> at;
    for (std::int64_t i = 0; i < problem.grid.points[along]; ++i) {
      double const share = problem.grid.coordinate(along, i) / problem.grid.length(along);
      at.push_back(problem.grid.length(along) * share * (0.4 + 0.6 * share));
    }
    problem.grid = with_coordinates(problem.grid, along, at);
  }
  Face const held =
      one.kind == periodic ? Face{axis == 0 ? 1 : 0, false} : Face{axis, !one.face.upper};
  for (Face const face : faces(problem.grid)) {
    bool const here = face == one.face && !one.patched;
    BoundaryKind const kind = problem.grid.periodic[face.axis] ? periodic
                              : here                           ? one.kind
                              : face == held                   ? dirichlet
                                                               : neumann;
    problem.boundary[face] = condition_of(exact, face, kind);
  }
  if (one.patched) {
    int const across = axis == 0 ? 1 : 0;
    problem.patches.push_back({one.face, region([=](double x, double y, double z) {
                                 return PerAxis<double>{x, y, z}[across] > 0.6;
                               }),
                               condition_of(exact, one.face, one.kind)});
  }
  if (one.medium) {
    problem.medium.fixed.push_back(
        {region([](double x, double y, double) { return std::hypot(x - 1.0, y - 0.75) < 0.4; }),
         steady(exact.value)});
  }
  return problem;
}

/// A linear solution is exact on any grid, and so are its fluxes.
TEST_F(HeatFlowBalance, FluxOfALinearFieldIsExact) {
  for_each_arrangement(ranks_, [&](Arrangement const& one) {
    Exact exact{{}, {2.0, -3.0, 0.5}, {1, 1, 1}};
    if (one.medium) exact.conductivity = {2.0, 0.5, 3.0};
    if (one.kind == periodic) exact.slope[one.face.axis] = 0.0;
    exact.value = [slope = exact.slope](double x, double y, double z) {
      return 1 + slope[0] * x + slope[1] * y + slope[2] * z;
    };
    Problem problem = arranged(one, exact);
    if (one.dimension == 2) exact.slope[2] = 0.0;
    if (one.medium) {
      for (int axis = 0; axis < 3; ++axis) {
        problem.medium.conductivity[axis] = exact.conductivity[axis];
      }
    }
    auto const solver = solved(problem, cycles());
    EXPECT_LE(ranks_.max(largest_error<double>(*solver, exact.value)), 1e-9) << one.name();

    HeatFlows const flows = flows_of(*solver, problem);
    PerAxis<double> const length{2.0, 1.5, 1.0};
    for (Face const face : faces(problem.grid)) {
      double const area = length[0] * length[1] * length[2] / length[face.axis];
      double const inward =
          (face.upper ? 1 : -1) * exact.slope[face.axis] * area * exact.conductivity[face.axis];
      EXPECT_NEAR(flows.faces[face], inward, 1e-9) << one.name() << " at " << face.index();
    }
    for (double const from : flows.fixed) EXPECT_NEAR(from, 0.0, 1e-9) << one.name();
    EXPECT_NEAR(flows.balance, 0.0, 1e-9) << one.name();
  });
}

/// A solution without symmetry: sources, varying conductivities, values that vary along faces.
TEST_F(HeatFlowBalance, ClosesForEveryConditionOnEveryFace) {
  Exact const rough{[](double x, double y, double z) { return std::cos(3 * x + y) + 2 * y * z; },
                    {1.0, -2.0, 0.7},
                    {1, 1, 1}};
  for_each_arrangement(ranks_, [&](Arrangement const& one) {
    Problem problem = arranged(one, rough);
    problem.equation = Equation::poisson;
    problem.source = steady([](double x, double y, double z) { return 5 * x - 9 * y * y + z; });
    if (one.medium) {
      make_isotropic(problem, steady([](double x, double y, double z) {
                       return std::exp(3 * std::sin(5 * x + 4 * y) - z);
                     }));
      problem.medium.insulated.push_back(
          region([](double x, double y, double) { return x > 1.5 && y > 1.1; }));
    }
    auto const solver = solved(problem, cycles());
    HeatFlows const flows = flows_of(*solver, problem);
    EXPECT_LE(std::abs(flows.balance), 1e-9 * flows.in) << one.name();
    EXPECT_GT(flows.in, 0.5) << one.name();
  });
}

/// Values around zero: equal flows enter and leave through one face.
Problem net_of_nothing(Precision precision) {
  Problem problem = box_problem(Equation::laplace, 2, {33, 17, 1}, {neumann, 0.0});
  problem.precision = precision;
  problem.boundary[{0, false}] = {dirichlet, steady([](double, double y, double) {
                                    return std::cos(2 * std::numbers::pi * y);
                                  })};
  problem.boundary[{0, true}] = {dirichlet, 0.0};
  return problem;
}

TEST_F(HeatFlowBalance, OppositeFlowsThroughOneFaceDoNotCancel) {
  Problem const problem = net_of_nothing(Precision::float64);
  auto const solver = solved(problem, cycles(20));
  HeatFlows const flows = flows_of(*solver, problem);
  EXPECT_NEAR(flows.faces[(Face{0, false})], 0.0, 1e-12);
  // ∫ 2 π |cos 2 π y| dy = 4, half of it inward. The discrete value is a tenth smaller.
  EXPECT_NEAR(flows.in, 2.0, 0.25);
  EXPECT_NEAR(flows.in, flows.out, 1e-12);
}

TEST_F(HeatFlowBalance, RoundingBoundsTheBalanceTightly) {
  for (Precision const precision : {Precision::float32, Precision::float64}) {
    Problem problem = net_of_nothing(precision);
    problem.boundary[{0, false}] = {dirichlet, 301.0};
    problem.boundary[{0, true}] = {dirichlet, 300.0};
    auto const solver = solved(problem, cycles(20));
    HeatFlows const flows = flows_of(*solver, problem);
    double const unit = precision == Precision::float32 ? 0x1p-23 : 0x1p-52;
    EXPECT_NEAR(flows.in, 1.0, 1e4 * unit);
    EXPECT_LE(std::abs(flows.balance), flows.slopes.rounding);
    // Both ends of 17 links contribute. Each link conducts 32/16; those at the corners half.
    EXPECT_NEAR(flows.slopes.rounding, 32 * unit * (301 + 300) * 2, 0.01 * 32 * unit * 1202);
  }
}

/// Pseudorandom values of ordinary size, the same on any number of ranks.
double scattered(double x, double y, double z) {
  double const large = 1e4 * std::sin(12.9898 * x + 78.233 * y + 37.719 * z);
  return 2.0 * (large - std::floor(large)) - 1.0;
}

/// The balance that an error of a solution causes, and its bound.
struct Disturbed {
  double balance = 0.0;
  double bound = 0.0;
  double bound_without_residual = 0.0;
};

/// Adds an error to the exact solution at the unknown points.
Disturbed disturb(mpi::Communicator const& ranks, Problem const& problem,
                  std::vector<double> const& exact, Norm norm,
                  std::function<double(double, double, double)> const& error) {
  MethodSettings method = cycles(1);
  method.norm = norm;
  auto const solver = make_solver(ranks, problem, method, execution(problem, ranks));
  std::vector<double> values = exact;
  std::size_t number = 0;
  for_each_row(solver->subdomain().owned(), [&](std::int64_t j, std::int64_t k) {
    for (std::int64_t i = 0; i < solver->subdomain().owned().upper.x; ++i) {
      auto const [x, y, z] =
          coordinates(problem.grid, solver->subdomain().to_global(Index3{i, j, k}));
      values[number++] += error(x, y, z);
    }
  });
  solver->set_initial(ConstValues(std::span<double const>(values)));
  solver->advance_to(0);
  std::vector<double> const disturbed = field_of<double>(*solver);
  double largest = 0.0;
  double squares = 0.0;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    largest = std::max(largest, std::abs(disturbed[i] - exact[i]));
    squares += std::pow(disturbed[i] - exact[i], 2);
  }
  double const size =
      norm == Norm::max
          ? ranks.max(largest)
          : std::sqrt(ranks.sum(squares) / static_cast<double>(unknown_count(problem)));
  HeatFlowMeter<double> meter(ranks, solver->queue(), solver->subdomain(), problem);
  HeatFlows const flows = meter.read(std::get<FieldView<double const>>(solver->field_view()), 0.0);
  double const residual = solver->state().last_residual->value;
  return {std::abs(flows.balance) - flows.slopes.rounding,
          largest_balance(problem, flows, norm, size, residual),
          largest_balance(problem, flows, norm, size, std::nullopt)};
}

TEST_F(HeatFlowBalance, BoundHoldsForAnyError) {
  Exact const rough{[](double x, double y, double z) { return std::cos(3 * x + y) + 2 * y * z; },
                    {1.0, -2.0, 0.7},
                    {1, 1, 1}};
  for_each_arrangement(ranks_, [&](Arrangement const& one) {
    if (one.medium != one.graded) return;
    Problem problem = arranged(one, rough);
    if (one.medium) {
      make_isotropic(problem, steady([](double x, double y, double z) {
                       return std::exp(3 * std::sin(5 * x + 4 * y) - z);
                     }));
    }
    std::vector<double> const exact = field_of<double>(*solved(problem, cycles(8)));
    for (Norm const norm : {Norm::l2, Norm::max}) {
      for (auto const& error :
           {std::function(scattered), std::function([](double, double, double) { return 1.0; })}) {
        Disturbed const found = disturb(ranks_, problem, exact, norm, error);
        EXPECT_LE(found.balance, found.bound) << one.name();
        EXPECT_LE(found.bound, found.bound_without_residual) << one.name();
      }
    }
  });
}

/// An error at the points next to the faces, and a smooth error with a known residual.
TEST_F(HeatFlowBalance, BoundIsTight) {
  Problem problem = net_of_nothing(Precision::float64);
  double const h = 1.0 / 32.0;
  std::vector<double> const exact = field_of<double>(*solved(problem, cycles(20)));
  for (Norm const norm : {Norm::l2, Norm::max}) {
    Disturbed const beside = disturb(ranks_, problem, exact, norm, [&](double x, double, double) {
      return std::abs(x - 0.5) > 0.49 - h ? 1.0 : 0.0;
    });
    EXPECT_GT(beside.balance, 0.45 * beside.bound_without_residual);
    Disturbed const smooth = disturb(ranks_, problem, exact, norm, [](double x, double, double) {
      return std::sin(std::numbers::pi * x);
    });
    EXPECT_GT(smooth.balance, 0.1 * smooth.bound);
    EXPECT_LT(smooth.bound, 0.7 * smooth.bound_without_residual);
  }
}

TEST_F(HeatFlowBalance, UnconvergedFieldDoesNotBalance) {
  Problem problem = net_of_nothing(Precision::float64);
  problem.boundary[{0, false}] = {robin, 301.0, 1e10};
  problem.initial.value = 300.0;
  auto const solver = solved(problem, jacobi(40));
  HeatFlows const flows = flows_of(*solver, problem);
  EXPECT_GT(std::abs(flows.balance), 0.5 * flows.in);
  EXPECT_LT(flows.slopes.rounding, 1e-9 * flows.in);
}

}  // namespace
}  // namespace isotherm::test
