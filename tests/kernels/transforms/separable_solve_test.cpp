#include "kernels/transforms/separable_solve.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "kernels/core/error.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/fields.hpp"

// Direct solutions, checked by applying the operator to them.

namespace isotherm::test {
namespace {

/// An axis as the test describes it: a symmetric tridiagonal matrix K and volumes W. The operator
/// is W⁻¹ K.
struct Line {
  std::vector<double> volumes;
  std::vector<double> diagonal;
  std::vector<double> links;  ///< to the next point; the last one to the first if periodic
  bool is_periodic = false;

  [[nodiscard]] std::int64_t count() const { return static_cast<std::int64_t>(diagonal.size()); }
};

/// A line of equal gaps, with half volumes at Neumann ends.
Line uniform_line(AxisEnds ends, std::int64_t intervals) {
  auto const n = static_cast<std::size_t>(unknown_points(ends, intervals));
  Line line{std::vector<double>(n, 1.0), std::vector<double>(n, 2.0), std::vector<double>(n, 1.0),
            ends == AxisEnds::periodic};
  bool const half_first = ends == AxisEnds::neumann || ends == AxisEnds::neumann_dirichlet;
  bool const half_last = ends == AxisEnds::neumann || ends == AxisEnds::dirichlet_neumann;
  if (half_first) line.volumes.front() = 0.5, line.diagonal.front() -= 1.0;
  if (half_last) line.volumes.back() = 0.5, line.diagonal.back() -= 1.0;
  return line;
}

/// A line of growing gaps between a Dirichlet face and a face with a heat transfer coefficient.
Line graded_line(std::size_t n) {
  Line line{std::vector<double>(n), std::vector<double>(n), std::vector<double>(n), false};
  double before = 1.0;
  for (std::size_t p = 0; p < n; ++p) {
    double const gap = before * 1.15;
    bool const is_last = p + 1 == n;
    line.links[p] = is_last ? 0.0 : 1.0 / gap;
    line.volumes[p] = 0.5 * (before + (is_last ? 0.0 : gap));
    line.diagonal[p] = 1.0 / before + (is_last ? 0.7 : 1.0 / gap);
    before = gap;
  }
  return line;
}

/// Eigenvectors of a symmetric matrix by Jacobi's rotations; the matrix becomes diagonal.
std::vector<double> diagonalise(std::vector<double>& a, std::size_t n) {
  std::vector<double> vectors(n * n, 0.0);
  for (std::size_t p = 0; p < n; ++p) vectors[p * n + p] = 1.0;
  for (int sweep = 0; sweep < 30; ++sweep) {
    for (std::size_t p = 0; p < n; ++p) {
      for (std::size_t q = p + 1; q < n; ++q) {
        if (a[p * n + q] == 0.0) continue;
        double const angle = 0.5 * std::atan2(2.0 * a[p * n + q], a[q * n + q] - a[p * n + p]);
        double const c = std::cos(angle);
        double const s = std::sin(angle);
        auto const rotate = [&](double& x, double& y) {
          double const old = x;
          x = c * old - s * y;
          y = s * old + c * y;
        };
        for (std::size_t r = 0; r < n; ++r) rotate(a[p * n + r], a[q * n + r]);
        for (std::size_t r = 0; r < n; ++r) rotate(a[r * n + p], a[r * n + q]);
        for (std::size_t r = 0; r < n; ++r) rotate(vectors[p * n + r], vectors[q * n + r]);
      }
    }
  }
  return vectors;
}

/// The modes of a line: of the symmetric matrix W^-½ K W^-½, scaled by W^±½.
ModeMatrices modes_of(Line const& line) {
  auto const n = static_cast<std::size_t>(line.count());
  std::vector<double> a(n * n, 0.0);
  auto const root = [&](std::size_t p) { return std::sqrt(line.volumes[p]); };
  for (std::size_t p = 0; p < n; ++p) {
    a[p * n + p] += line.diagonal[p] / line.volumes[p];
    if (p + 1 == n) continue;
    a[p * n + p + 1] = a[(p + 1) * n + p] = -line.links[p] / (root(p) * root(p + 1));
  }
  std::vector<double> const vectors = diagonalise(a, n);
  ModeMatrices modes{line.count() > 0 ? static_cast<int>(n) : 0, {}, vectors, vectors};
  for (std::size_t m = 0; m < n; ++m) {
    modes.eigenvalues.push_back(a[m * n + m]);
    for (std::size_t p = 0; p < n; ++p) {
      modes.to_points[m * n + p] = vectors[m * n + p] / root(p);
      modes.to_modes[p * n + m] = vectors[m * n + p] * root(p);
    }
  }
  return modes;
}

/// A problem: a line and a weight for each axis. Axes without points do not exist.
struct Problem3 {
  PerAxis<Line> lines;
  PerAxis<double> weights{{0.7, 1.9, 1.2}};
  double shift = 0.0;

  [[nodiscard]] Extent3 extent() const {
    Extent3 n{1, 1, 1};
    for (int axis = 0; axis < 3; ++axis) {
      n[axis] = std::max<std::int64_t>(1, lines[axis].count());
    }
    return n;
  }
};

/// A u at a point.
double applied(Problem3 const& problem, HostBox<double> const& u, Index3 at) {
  double sum = problem.shift * u(at.x, at.y, at.z);
  for (int axis = 0; axis < 3; ++axis) {
    Line const& line = problem.lines[axis];
    if (line.count() == 0) continue;
    std::int64_t const n = line.count();
    std::int64_t const here = at[axis];
    auto const value = [&](std::int64_t p) {
      Index3 place = at;
      place[axis] = (p + n) % n;
      return u(place.x, place.y, place.z);
    };
    auto const link = [&](std::int64_t p) {
      return line.links[static_cast<std::size_t>((p + n) % n)];
    };
    auto const p = static_cast<std::size_t>(here);
    double flux = line.diagonal[p] * value(here);
    if (here > 0 || line.is_periodic) flux -= link(here - 1) * value(here - 1);
    if (here + 1 < n || line.is_periodic) flux -= link(here) * value(here + 1);
    sum += problem.weights[axis] * flux / line.volumes[p];
  }
  return sum;
}

double volume_of(Problem3 const& problem, Index3 at) {
  double volume = 1.0;
  for (int axis = 0; axis < 3; ++axis) {
    Line const& line = problem.lines[axis];
    if (line.count() > 0) volume *= line.volumes[static_cast<std::size_t>(at[axis])];
  }
  return volume;
}

template <class Real>
class Separable : public BackendTest {
 protected:
  Queue queue_ = backend_missing().empty() ? make_queue() : Queue(Backend::cpu);
  using Axes = typename SeparableSolve<Real>::Axes;

  SeparableAxis<Real> dense(ModeMatrices const& modes, double weight) {
    return {DenseTransform<Real>(queue_, modes), weight};
  }

  /// Solves and returns the solution in the box that begins at zero. It also checks that neither
  /// the source nor anything outside the box changes.
  HostBox<double> solution(SeparableSolve<Real>& solve, HostBox<Real> const& source) {
    Extent3 const n = source.box.extent();
    Index3 const lower{2, 1, 1};
    LocalBox const box{lower, lower + n};
    Field<Real> from(queue_, box.upper, {0, 1, 1});
    Field<Real> to(queue_, box.upper, {1, 1, 0});
    auto shifted = random_points<Real>(from.layout().box(), 3);
    for_each(source.box, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
      shifted(i + lower.x, j + lower.y, k + lower.z) = source(i, j, k);
    });
    auto const before = random_points<Real>(to.layout().box(), 4);
    write_points(queue_, from, shifted);
    write_points(queue_, to, before);
    solve(queue_, std::as_const(from).view(), to.view(), box);
    EXPECT_EQ(read_points(queue_, from, shifted.box).values, shifted.values);
    auto const after = read_points(queue_, to, before.box);
    HostBox<double> u(source.box);
    for_each(before.box, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
      if (box.contains(i, j, k)) {
        u(i - lower.x, j - lower.y, k - lower.z) = static_cast<double>(after(i, j, k));
      } else {
        EXPECT_EQ(after(i, j, k), before(i, j, k));
      }
    });
    return u;
  }

  /// Expects A u = f, up to rounding amplified by the size of A u's terms.
  void expect_solution(Problem3 const& problem, HostBox<double> const& u, HostBox<Real> const& f,
                       double subtracted, std::string const& what) {
    double largest = 0.0;
    for (double const value : u.values) largest = std::max(largest, std::abs(value));
    double const bound = 200.0 * std::numeric_limits<Real>::epsilon() * (1.0 + largest) * 16.0;
    double worst = 0.0;
    for_each(u.box, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
      double const residual =
          static_cast<double>(f(i, j, k)) - subtracted - applied(problem, u, {i, j, k});
      worst = std::max(worst, std::abs(residual));
    });
    EXPECT_LE(worst, bound) << what;
  }
};
using Reals = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Separable, Reals);

TYPED_TEST(Separable, UniformAxesOfAllEnds) {
  using Real = TypeParam;
  constexpr std::array all{AxisEnds::dirichlet, AxisEnds::neumann, AxisEnds::dirichlet_neumann,
                           AxisEnds::neumann_dirichlet, AxisEnds::periodic};
  for (AxisEnds const x : all) {
    for (AxisEnds const y : all) {
      for (AxisEnds const z : all) {
        PerAxis<AxisEnds> const ends{{x, y, z}};
        PerAxis<std::int64_t> const intervals{{11, 14, 9}};
        Problem3 problem{};
        problem.shift = 0.3;
        typename TestFixture::Axes axes;
        for (int axis = 0; axis < 3; ++axis) {
          problem.lines[axis] = uniform_line(ends[axis], intervals[axis]);
          axes[axis] =
              this->dense(closed_form_modes(ends[axis], intervals[axis]), problem.weights[axis]);
        }
        SeparableSolve<Real> solve(this->queue_, std::move(axes), problem.shift, false);
        EXPECT_EQ(solve.name(), "dense x dense x dense");
        auto const f = random_points<Real>({{}, problem.extent()}, 11);
        this->expect_solution(problem, this->solution(solve, f), f, 0.0,
                              std::to_string(static_cast<int>(x)) +
                                  std::to_string(static_cast<int>(y)) +
                                  std::to_string(static_cast<int>(z)));
      }
    }
  }
}

TYPED_TEST(Separable, PlanesAndLines) {
  using Real = TypeParam;
  for (int absent = 0; absent < 7; ++absent) {
    Problem3 problem{};
    typename TestFixture::Axes axes;
    std::string name;
    for (int axis = 0; axis < 3; ++axis) {
      if ((absent >> axis) % 2 == 1) continue;
      problem.lines[axis] = uniform_line(AxisEnds::dirichlet, 23 + axis);
      axes[axis] =
          this->dense(closed_form_modes(AxisEnds::dirichlet, 23 + axis), problem.weights[axis]);
      name += name.empty() ? "dense" : " x dense";
    }
    SeparableSolve<Real> solve(this->queue_, std::move(axes), problem.shift, false);
    EXPECT_EQ(solve.name(), name);
    EXPECT_EQ(solve.extent(), problem.extent());
    auto const f = random_points<Real>({{}, problem.extent()}, 12);
    this->expect_solution(problem, this->solution(solve, f), f, 0.0, name);
  }
}

TYPED_TEST(Separable, GradedAxesAndFacesWithHeatTransfer) {
  using Real = TypeParam;
  Problem3 problem{};
  problem.lines[0] = graded_line(13);
  problem.lines[1] = graded_line(8);
  problem.lines[2] = uniform_line(AxisEnds::neumann, 10);
  typename TestFixture::Axes axes;
  axes[0] = this->dense(modes_of(problem.lines[0]), problem.weights[0]);
  axes[1] = this->dense(modes_of(problem.lines[1]), problem.weights[1]);
  axes[2] = this->dense(closed_form_modes(AxisEnds::neumann, 10), problem.weights[2]);
  SeparableSolve<Real> solve(this->queue_, std::move(axes), 0.0, false);
  auto const f = random_points<Real>({{}, problem.extent()}, 13);
  this->expect_solution(problem, this->solution(solve, f), f, 0.0, "graded axes");
}

TYPED_TEST(Separable, LongAxes) {
  // On CUDA axes of more than 256 points cannot be transformed in place.
  using Real = TypeParam;
  for (int longest = 0; longest < 3; ++longest) {
    Problem3 problem{};
    problem.shift = 0.5;
    typename TestFixture::Axes axes;
    for (int axis = 0; axis < 3; ++axis) {
      std::int64_t const intervals = axis == longest ? 280 : 5 + axis;
      problem.lines[axis] = uniform_line(AxisEnds::neumann, intervals);
      axes[axis] =
          this->dense(closed_form_modes(AxisEnds::neumann, intervals), problem.weights[axis]);
    }
    SeparableSolve<Real> solve(this->queue_, std::move(axes), problem.shift, false);
    auto const f = random_points<Real>({{}, problem.extent()}, 14);
    this->expect_solution(problem, this->solution(solve, f), f, 0.0,
                          "280 intervals along axis " + std::to_string(longest));
  }
}

TYPED_TEST(Separable, SolutionWithoutFixedValuesHasMeanZero) {
  using Real = TypeParam;
  Problem3 problem{};
  typename TestFixture::Axes axes;
  PerAxis<AxisEnds> const ends{{AxisEnds::neumann, AxisEnds::periodic, AxisEnds::neumann}};
  for (int axis = 0; axis < 3; ++axis) {
    problem.lines[axis] = uniform_line(ends[axis], 12);
    axes[axis] = this->dense(closed_form_modes(ends[axis], 12), problem.weights[axis]);
  }
  SeparableSolve<Real> solve(this->queue_, std::move(axes), 0.0, true);
  auto const f = random_points<Real>({{}, problem.extent()}, 15);
  auto const u = this->solution(solve, f);
  double sum_of_f = 0.0;
  double sum_of_u = 0.0;
  double volume = 0.0;
  for_each(f.box, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
    double const here = volume_of(problem, {i, j, k});
    sum_of_f += here * static_cast<double>(f(i, j, k));
    sum_of_u += here * u(i, j, k);
    volume += here;
  });
  EXPECT_NEAR(sum_of_u / volume, 0.0, 100.0 * std::numeric_limits<Real>::epsilon());
  this->expect_solution(problem, u, f, sum_of_f / volume, "null space");
}

TYPED_TEST(Separable, IntegratedSourcesGiveTheSameSolution) {
  using Real = TypeParam;
  Problem3 problem{};
  typename TestFixture::Axes per_volume;
  typename TestFixture::Axes integrated;
  PerAxis<AxisEnds> const ends{
      {AxisEnds::neumann, AxisEnds::dirichlet_neumann, AxisEnds::neumann_dirichlet}};
  for (int axis = 0; axis < 3; ++axis) {
    problem.lines[axis] = uniform_line(ends[axis], 10);
    per_volume[axis] = this->dense(closed_form_modes(ends[axis], 10), 1.0);
    integrated[axis] = this->dense(closed_form_modes(ends[axis], 10, Integration::integrated), 1.0);
  }
  SeparableSolve<Real> first(this->queue_, std::move(per_volume), 0.0, false);
  SeparableSolve<Real> second(this->queue_, std::move(integrated), 0.0, false);
  auto const f = random_points<Real>({{}, problem.extent()}, 16);
  HostBox<Real> amounts(f.box);
  for_each(f.box, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
    amounts(i, j, k) = f(i, j, k) * static_cast<Real>(volume_of(problem, {i, j, k}));
  });
  auto const u = this->solution(first, f);
  auto const v = this->solution(second, amounts);
  for (std::size_t p = 0; p < u.values.size(); ++p) {
    ASSERT_NEAR(u.values[p], v.values[p], 100.0 * std::numeric_limits<Real>::epsilon());
  }
}

/// Returns the systems along a line of equal gaps, for values per volume.
TridiagonalRows systems_of(Line const& line, double weight, double shift) {
  TridiagonalRows rows;
  std::size_t const n = line.volumes.size();
  for (std::size_t p = 0; p + 1 < n; ++p) rows.conductance.push_back(weight * line.links[p]);
  for (std::size_t p = 0; p < n; ++p) {
    double const links = (p > 0 ? line.links[p - 1] : 0.0) + (p + 1 < n ? line.links[p] : 0.0);
    rows.ground.push_back(weight * (line.diagonal[p] - links) + shift * line.volumes[p]);
  }
  rows.weight = line.volumes;
  rows.first_factor = line.volumes.front();
  rows.last_factor = line.volumes.back();
  return rows;
}

TYPED_TEST(Separable, AnyAxisMayBeTridiagonal) {
  using Real = TypeParam;
  constexpr std::array all{AxisEnds::dirichlet, AxisEnds::neumann, AxisEnds::dirichlet_neumann,
                           AxisEnds::neumann_dirichlet};
  for (int tridiagonal = 0; tridiagonal < 3; ++tridiagonal) {
    for (AxisEnds const ends : all) {
      bool const is_singular = ends == AxisEnds::neumann;
      Problem3 problem{};
      problem.shift = is_singular ? 0.0 : 0.3;
      typename TestFixture::Axes axes;
      for (int axis = 0; axis < 3; ++axis) {
        double const weight = problem.weights[axis];
        if (axis == tridiagonal) {
          problem.lines[axis] = uniform_line(ends, 19);
          axes[axis] = SeparableAxis<Real>{TridiagonalSolve<Real>(
              this->queue_, systems_of(problem.lines[axis], weight, problem.shift))};
        } else {
          problem.lines[axis] = uniform_line(AxisEnds::neumann, 8 + axis);
          axes[axis] = this->dense(closed_form_modes(AxisEnds::neumann, 8 + axis), weight);
        }
      }
      SeparableSolve<Real> solve(this->queue_, std::move(axes), 0.0, is_singular);
      EXPECT_EQ(solve.last_axis(), tridiagonal);
      EXPECT_NE(solve.name().find("tridiagonal"), std::string::npos);
      auto const f = random_points<Real>({{}, problem.extent()}, 17);
      double sum = 0.0;
      double volume = 0.0;
      for_each(f.box, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
        sum += volume_of(problem, {i, j, k}) * static_cast<double>(f(i, j, k));
        volume += volume_of(problem, {i, j, k});
      });
      this->expect_solution(problem, this->solution(solve, f), f, is_singular ? sum / volume : 0.0,
                            "tridiagonal along axis " + std::to_string(tridiagonal));
    }
  }
}

TYPED_TEST(Separable, AnotherOperatorReusesTheTransforms) {
  using Real = TypeParam;
  auto const axes_with = [&](double x, double z) {
    typename TestFixture::Axes axes;
    axes[0] = this->dense(closed_form_modes(AxisEnds::neumann, 9), x);
    axes[2] = this->dense(closed_form_modes(AxisEnds::dirichlet, 7), z);
    return axes;
  };
  SeparableSolve<Real> fresh(this->queue_, axes_with(0.3, 2.0), 0.7, false);
  SeparableSolve<Real> reused(this->queue_, axes_with(1.0, 1.0), 0.0, false);
  auto const f = random_points<Real>({{}, fresh.extent()}, 5);
  (void)this->solution(reused, f);
  reused.set_operator(this->queue_, {{0.3, 5.0, 2.0}}, 0.7);
  EXPECT_EQ(this->solution(reused, f).values, this->solution(fresh, f).values);
}

TYPED_TEST(Separable, RefusesBoxesThatDoNotFit) {
  using Real = TypeParam;
  EXPECT_THROW(SeparableSolve<Real>(this->queue_, {}, 1.0, false), Error);
  typename TestFixture::Axes axes;
  axes[0] = this->dense(closed_form_modes(AxisEnds::periodic, 8), 1.0);
  axes[1] = this->dense(closed_form_modes(AxisEnds::periodic, 6), 1.0);
  SeparableSolve<Real> solve(this->queue_, std::move(axes), 0.0, true);
  Field<Real> u(this->queue_, {8, 6, 1}, {0, 0, 0});
  Field<Real> v(this->queue_, {8, 6, 1}, {0, 0, 0});
  Field<Real> small(this->queue_, {8, 5, 1}, {0, 0, 0});
  auto const run = [&](Field<Real>& from, Field<Real>& to, LocalBox box) {
    solve(this->queue_, std::as_const(from).view(), to.view(), box);
  };
  EXPECT_NO_THROW(run(u, v, {{0, 0, 0}, {8, 6, 1}}));
  EXPECT_THROW(run(u, v, {{0, 0, 0}, {8, 5, 1}}), Error);
  EXPECT_THROW(run(u, small, {{0, 0, 0}, {8, 6, 1}}), Error);
  EXPECT_THROW(run(u, u, {{0, 0, 0}, {8, 6, 1}}), Error);
}

}  // namespace
}  // namespace isotherm::test
