#include "kernels/transforms/dense/dense_transform.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include "kernels/core/error.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/fields.hpp"

// Dense transforms compared with plain sums in long double.

namespace isotherm::test {
namespace {

using Wide = long double;

constexpr std::array all_ends{AxisEnds::dirichlet, AxisEnds::neumann, AxisEnds::dirichlet_neumann,
                              AxisEnds::neumann_dirichlet, AxisEnds::periodic};

std::int64_t intervals_for(AxisEnds ends, std::int64_t points) {
  if (ends == AxisEnds::dirichlet) return points + 1;
  return ends == AxisEnds::neumann ? points - 1 : points;
}

/// Matrices without symmetry, each the other's inverse only by accident.
ModeMatrices random_matrices(int count, unsigned seed) {
  LocalBox const square{{0, 0, 0}, {count, count, 1}};
  ModeMatrices modes{count, {}, {}, {}};
  modes.eigenvalues = random_points<double>({{0, 0, 0}, {count, 1, 1}}, seed).values;
  modes.to_modes = random_points<double>(square, seed + 1).values;
  modes.to_points = random_points<double>(square, seed + 2).values;
  return modes;
}

/// Matrices whose modes alternate between even and odd, as those of a symmetric graded axis.
ModeMatrices mirrored_matrices(int count, unsigned seed) {
  ModeMatrices modes = random_matrices(count, seed);
  auto const n = static_cast<std::size_t>(count);
  for (std::size_t m = 0; m < n; ++m) {
    double const sign = m % 2 == 0 ? 1.0 : -1.0;
    for (std::size_t p = 0; p < (n + 1) / 2; ++p) {
      bool const is_middle = p == n - 1 - p && sign < 0;
      double& point = modes.to_points[m * n + p];
      double& mode = modes.to_modes[p * n + m];
      point = is_middle ? 0.0 : point;
      mode = is_middle ? 0.0 : mode;
      modes.to_points[m * n + n - 1 - p] = sign * point;
      modes.to_modes[(n - 1 - p) * n + m] = sign * mode;
    }
  }
  return modes;
}

/// Σ_q matrix[q, p] values[…, q, …] along `axis`, for the box of `values`.
HostBox<Wide> along(HostBox<Wide> const& values, int axis, int count,
                    std::vector<double> const& matrix) {
  HostBox<Wide> result(values.box);
  for_each(values.box, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
    Index3 from{i, j, k};
    auto const p = static_cast<std::size_t>(from[axis] - values.box.lower[axis]);
    Wide sum = 0;
    for (std::size_t q = 0; q < static_cast<std::size_t>(count); ++q) {
      from[axis] = values.box.lower[axis] + static_cast<std::int64_t>(q);
      sum += static_cast<Wide>(matrix[q * static_cast<std::size_t>(count) + p]) *
             values(from.x, from.y, from.z);
    }
    result(i, j, k) = sum;
  });
  return result;
}

template <class Real>
HostBox<Wide> widened(HostBox<Real> const& values, LocalBox box) {
  HostBox<Wide> wide(box);
  for_each(box, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
    wide(i, j, k) = static_cast<Wide>(values(i, j, k));
  });
  return wide;
}

/// Returns the order of the modes of `transform`: the numbers of modes with these eigenvalues.
/// Periodic axes have pairs of equal eigenvalues, which stay in order.
std::vector<std::size_t> order_of(std::vector<double> const& stored,
                                  std::vector<double> const& given) {
  std::vector<std::size_t> order;
  std::vector<bool> taken(given.size(), false);
  for (double const eigenvalue : stored) {
    std::size_t n = 0;
    while (n < given.size() && (taken[n] || given[n] != eigenvalue)) ++n;
    if (n == given.size()) return {};
    taken[n] = true;
    order.push_back(n);
  }
  return order;
}

/// Returns matrices with their modes in another order.
ModeMatrices reordered(ModeMatrices const& modes, std::vector<std::size_t> const& order) {
  ModeMatrices result = modes;
  auto const n = static_cast<std::size_t>(modes.count);
  for (std::size_t m = 0; m < n; ++m) {
    result.eigenvalues[m] = modes.eigenvalues[order[m]];
    for (std::size_t p = 0; p < n; ++p) {
      result.to_points[m * n + p] = modes.to_points[order[m] * n + p];
      result.to_modes[p * n + m] = modes.to_modes[p * n + order[m]];
    }
  }
  return result;
}

/// Makes the eigenvalues distinct, so that order_of() identifies the modes.
ModeMatrices with_distinct_eigenvalues(ModeMatrices modes) {
  for (std::size_t m = 0; m < modes.eigenvalues.size(); ++m) {
    modes.eigenvalues[m] = 1.0 + 0.25 * static_cast<double>(m);
  }
  return modes;
}

template <class Real>
class Dense : public BackendTest {
 protected:
  Queue queue_ = backend_missing().empty() ? make_queue() : Queue(Backend::cpu);

  /// Memory of the queue with the given values.
  Buffer on_device(std::vector<double> const& values) {
    std::vector<Real> const rounded(values.begin(), values.end());
    Buffer memory(queue_, Space::device, rounded.size() * sizeof(Real));
    copy_bytes(queue_, memory.data(), rounded.data(), memory.bytes());
    queue_.wait();
    return memory;
  }

  /// Expects `after` to be `want` in the box of `want` within `bound`, and `before` elsewhere.
  void expect_result(HostBox<Real> const& after, HostBox<Real> const& before,
                     HostBox<Wide> const& want, std::string const& what) {
    Wide largest = 0;
    for (Wide const value : want.values) largest = std::max(largest, std::abs(value));
    Wide const count = static_cast<Wide>(
        std::max({want.box.extent().x, want.box.extent().y, want.box.extent().z}));
    Wide const bound = 4 * (count + 4) * std::numeric_limits<Real>::epsilon() * (1 + largest);
    std::int64_t wrong = 0;
    for_each(before.box, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
      if (!want.box.contains(i, j, k)) {
        if (after(i, j, k) != before(i, j, k)) ++wrong;
      } else if (!(std::abs(static_cast<Wide>(after(i, j, k)) - want(i, j, k)) <= bound)) {
        ++wrong;
      }
    });
    EXPECT_EQ(wrong, 0) << what;
  }

  /// Compares to_modes, to_points and solve along an axis with plain sums.
  void expect_plain_sums(ModeMatrices const& given, Extent3 extent, int axis, unsigned seed) {
    std::string const what = std::to_string(extent.x) + " x " + std::to_string(extent.y) + " x " +
                             std::to_string(extent.z) + " along axis " + std::to_string(axis);
    ModeMatrices const distinct = with_distinct_eigenvalues(given);
    DenseTransform<Real> const transform(queue_, distinct);
    auto const order = order_of(transform.eigenvalues(), distinct.eigenvalues);
    ASSERT_EQ(order.size(), static_cast<std::size_t>(given.count)) << what;
    ModeMatrices const modes = reordered(distinct, order);
    LocalBox const box{{1, 2, 1}, Index3{1, 2, 1} + extent};
    Field<Real> from(queue_, box.upper, {1, 1, 1});
    auto const values = random_points<Real>(from.layout().box(), seed);
    write_points(queue_, from, values);
    auto const before = random_points<Real>(LocalBox{{}, box.upper}.grown({2, 0, 1}), seed + 1);
    auto const result_of = [&](auto const& act) {
      Field<Real> to(queue_, box.upper, {2, 0, 1});
      write_points(queue_, to, before);
      act(std::as_const(from).view(), to.view());
      return read_points(queue_, to, before.box);
    };
    auto const in = widened(values, box);
    expect_result(result_of([&](auto u, auto v) { transform.to_modes(queue_, u, v, box, axis); }),
                  before, along(in, axis, given.count, modes.to_modes), what + ", to modes");
    expect_result(result_of([&](auto u, auto v) { transform.to_points(queue_, u, v, box, axis); }),
                  before, along(in, axis, given.count, modes.to_points), what + ", to points");
    expect_solution(transform, modes, in, result_of, before, axis, what);
    EXPECT_EQ(read_points(queue_, from, values.box).values, values.values) << what;
  }

  template <class ResultOf>
  void expect_solution(DenseTransform<Real> const& transform, ModeMatrices const& modes,
                       HostBox<Wide> const& in, ResultOf const& result_of,
                       HostBox<Real> const& before, int axis, std::string const& what) {
    Extent3 const n = in.box.extent();
    std::vector<std::vector<double>> eigenvalues(3);
    for (int other = 0; other < 3; ++other) {
      eigenvalues[static_cast<std::size_t>(other)].resize(static_cast<std::size_t>(n[other]));
      auto& line = eigenvalues[static_cast<std::size_t>(other)];
      for (std::size_t m = 0; m < line.size(); ++m) line[m] = 1.0 + 0.5 * static_cast<double>(m);
    }
    eigenvalues[static_cast<std::size_t>(axis)] = modes.eigenvalues;
    Buffer const x = on_device(eigenvalues[0]);
    Buffer const y = on_device(eigenvalues[1]);
    Buffer const z = on_device(eigenvalues[2]);
    Spectrum<Real> const spectrum{x.as<Real const>(), y.as<Real const>(), z.as<Real const>(),
                                  Real{0.25}, false};
    auto want = along(in, axis, modes.count, modes.to_modes);
    for_each(in.box, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
      Index3 const at = Index3{i, j, k} - in.box.lower;
      Wide sum = 0.25L;
      for (int other = 0; other < 3; ++other) {
        sum += eigenvalues[static_cast<std::size_t>(other)][static_cast<std::size_t>(at[other])];
      }
      want(i, j, k) /= sum;
    });
    want = along(want, axis, modes.count, modes.to_points);
    expect_result(
        result_of([&](auto u, auto v) { transform.solve(queue_, u, v, in.box, axis, spectrum); }),
        before, want, what + ", solution");
  }

  /// Expects to_points() to restore what to_modes() transformed.
  void expect_inverse(DenseTransform<Real> const& transform, Extent3 extent, int axis) {
    LocalBox const box{{}, extent};
    Field<Real> u(queue_, extent, {1, 1, 1});
    Field<Real> modes(queue_, extent, {1, 1, 1});
    Field<Real> back(queue_, extent, {1, 1, 1});
    auto const values = random_points<Real>(box, 5);
    write_points(queue_, u, values);
    transform.to_modes(queue_, std::as_const(u).view(), modes.view(), box, axis);
    transform.to_points(queue_, std::as_const(modes).view(), back.view(), box, axis);
    auto const after = read_points(queue_, back, box);
    double const bound = 4.0 * std::sqrt(transform.count()) * std::numeric_limits<Real>::epsilon();
    for (std::size_t p = 0; p < values.values.size(); ++p) {
      ASSERT_NEAR(after.values[p], values.values[p], bound)
          << transform.count() << " points along axis " << axis;
    }
  }

  static Extent3 box_of(std::int64_t points, int axis, std::int64_t a, std::int64_t b) {
    if (axis == 0) return {points, a, b};
    return axis == 1 ? Extent3{a, points, b} : Extent3{a, b, points};
  }
};
using Reals = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Dense, Reals);

TYPED_TEST(Dense, AllLengthsEqualPlainSums) {
  for (int axis = 0; axis < 3; ++axis) {
    for (int n = 1; n <= 40; ++n) {
      auto const seed = static_cast<unsigned>(100 * n + axis);
      this->expect_plain_sums(random_matrices(n, seed), this->box_of(n, axis, 5, 3), axis, seed);
      this->expect_plain_sums(mirrored_matrices(n, seed), this->box_of(n, axis, 7, 3), axis, seed);
    }
  }
}

TYPED_TEST(Dense, LongLinesEqualPlainSums) {
  for (int axis = 0; axis < 3; ++axis) {
    for (int const n : {67, 129, 257, 300}) {
      auto const seed = static_cast<unsigned>(n + axis);
      this->expect_plain_sums(random_matrices(n, seed), this->box_of(n, axis, 2, 1), axis, seed);
      this->expect_plain_sums(mirrored_matrices(n, seed), this->box_of(n, axis, 9, 1), axis, seed);
    }
  }
}

TYPED_TEST(Dense, ThinAndFlatBoxesEqualPlainSums) {
  for (int axis = 0; axis < 3; ++axis) {
    for (auto const& [a, b] : {std::pair{1, 1}, {1, 90}, {200, 1}, {33, 17}, {70, 9}, {64, 8}}) {
      auto const seed = static_cast<unsigned>(a + 1000 * b);
      this->expect_plain_sums(random_matrices(9, seed), this->box_of(9, axis, a, b), axis, seed);
      this->expect_plain_sums(mirrored_matrices(14, seed), this->box_of(14, axis, a, b), axis,
                              seed);
    }
  }
}

TYPED_TEST(Dense, ClosedFormModesOfAllEndsEqualPlainSums) {
  for (AxisEnds const ends : all_ends) {
    for (int const n : {2, 3, 11, 16, 31}) {
      for (int axis = 0; axis < 3; ++axis) {
        auto const modes = closed_form_modes(ends, intervals_for(ends, n));
        this->expect_plain_sums(modes, this->box_of(n, axis, 9, 4), axis, 17);
      }
    }
  }
}

TYPED_TEST(Dense, TransformAndInverseGiveTheSameField) {
  using Real = TypeParam;
  for (AxisEnds const ends : all_ends) {
    for (int const n : {1, 2, 13, 64, 129, 257}) {
      if (ends == AxisEnds::neumann && n == 1) continue;
      DenseTransform<Real> const transform(this->queue_,
                                           closed_form_modes(ends, intervals_for(ends, n)));
      for (int axis = 0; axis < 3; ++axis) {
        this->expect_inverse(transform, this->box_of(n, axis, 10, 3), axis);
      }
    }
  }
}

TYPED_TEST(Dense, WorksInPlaceIfItSaysSo) {
  using Real = TypeParam;
  for (int axis = 0; axis < 3; ++axis) {
    for (int const n : {5, 130, 256, 290}) {
      Extent3 const extent = this->box_of(n, axis, 70, 2);
      LocalBox const box{{}, extent};
      DenseTransform<Real> const transform(this->queue_,
                                           mirrored_matrices(n, static_cast<unsigned>(n)));
      Field<Real> u(this->queue_, extent, {1, 1, 1});
      Field<Real> modes(this->queue_, extent, {1, 1, 1});
      write_points(this->queue_, u, random_points<Real>(box, 5));
      transform.to_modes(this->queue_, std::as_const(u).view(), modes.view(), box, axis);
      auto const in_place = [&] {
        transform.to_modes(this->queue_, std::as_const(u).view(), u.view(), box, axis);
      };
      if (!transform.works_in_place()) {
        EXPECT_THROW(in_place(), Error);
        continue;
      }
      in_place();
      EXPECT_EQ(read_points(this->queue_, u, box).values,
                read_points(this->queue_, modes, box).values);
    }
  }
}

TYPED_TEST(Dense, SolvesInPlace) {
  using Real = TypeParam;
  for (int axis = 0; axis < 3; ++axis) {
    for (int const n : {5, 290}) {
      Extent3 const extent = this->box_of(n, axis, 70, 2);
      LocalBox const box{{}, extent};
      DenseTransform<Real> const transform(this->queue_,
                                           random_matrices(n, static_cast<unsigned>(n)));
      Buffer const ones = this->on_device(std::vector<double>(300, 1.0));
      auto const* const one = ones.template as<Real const>();
      Spectrum<Real> const spectrum{one, one, one, Real{1}, false};
      Field<Real> u(this->queue_, extent, {1, 1, 1});
      Field<Real> result(this->queue_, extent, {1, 1, 1});
      write_points(this->queue_, u, random_points<Real>(box, 5));
      transform.solve(this->queue_, std::as_const(u).view(), result.view(), box, axis, spectrum);
      transform.solve(this->queue_, std::as_const(u).view(), u.view(), box, axis, spectrum);
      EXPECT_EQ(read_points(this->queue_, u, box).values,
                read_points(this->queue_, result, box).values);
    }
  }
}

TYPED_TEST(Dense, SameBitsForAnyNumberOfThreads) {
  if (tested_backend() != Backend::cpu) GTEST_SKIP() << "a property of the CPU";
  using Real = TypeParam;
  int const before = cpu_threads();
  for (int axis = 0; axis < 3; ++axis) {
    Extent3 const extent = this->box_of(61, axis, 45, 13);
    LocalBox const box{{}, extent};
    DenseTransform<Real> const transform(this->queue_, mirrored_matrices(61, 3));
    std::vector<std::vector<Real>> results;
    for (int const threads : {1, 2, 3, 7}) {
      set_cpu_threads(threads);
      Field<Real> u(this->queue_, extent, {1, 0, 0});
      write_points(this->queue_, u, random_points<Real>(box, 9));
      transform.to_modes(this->queue_, std::as_const(u).view(), u.view(), box, axis);
      results.push_back(read_points(this->queue_, u, box).values);
      EXPECT_EQ(results.back(), results.front()) << threads << " threads, axis " << axis;
    }
  }
  set_cpu_threads(before);
}

TYPED_TEST(Dense, RefusesBoxesThatDoNotFit) {
  using Real = TypeParam;
  DenseTransform<Real> const transform(this->queue_, random_matrices(6, 1));
  Field<Real> u(this->queue_, {6, 6, 6}, {0, 0, 0});
  Field<Real> v(this->queue_, {6, 6, 5}, {0, 0, 0});
  auto const run = [&](Field<Real>& to, LocalBox box, int axis) {
    transform.to_modes(this->queue_, std::as_const(u).view(), to.view(), box, axis);
  };
  EXPECT_NO_THROW(run(v, {{0, 0, 0}, {6, 6, 5}}, 0));
  EXPECT_NO_THROW(run(v, {}, 0));
  EXPECT_THROW(run(v, {{0, 0, 0}, {6, 6, 5}}, 2), Error);
  EXPECT_THROW(run(v, {{0, 0, 0}, {6, 6, 6}}, 0), Error);
  EXPECT_THROW(run(v, {{0, 0, 0}, {6, 6, 5}}, 3), Error);
  EXPECT_THROW(run(v, {{0, 0, 0}, {6, 6, 5}}, -1), Error);
}

TYPED_TEST(Dense, FootprintBoundsTheMemory) {
  using Real = TypeParam;
  Backend const backend = this->queue_.backend();
  std::size_t const passes = DenseTransform<Real>::footprint(backend, 1);
  for (int const n : {1, 2, 3, 7, 16, 40, 129, 257}) {
    std::size_t const bound = DenseTransform<Real>::footprint(backend, n);
    auto const seed = static_cast<unsigned>(n);
    for (auto const& modes : {random_matrices(n, seed), mirrored_matrices(n, seed)}) {
      DenseTransform<Real> const transform(this->queue_, modes);
      EXPECT_GE(bound, Buffer::footprint(backend, Space::device, transform.bytes())) << n;
    }
    // Matrices in two layouts, padded to whole register tiles.
    auto const most = std::size_t{4} * static_cast<std::size_t>(n + 64) *
                      static_cast<std::size_t>(n + 256) * sizeof(Real);
    EXPECT_LE(bound, passes + most + (std::size_t{1} << 21)) << n;
  }
}

}  // namespace
}  // namespace isotherm::test
