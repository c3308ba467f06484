#include "solver/multigrid/uniform/coarsest.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "kernels/core/error.hpp"
#include "kernels/core/field.hpp"
#include "solver/discretise/boundary.hpp"
#include "solver/multigrid/levels/coarsening.hpp"
#include "solver/problem/conditions.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/fields.hpp"

// Compares the direct solution of the coarsest level with the operator applied by plain loops.

namespace isotherm::test {
namespace {

/// A correction problem. Faces are Dirichlet if their bit of `dirichlet` is set, else Neumann.
Problem problem_of(Extent3 points, PerAxis<double> spacing, unsigned dirichlet) {
  Problem problem;
  problem.grid.dimension = 3;
  problem.grid.points = points;
  problem.grid.spacing = spacing;
  for (Face const face : faces(problem.grid)) {
    bool const given = (dirichlet >> static_cast<unsigned>(face.index()) & 1U) != 0U;
    problem.boundary[face].kind = given ? BoundaryKind::dirichlet : BoundaryKind::neumann;
  }
  return correction_problem(problem);
}

/// Returns u − Σ w u_neighbour at a point: the operator σ − ∇² divided by its diagonal. u is zero
/// on Dirichlet faces and mirrored at Neumann faces.
template <class Value>
double operator_at(Problem const& problem, Index3 p, Value const& value) {
  double inverse_squares = 0.0;
  for (int axis = 0; axis < 3; ++axis) {
    double const h = problem.grid.spacing[axis];
    if (problem.grid.points[axis] > 1) inverse_squares += 1.0 / (h * h);
  }
  double const diagonal = 2.0 * inverse_squares + problem.sigma;
  double sum = value(p);
  for (int axis = 0; axis < 3; ++axis) {
    std::int64_t const n = problem.grid.points[axis];
    if (n == 1) continue;
    double const h = problem.grid.spacing[axis];
    for (int const side : {-1, 1}) {
      Index3 q = p;
      q[axis] += side;
      bool const around = problem.grid.periodic[axis];
      if (q[axis] < 0) q[axis] = around ? n - 1 : 1;
      if (q[axis] == n) q[axis] = around ? 0 : n - 2;
      sum -= value(q) / (h * h) / diagonal;
    }
  }
  return sum;
}

Problem around(Problem problem, int axis) {
  problem.grid.periodic[axis] = true;
  problem.boundary[{axis, false}].kind = BoundaryKind::periodic;
  problem.boundary[{axis, true}].kind = BoundaryKind::periodic;
  return correction_problem(problem);
}

template <class Real>
constexpr double epsilon = std::numeric_limits<Real>::epsilon();

template <class Real>
class Coarsest : public BackendTest {
 protected:
  /// A random source and the correction that solves for it.
  struct Solved {
    HostBox<Real> source;
    HostBox<Real> correction;
    LocalBox unknown;
  };
  Solved solve(Problem const& problem) {
    Subdomain const all(problem.grid, {1, 1, 1}, 0);
    LocalBox const unknown = unknown_points(problem, all);
    Field<Real> source(queue_, problem.grid.points, {1, 1, 1});
    Field<Real> correction(queue_, problem.grid.points, {1, 1, 1});
    HostBox<Real> const values = random_points<Real>(source.layout().box(), 3);
    HostBox<Real> const zero(correction.layout().box());
    write_points(queue_, source, values);
    write_points(queue_, correction, zero);
    CoarsestSolve<Real> solve(queue_, problem);
    solve(std::as_const(source).view(), correction.view(), unknown);
    return {values, read_points(queue_, correction, zero.box), unknown};
  }

  /// The largest residual of A · correction − source. Without a Dirichlet face, up to a constant.
  double largest_defect(Problem const& problem) {
    Solved const solved = solve(problem);
    auto const value = [&](Index3 p) {
      return static_cast<double>(solved.correction(p.x, p.y, p.z));
    };
    double sum = 0.0;
    double volume = 0.0;
    std::vector<double> defects;
    for_each(solved.unknown, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
      Index3 const p{i, j, k};
      double counts = 1.0;
      for (int axis = 0; axis < 3; ++axis) {
        std::int64_t const n = problem.grid.points[axis];
        bool const at_end = p[axis] == 0 || p[axis] == n - 1;
        if (n > 1 && at_end && !problem.grid.periodic[axis]) counts *= 0.5;
      }
      defects.push_back(static_cast<double>(solved.source(i, j, k)) -
                        operator_at(problem, p, value));
      sum += counts * defects.back();
      volume += counts;
    });
    double const constant = has_dirichlet_face(problem) ? 0.0 : sum / volume;
    double largest = 0.0;
    for (double const defect : defects) largest = std::max(largest, std::abs(defect - constant));
    return largest;
  }

  /// The tolerance allows for sums of some hundred terms, and an inverse as large as the grid is
  /// long.
  void expect_solved(Problem const& problem, std::string const& what) {
    EXPECT_LT(largest_defect(problem), 2000.0 * epsilon<Real>) << what;
  }

  Queue queue_ = backend_missing().empty() ? make_queue() : Queue(Backend::cpu);
};
using Reals = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Coarsest, Reals);

TYPED_TEST(Coarsest, SolvesForAllKindsOfFaces) {
  for (unsigned dirichlet = 0; dirichlet < 64; ++dirichlet) {
    std::string const what = "Dirichlet faces " + std::to_string(dirichlet);
    this->expect_solved(problem_of({3, 5, 4}, {1.0, 1.0, 1.0}, dirichlet), what);
    this->expect_solved(problem_of({2, 3, 7}, {0.4, 1.0, 0.7}, dirichlet), what);
    for (int axis = 0; axis < 3; ++axis) {
      this->expect_solved(around(problem_of({4, 3, 5}, {0.4, 1.0, 0.7}, dirichlet), axis),
                          what + ", periodic axis " + std::to_string(axis));
    }
  }
  this->expect_solved(problem_of({4, 1, 1}, {1, 1, 1}, 1U), "a single axis");
  this->expect_solved(problem_of({1, 3, 4}, {0.4, 1.0, 0.7}, 4U), "a plane");
  this->expect_solved(around(problem_of({2, 3, 3}, {1, 1, 1}, 12U), 0), "two points around");
}

TYPED_TEST(Coarsest, SolvesWithAShift) {
  for (double const sigma : {1e-3, 1.0, 1e6}) {
    for (Extent3 const points : {Extent3{3, 4, 2}, Extent3{4, 1, 1}, Extent3{17, 2, 9}}) {
      for (unsigned const dirichlet : {1U, 21U}) {
        Problem problem = problem_of(points, {0.4, 1.0, 0.7}, dirichlet);
        problem.sigma = sigma;
        this->expect_solved(problem, "sigma " + std::to_string(sigma));
      }
    }
  }
}

TYPED_TEST(Coarsest, SolvesTheLargestGrids) {
  for (Extent3 const points : {Extent3{17, 17, 17}, Extent3{71, 1, 71}, Extent3{71, 71, 1},
                               Extent3{16, 17, 15}, Extent3{2, 17, 16}}) {
    for (unsigned const dirichlet : {0U, 1U, 21U, 63U}) {
      Problem const problem = problem_of(points, {1.0, 1.0, 1.0}, dirichlet);
      this->expect_solved(problem, std::to_string(points.x) + " points, " +
                                       std::to_string(points.y) + " and " +
                                       std::to_string(points.z) + ", " + std::to_string(dirichlet));
      this->expect_solved(around(problem, 0), "periodic");
    }
  }
}

TYPED_TEST(Coarsest, SolvesCoarsenedGridsOfAnySize) {
  for (std::int64_t const n : {2, 4, 5, 12, 33, 100}) {
    for (unsigned const dirichlet : {1U, 3U, 12U, 21U, 63U}) {
      Problem const coarsest =
          correction_problems(problem_of({n, n + 3, 2 * n}, {1.0, 0.2, 3.0}, dirichlet)).back();
      this->expect_solved(coarsest,
                          std::to_string(n) + " points, faces " + std::to_string(dirichlet));
    }
  }
}

TYPED_TEST(Coarsest, SinglePointHasNoCorrection) {
  Problem point = problem_of({1, 1, 1}, {1, 1, 1}, 63U);
  for (double const sigma : {0.0, 3.0}) {
    point.sigma = sigma;
    EXPECT_EQ(this->solve(point).correction(0, 0, 0), TypeParam{0});
  }
}

TYPED_TEST(Coarsest, NoUnknownsLeaveTheCorrectionUnchanged) {
  EXPECT_EQ(this->solve(problem_of({2, 4, 4}, {1, 1, 1}, 63U)).correction(1, 1, 1), TypeParam{0});
}

TYPED_TEST(Coarsest, RefusesTooManyPoints) {
  EXPECT_THROW((void)this->solve(problem_of({18, 18, 18}, {1, 1, 1}, 0U)), Error);
}

}  // namespace
}  // namespace isotherm::test
