#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <vector>

#include "kernels/conduction/face_conductances.hpp"
#include "solver/discretise/evaluate.hpp"
#include "solver/discretise/flux/point_vectors.hpp"
#include "tests/support/bodies.hpp"
#include "tests/support/fields.hpp"

// In an MPI test, use EXPECT_*, not ASSERT_*: a rank that leaves early leaves the others waiting in
// their next collective call.

namespace isotherm::test {
namespace {

using enum BoundaryKind;
using Place = std::array<double, 3>;
using Vector = std::array<double, 3>;

Problem box(int dimension, BoundaryKind kind = dirichlet) {
  Problem problem;
  problem.grid =
      make_grid(dimension, {11, 9, dimension == 2 ? 1 : 7}, {-1, 0, 2}, {1.0, 1.3, 2.6}, {});
  for (BoundaryCondition& condition : problem.boundary) condition = {kind, 0.0};
  return problem;
}

/// The problem on axes whose gaps widen along x and y.
Problem widening(Problem problem) {
  for (int const axis : {0, 1}) {
    std::vector<double> coordinates;
    for (std::int64_t i = 0; i < problem.grid.points[axis]; ++i) {
      auto const place = static_cast<double>(i);
      coordinates.push_back(problem.grid.lower[axis] + 0.05 * place * (1.0 + 0.2 * place));
    }
    problem.grid = with_coordinates(problem.grid, axis, coordinates);
  }
  return problem;
}

template <class Real = double>
std::vector<Real> vectors_of(mpi::Communicator const& ranks, Subdomain const& subdomain,
                             Problem const& problem, VectorKind kind,
                             std::vector<Real> const& field, double time_s = 0.0) {
  std::vector<Real> vectors(3 * field.size(), Real{77});
  PointVectors made(ranks, subdomain, problem, kind);
  made.set_time(time_s);
  double const lost =
      made.compute(ValuesWithHalo<Real>(ranks, subdomain, field.data()), vectors.data());
  EXPECT_EQ(lost, 0.0);
  return vectors;
}

class PointVectorsTest : public testing::Test {
 protected:
  /// Calls visit(place, vector) for this rank's points of a field.
  template <class Visit>
  void look(Problem const& problem, VectorKind kind, ScalarFunction const& u, Visit const& visit,
            double time_s = 0.0) {
    Subdomain const mine(problem.grid, choose_decomposition(problem.grid, ranks_.size()),
                         ranks_.rank());
    std::vector<double> field(static_cast<std::size_t>(mine.owned().point_count()));
    evaluate_owned<double>(mine, u, time_s, field);
    auto const vectors = vectors_of(ranks_, mine, problem, kind, field, time_s);
    std::size_t number = 0;
    for_each(mine.owned(), [&](std::int64_t i, std::int64_t j, std::int64_t k) {
      double const* const found = vectors.data() + 3 * number++;
      visit(coordinates(problem.grid, mine.to_global(Index3{i, j, k})),
            Vector{found[0], found[1], found[2]});
    });
  }

  void expect(Problem const& problem, VectorKind kind, ScalarFunction const& u,
              std::function<Vector(Place)> const& wanted, double tolerance = 1e-12) {
    look(problem, kind, u, [&](Place at, Vector found) {
      Vector const is = wanted(at);
      for (std::size_t axis = 0; axis < 3; ++axis) {
        EXPECT_NEAR(found[axis], is[axis], tolerance)
            << "axis " << axis << " at " << at[0] << ", " << at[1] << ", " << at[2];
      }
    });
  }

  mpi::Communicator ranks_{MPI_COMM_WORLD};
};

/// A quadratic polynomial with mixed terms; its second differences are constant.
ScalarFunction quadratic(int dimension) {
  return steady([dimension](double x, double y, double z) {
    double const of_z = dimension == 3 ? 2 * z * z - 0.5 * z * y : 0.0;
    return 1.5 * x * x - 2 * x * y + 0.7 * y * y + 3 * x - y + of_z;
  });
}
Vector slope_of_quadratic(int dimension, Place at) {
  auto const [x, y, z] = at;
  bool const deep = dimension == 3;
  return {3 * x - 2 * y + 3, -2 * x + 1.4 * y - 1 - (deep ? 0.5 * z : 0.0),
          deep ? 4 * z - 0.5 * y : 0.0};
}

TEST_F(PointVectorsTest, ExactForQuadraticFieldsIncludingFaces) {
  for (int const dimension : {2, 3}) {
    for (bool const graded : {false, true}) {
      Problem const problem = graded ? widening(box(dimension)) : box(dimension);
      expect(problem, VectorKind::gradient, quadratic(dimension),
             [&](Place at) { return slope_of_quadratic(dimension, at); });
    }
  }
}

TEST_F(PointVectorsTest, FluxUsesConductivityPerAxisAndDiffusivity) {
  Problem problem = widening(box(3));
  problem.equation = Equation::diffusion;
  problem.diffusivity = 2.0;
  problem.medium.conductivity = {1.0, 3.0, 0.5};
  expect(problem, VectorKind::flux, quadratic(3), [&](Place at) {
    auto const [x, y, z] = slope_of_quadratic(3, at);
    return Vector{-2 * x, -6 * y, -z};
  });
}

TEST_F(PointVectorsTest, SecondOrderForVaryingConductivity) {
  std::array<double, 2> worst{};
  for (std::int64_t const refined : {1, 2}) {
    Problem problem = box(2);
    problem.grid = with_points(problem.grid, {20 * refined + 1, 16 * refined + 1, 1});
    make_isotropic(problem, steady([](double x, double y, double) { return 2 + x * y; }));
    auto const u = steady([](double x, double y, double) { return std::sin(x + 2 * y); });
    double& error = worst[static_cast<std::size_t>(refined - 1)];
    look(problem, VectorKind::flux, u, [&](Place at, Vector found) {
      double const expected = (2 + at[0] * at[1]) * std::cos(at[0] + 2 * at[1]);
      error = std::max({error, std::abs(found[0] + expected), std::abs(found[1] + 2 * expected)});
    });
    error = ranks_.max(error);
  }
  EXPECT_LT(worst[0], 0.1);
  EXPECT_GT(worst[0] / worst[1], 3.3);  // including the faces
}

/// Layers with interfaces midway between points, on any grid.
TEST_F(PointVectorsTest, FluxThroughLayersIsConstant) {
  for (bool const graded : {false, true}) {
    Problem problem = graded ? widening(box(3)) : box(3);
    Grid const& grid = problem.grid;
    auto const conductivity = [](std::int64_t i) { return i < 3 ? 1.0 : i < 8 ? 400.0 : 0.03; };
    std::vector<double> u{5.0};  // resistances in series
    for (std::int64_t i = 0; i + 1 < grid.points.x; ++i) {
      double const a = conductivity(i);
      double const b = conductivity(i + 1);
      u.push_back(u.back() - 2.5 * grid.gap(0, i) * 0.5 * (1 / a + 1 / b));
    }
    auto const index = [&](double x) { return std::llround(grid.position(0, x)); };
    make_isotropic(problem,
                   steady([&](double x, double, double) { return conductivity(index(x)); }));
    auto const field =
        steady([&](double x, double, double) { return u[static_cast<std::size_t>(index(x))]; });
    expect(
        problem, VectorKind::flux, field,
        [](Place) {
          return Vector{2.5, 0, 0};
        },
        1e-11);
  }
}

TEST_F(PointVectorsTest, WrapAroundPeriodicAxes) {
  for (std::int64_t const points : {1, 2, 12}) {
    Problem problem = box(3);
    problem.grid = make_grid(3, {9, points, 5}, {0, 0, 0}, {1, 1.5, 1}, {false, true, false});
    for (bool const upper : {false, true}) problem.boundary[{1, upper}] = {periodic, 0.0};
    double const h = problem.grid.spacing[1];
    double const turn = 2 * M_PI / 1.5;
    auto const u = steady([turn](double, double y, double) { return std::cos(turn * y); });
    expect(problem, VectorKind::gradient, u, [&](Place at) {
      return Vector{0, -std::sin(turn * at[1]) * std::sin(turn * h) / h, 0};
    });
  }
}

TEST_F(PointVectorsTest, SatisfyBoundaryConditionsAtFaces) {
  Problem problem = box(2, neumann);
  make_isotropic(problem, 4.0);
  ScalarFunction slope = steady([](double, double y, double) { return y; });
  slope.evaluate = [](double, double y, double, double t) { return y + t; };
  slope.varies_in_time = true;
  problem.boundary[{0, false}].value = slope;
  problem.boundary[{0, true}] = {robin, 7.0, 2.0};
  problem.boundary[{1, true}] = {dirichlet, 0.0};
  auto const u = steady([](double x, double y, double) { return x * x + y; });
  Grid const& grid = problem.grid;
  look(
      problem, VectorKind::flux, u,
      [&](Place at, Vector found) {
        bool const given = at[1] == grid.upper(1);
        double const x = at[0] == grid.lower[0] && !given ? -(at[1] + 0.5)
                         : at[0] == grid.upper(0) && !given
                             ? 2.0 * (7.0 - (at[0] * at[0] + at[1])) / 4.0
                             : 2 * at[0];
        double const y = at[1] == 0.0 ? 0.0 : 1.0;
        EXPECT_NEAR(found[0], -4 * x, 1e-12) << at[0] << ", " << at[1];
        EXPECT_NEAR(found[1], -4 * y, 1e-12) << at[0] << ", " << at[1];
      },
      0.5);
}

TEST_F(PointVectorsTest, ZeroInInsulatedRegions) {
  Problem problem = box(3, neumann);
  for (bool const upper : {false, true}) problem.boundary[{0, upper}].kind = dirichlet;
  problem.medium.insulated = {region([](double x, double, double) { return x > 0.1 && x < 0.7; })};
  auto const u = steady([](double x, double, double) {
    return x < 0.1 ? 2 * x : x < 0.7 ? 1e30 : 4.0;  // insulated points may have any value
  });
  for (VectorKind const kind : {VectorKind::gradient, VectorKind::flux}) {
    double const sign = kind == VectorKind::flux ? -1.0 : 1.0;
    expect(problem, kind, u, [&](Place at) {
      // At x = 0 it is the mean of the slopes 2 and 0.
      double const slope = at[0] > 0.1 ? 0.0 : at[0] > -0.1 ? 1.0 : 2.0;
      return Vector{sign * slope, 0, 0};
    });
  }
}

template <class Real>
void expect_same_bits(mpi::Communicator const& ranks, Problem const& problem, Extent3 parts) {
  mpi::Communicator const alone(MPI_COMM_SELF);
  Subdomain const whole(problem.grid, {1, 1, 1}, 0);
  Subdomain const mine(problem.grid, parts, ranks.rank());
  auto const field = random_points<Real>(whole.owned(), 5);
  LocalBox const part{mine.owned_global().lower, mine.owned_global().upper};
  for (VectorKind const kind : {VectorKind::gradient, VectorKind::flux}) {
    auto const all = vectors_of<Real>(alone, whole, problem, kind, field.values, 0.3);
    auto const here =
        vectors_of<Real>(ranks, mine, problem, kind, part_of(field, part).values, 0.3);
    std::size_t number = 0;
    for_each(part, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
      for (std::size_t c = 0; c < 3; ++c, ++number) {
        EXPECT_EQ(here[number], all[3 * field.index(i, j, k) + c]) << i << ' ' << j << ' ' << k;
      }
    });
  }
}

TEST_F(PointVectorsTest, SameBitsForEveryDecomposition) {
  for (int const dimension : {2, 3}) {
    for (bool const medium : {false, true}) {
      for (bool const graded_axes : {false, true}) {
        Problem problem = medium
                              ? everything(Equation::diffusion, Precision::float64, dimension)
                              : mixed_problem(Equation::diffusion, Precision::float64, dimension);
        if (graded_axes) problem = graded(problem);
        for (int axis = 0; axis < dimension; ++axis) {
          Extent3 parts{1, 1, 1};
          parts[axis] = ranks_.size();
          expect_same_bits<double>(ranks_, problem, parts);
        }
        expect_same_bits<float>(ranks_, problem, choose_decomposition(problem.grid, ranks_.size()));
      }
    }
  }
}

/// In parts of one point, the neighbours of neighbours are needed, too.
TEST_F(PointVectorsTest, SameForPartsOfOnePoint) {
  Problem problem = box(2);
  problem.grid = make_grid(2, {std::max(2, ranks_.size()), 5, 1}, {}, {1, 1, 0}, {});
  expect_same_bits<double>(ranks_, problem, {ranks_.size(), 1, 1});
}

TEST_F(PointVectorsTest, ReportOverflowOfTheirType) {
  Problem const problem = box(2);
  Subdomain const whole(problem.grid, {1, 1, 1}, 0);
  mpi::Communicator const alone(MPI_COMM_SELF);
  std::vector<float> field(static_cast<std::size_t>(problem.grid.point_count()), 0.0F);
  field[0] = 3e38F;
  std::vector<float> vectors(3 * field.size());
  PointVectors made(alone, whole, problem, VectorKind::gradient);
  made.set_time(0.0);

  double const lost =
      made.compute(ValuesWithHalo<float>(alone, whole, field.data()), vectors.data());

  EXPECT_GT(lost, 3.5e38);
}

}  // namespace
}  // namespace isotherm::test
