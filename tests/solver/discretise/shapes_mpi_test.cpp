#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

#include "solver/discretise/point_constraints.hpp"
#include "solver/discretise/shapes/link_conductivity.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/shapes.hpp"

// Materials whose surfaces lie anywhere between grid points: fluxes and fields against closed
// forms.
namespace isotherm::test {
namespace {

using enum BoundaryKind;

using Shapes = BackendTest;

TEST_F(Shapes, SlabCapacitanceIsExactOnAnyGrid) {
  double const vacuum = 8.8541878128e-12;
  double const exact = 1.264883973257e-10;  // ε₀ · 10 mm / (0.6 mm + 0.4 mm / 4), per metre
  for (int const n : {10, 11, 20, 50, 51, 100, 137}) {
    Problem problem = plates(2, {9, n + 1, 1}, 1, {10e-3, 1e-3, 0});
    fill(problem, box_region({0, 0.3e-3, -infinity}, {10e-3, 0.7e-3, infinity}), 4.0);
    EXPECT_NEAR(vacuum * flux(problem, 1) / exact, 1.0, 1e-11) << n;
    fill(problem, expression([](double, double y, double) { return 0.3e-3 <= y && y <= 0.7e-3; }),
         4.0);
    EXPECT_NEAR(vacuum * flux(problem, 1) / exact, 1.0, 1e-9) << n;
  }
}

TEST_F(Shapes, SlabCapacitorStoresHalfOfCVSquared) {
  double const exact =
      10e-3 / (0.6e-3 + 0.4e-3 / 4);  // the capacitance of V = 1 over ε₀, per metre
  for (int const n : {10, 11, 51}) {
    Problem problem = plates(2, {9, n + 1, 1}, 1, {10e-3, 1e-3, 0});
    fill(problem, box_region({-infinity, 0.3e-3, -infinity}, {infinity, 0.7e-3, infinity}), 4.0);
    auto solver = solved(problem, cycles());
    EXPECT_NEAR(energy_of(*solver, problem) / (0.5 * exact), 1.0, 1e-11) << n;
  }
}

TEST_F(Shapes, ThinLayerConductsAcrossAndAlong) {
  for (int const n : {9, 16, 33}) {
    Problem problem = plates(3, {n, 5, 4}, 0);
    Region const layer = box_region({0.512, -1, -1}, {0.514, 2, 2});
    fill(problem, layer, 0.01);
    EXPECT_NEAR(flux(problem, 0), 1.0 / 1.198, 1e-12) << n;
    problem = plates(3, {n, 5, 4}, 1);
    fill(problem, layer, 1000.0);
    EXPECT_NEAR(flux(problem, 1), 0.998 + 2.0, 1e-11) << n;
  }
}

TEST_F(Shapes, LaterMaterialsLieOnTop) {
  Problem problem = plates(2, {14, 4, 1}, 0);
  Region const wide = box_region({0.21, -1, -1}, {0.83, 2, 1});
  Region const inner = box_region({0.4, -1, -1}, {0.6, 2, 1});
  fill(problem, wide, 4.0);
  auto layers = *problem.medium.layers;
  layers.push_back({inner, {0.5, 0.5, 0.5}});
  for (ScalarFunction& along : problem.medium.conductivity) {
    along = steady([](double x, double, double) {
      return x >= 0.4 && x <= 0.6 ? 0.5 : x >= 0.21 && x <= 0.83 ? 4.0 : 1.0;
    });
  }
  problem.medium.layers = std::make_shared<std::vector<MediumLayer> const>(layers);
  EXPECT_NEAR(flux(problem, 0), 1.0 / (0.38 + 0.42 / 4 + 0.2 / 0.5), 1e-12);
}

TEST_F(Shapes, ConductivityThatVariesWithinMaterialAndPerAxis) {
  Problem problem = plates(2, {12, 11, 1}, 0);
  Region const slab = box_region({0.33, -1, -1}, {0.71, 2, 1});
  fill(problem, slab, {3.0, 7.0, 1.0});
  EXPECT_NEAR(flux(problem, 0), 1.0 / (0.62 + 0.38 / 3.0), 1e-12);
  problem = plates(2, {12, 11, 1}, 1);
  fill(problem, slab, {3.0, 7.0, 1.0});
  EXPECT_NEAR(flux(problem, 1), 0.62 + 0.38 * 7.0, 1e-12);
}

TEST_F(Shapes, TiltedLayerIsExactForFlowAcross) {
  double const normal_x = std::cos(std::numbers::pi / 6), normal_y = 0.5;
  auto const depth = [=](double x, double y) { return normal_x * x + normal_y * y; };
  auto const exact = [=](double x, double y, double) {
    double const s = depth(x, y);
    double const within = std::clamp(s, 0.43, 0.87) - 0.43;
    return s - within + within / 100.0;
  };
  for (int const n : {17, 34}) {
    Problem problem = box_problem(Equation::laplace, 2, {n, n, 1}, {dirichlet, steady(exact)});
    fill(problem, expression([=](double x, double y, double) {
           return 0.43 <= depth(x, y) && depth(x, y) <= 0.87;
         }),
         100.0);
    auto solver = solved(problem, cycles());
    EXPECT_LT(mpi::Communicator(MPI_COMM_WORLD).max(largest_error<double>(*solver, exact)), 1e-11)
        << n;
  }
}

/// Potential of a cylinder of conductivity κ in a uniform field.
struct CylinderInField {
  double x = 0.5137, y = 0.4871, radius = 0.2713, conductivity = 100.0;

  double operator()(double at_x, double at_y, double) const {
    double const dx = at_x - x, dy = at_y - y, squared = dx * dx + dy * dy;
    if (squared <= radius * radius) return 2.0 / (conductivity + 1.0) * dx;
    return dx - (conductivity - 1.0) / (conductivity + 1.0) * radius * radius * dx / squared;
  }
};

/// The largest error relative to the range of the solution.
double cylinder_error(int n, double conductivity) {
  CylinderInField exact;
  exact.conductivity = conductivity;
  Problem problem =
      box_problem(Equation::laplace, 2, {n + 1, n + 1, 1}, {dirichlet, steady(exact)});
  fill(problem, solid_region(make_ball(2, {exact.x, exact.y, 0}, exact.radius)), conductivity);
  auto solver = solved(problem, cycles());
  EXPECT_TRUE(solver->converged());
  // A harmonic function has its extremes at the boundary, here on the x faces.
  double minimum = infinity, maximum = -infinity;
  for (int j = 0; j <= n; ++j) {
    minimum = std::min(minimum, exact(0, static_cast<double>(j) / n, 0));
    maximum = std::max(maximum, exact(1, static_cast<double>(j) / n, 0));
  }
  double const error = mpi::Communicator(MPI_COMM_WORLD).max(largest_error<double>(*solver, exact));
  return error / (maximum - minimum);
}

TEST_F(Shapes, CylinderInUniformField) {
  EXPECT_LT(cylinder_error(16, 100.0), 2.4e-3);
  EXPECT_LT(cylinder_error(32, 100.0), 7e-4);
  EXPECT_LT(cylinder_error(64, 100.0), 3.2e-4);
  // A poor conductor is not resolved as well: flow along its surface is not represented.
  EXPECT_LT(cylinder_error(16, 0.01), 4.2e-2);
  EXPECT_LT(cylinder_error(64, 0.01), 1.4e-2);
}

TEST_F(Shapes, ViaConductsWithItsCrossSection) {
  // A cylinder thinner than a cell from plate to plate, and one that ends between two points.
  for (int const n : {5, 8}) {
    Problem problem = plates(3, {n, n, 7}, 2);
    double const area = std::numbers::pi * 0.04 * 0.04;
    fill(problem, solid_region(make_cylinder(2, {0.51, 0.49, 0}, 0.04, {-1, 2})), 300.0);
    EXPECT_NEAR(flux(problem, 2), 1.0 - area + 300.0 * area, 1e-11) << n;
  }
}

TEST_F(Shapes, SurfacesMidwayBetweenPointsKeepTheHarmonicMean) {
  Problem problem = plates(2, {11, 11, 1}, 0);
  fill(problem, box_region({0.25, 0.35, -1}, {0.65, 0.75, 1}), 7.0);
  LinkConductivity const links(problem);
  for (int axis = 0; axis < 2; ++axis) {
    for (Index3 p; p.y < (axis == 1 ? 10 : 11); ++p.y) {
      for (p.x = 0; p.x < (axis == 0 ? 10 : 11); ++p.x) {
        EXPECT_FALSE(links(axis, p).has_value()) << axis << ' ' << p.x << ' ' << p.y;
      }
    }
  }
}

/// All cut links are among the candidates, and no decomposition changes a bit.
TEST_F(Shapes, CandidatesIncludeAllCutLinks) {
  Problem problem = box_problem(Equation::laplace, 3, {9, 8, 7}, {periodic});
  for (Solid const& solid :
       {make_ball(3, {0.5, 0.4, 0.6}, 0.33), make_box({0.1, 0.2, 0.3}, {0.95, 0.6, 0.8}),
        make_cylinder(1, {0.4, 0, 0.5}, 0.45, {0.1, 0.9}),
        make_cylinder(0, {0, 0.45, 0.5}, 0.3, {-1, 2})}) {
    fill(problem, solid_region(solid), 5.0);
    LinkConductivity const links(problem);
    int cut = 0;
    for (int axis = 0; axis < 3; ++axis)
      for (Index3 p; p.z < 7; ++p.z)
        for (p.y = 0; p.y < 8; ++p.y)
          for (p.x = 0; p.x < 9; ++p.x) {
            if (!links(axis, p)) continue;
            ++cut;
            auto const ranges = links.candidates(axis, p);
            EXPECT_TRUE(std::ranges::any_of(
                ranges, [&](auto const& range) { return range.first <= p.x && p.x < range.last; }))
                << axis << ' ' << p.x << ' ' << p.y << ' ' << p.z;
          }
    EXPECT_GT(cut, 50);
  }
}

/// Surfaces at the end of a periodic axis: the same medium, shifted by one spacing, has the same
/// conductances.
TEST_F(Shapes, PeriodicAxisHasNoEnds) {
  constexpr std::int64_t count = 10;
  auto const conductances_of = [&](double shift, int along) {
    Problem problem =
        box_problem(Equation::laplace, 2, {9, count, 1}, {BoundaryKind::neumann, 0.0});
    problem.grid = make_grid(2, {9, count, 1}, {}, {1, 1, 0}, {false, true});
    set_axis(problem, 1, {periodic});
    fill(problem, box_region({0.2, 0.6 + shift, -1}, {0.7, 0.9 + shift, 1}), 20.0);
    std::vector<double> all;
    MediumUnits const units;
    auto const links = link_conductivity(problem);
    for (Index3 row; row.y < count; ++row.y) {
      std::vector<double> of_row(along == 0 ? 8 : 9);
      find_conductances(problem, units, links, along, row, of_row);
      all.insert(all.end(), of_row.begin(), of_row.end());
    }
    return all;
  };
  for (int along = 0; along < 2; ++along) {
    std::size_t const row = along == 0 ? 8 : 9;
    std::vector<double> const inside = conductances_of(0.0, along);
    for (int rows : {-6, -5, 1}) {  // the box ends at both ends of the axis
      std::vector<double> const shifted = conductances_of(0.1 * rows, along);
      for (std::size_t n = 0; n < inside.size(); ++n) {
        std::size_t const to = (n + static_cast<std::size_t>(rows + count) * row) % inside.size();
        EXPECT_NEAR(shifted[to] / inside[n], 1.0, 1e-9) << along << ' ' << rows << ' ' << n;
      }
    }
  }
}

TEST_F(Shapes, FluxesBalanceAcrossCutLinks) {
  Problem problem = everything(Equation::poisson, Precision::float64, 3);
  fill(problem, solid_region(make_ball(3, {0.6, 0.8, 0.3}, 0.37)), 40.0);
  auto solver = solved(problem, cycles());
  EXPECT_TRUE(solver->converged());
  HeatFlows const flows = flows_of(*solver, problem);
  EXPECT_LT(std::abs(flows.balance), 1e-8 * flows.in);
}

/// A ring of length 1 with the source 1, of which a region at 1 leaves 0.7: u − 1 = s (0.7 − s) / 2
/// at the distance s, so 0.06 at most at points. Wherever the region lies, it holds four columns of
/// points, also if it ends where the ring closes.
TEST_F(Shapes, FixedRegionMayEndWhereAPeriodicAxisCloses) {
  for (int const axis : {0, 1}) {
    Extent3 points{5, 5, 1};
    points[axis] = 10;
    Problem ring = box_problem(Equation::poisson, 2, points, {neumann, 0.0});
    ring.grid = make_grid(2, points, {0, 0, 0}, {1, 1, 0}, {axis == 0, axis == 1, false});
    set_axis(ring, axis, {periodic});
    ring.source = 1.0;
    for (int shift = 0; shift <= 7; ++shift) {
      double const from = ring.grid.coordinate(axis, shift);
      double const to = ring.grid.coordinate(axis, shift + 3);
      PerAxis<double> lower{-infinity, -infinity, -infinity}, upper{infinity, infinity, infinity};
      lower[axis] = from;
      upper[axis] = to;
      Region const by_name = expression([=](double x, double y, double) {
        double const at = axis == 0 ? x : y;
        return from - 1e-9 <= at && at <= to + 1e-9;
      });
      for (Region const& region : {box_region(lower, upper), by_name}) {
        Problem problem = ring;
        problem.medium.fixed.push_back({region, 1.0});
        problem.medium.layers = std::make_shared<std::vector<MediumLayer> const>(
            std::vector<MediumLayer>{{{}, {1.0, 1.0, 1.0}}});
        auto solver = solved(problem, cycles(1e-13));
        HeatFlows const flows = flows_of(*solver, problem);
        EXPECT_NEAR(flows.fixed[0], -1.0, 1e-8) << axis << ' ' << shift;
        mpi::Communicator const ranks(MPI_COMM_WORLD);
        double const largest = ranks.max(std::ranges::max(field_of<double>(*solver)));
        EXPECT_NEAR(largest, 1.06, 1e-8) << axis << ' ' << shift;
        std::int64_t held = 0;
        for (std::int64_t j = 0; j < points.y; ++j) {
          for (std::int64_t i = 0; i < points.x; ++i) {
            if (is_fixed_point(problem, {i, j, 0})) ++held;
          }
        }
        EXPECT_EQ(held, 4 * 5) << axis << ' ' << shift;
      }
    }
  }
}

/// A heater with a film in the corner of a torus, at all places: the same heat for the same value.
TEST_F(Shapes, FixedRegionWithFilmIsInvariantUnderShiftsOnATorus) {
  double heat = 0.0, warmest = 0.0;
  for (int const shift : {2, 0, 5, 6, 7}) {
    Problem problem = box_problem(Equation::poisson, 2, {10, 10, 1}, {periodic});
    problem.source = 1.0;
    double const from = problem.grid.coordinate(0, shift),
                 to = problem.grid.coordinate(0, shift + 3);
    // Its lower surface along y lies between points, the others at points.
    double const low = from + 0.02;
    FixedRegion heater{box_region({from, low, -infinity}, {to, to, infinity}), 1.0};
    heater.film_coefficient = 3.0;
    problem.medium.fixed.push_back(heater);
    problem.medium.layers = std::make_shared<std::vector<MediumLayer> const>(
        std::vector<MediumLayer>{{{}, {1.0, 1.0, 1.0}}});
    auto solver = solved(problem, cycles(1e-13));
    mpi::Communicator const ranks(MPI_COMM_WORLD);
    double const largest = ranks.max(std::ranges::max(field_of<double>(*solver)));
    double const found = flows_of(*solver, problem).fixed[0];
    if (shift == 2) {
      heat = found;
      warmest = largest;
      EXPECT_NEAR(heat, -1.0, 1e-10);
    }
    EXPECT_NEAR(found, heat, 1e-8) << shift;
    EXPECT_NEAR(largest, warmest, 1e-8) << shift;
  }
}

}  // namespace
}  // namespace isotherm::test
