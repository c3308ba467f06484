#include "kernels/multigrid/coarsest/modes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "kernels/core/error.hpp"
#include "kernels/core/queue/memory.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/fields.hpp"

// Compares the modal solution with plain loops. Random matrices replace the eigenvectors.

namespace isotherm::test {
namespace {

template <class Real>
constexpr double epsilon = std::numeric_limits<Real>::epsilon();

template <class Real>
class ByModes : public BackendTest {
 protected:
  /// Random matrices of one axis; ones if the axis has a single point.
  struct Axis {
    int count;
    std::vector<Real> eigenvalues, to_modes, to_points;
    Buffer numbers{};

    [[nodiscard]] std::size_t at(int row, int column) const {
      return static_cast<std::size_t>(row) * static_cast<std::size_t>(mode_pitch(count)) +
             static_cast<std::size_t>(column);
    }
    [[nodiscard]] AxisModes<Real> modes() const {
      Real const* const first = numbers.as<Real const>();
      return {count, first, first + eigenvalues.size(),
              first + eigenvalues.size() + to_modes.size()};
    }
  };
  Axis axis_of(std::int64_t count, std::uint32_t seed) {
    int const n = static_cast<int>(count);
    std::int64_t const pitch = mode_pitch(n);
    Axis axis{n, random_points<Real>({{0, 0, 0}, {pitch, 1, 1}}, seed).values,
              random_points<Real>({{0, 0, 0}, {pitch, count, 1}}, seed + 1).values,
              random_points<Real>({{0, 0, 0}, {pitch, count, 1}}, seed + 2).values};
    for (Real& value : axis.eigenvalues) value = std::abs(value) + Real{1};
    if (count == 1) axis.to_modes[0] = axis.to_points[0] = Real{1};
    std::vector<Real> all = axis.eigenvalues;
    all.insert(all.end(), axis.to_modes.begin(), axis.to_modes.end());
    all.insert(all.end(), axis.to_points.begin(), axis.to_points.end());
    axis.numbers = Buffer(queue_, Space::device, all.size() * sizeof(Real));
    copy_bytes(queue_, axis.numbers.data(), all.data(), all.size() * sizeof(Real));
    queue_.wait();
    return axis;
  }

  /// Σ_q matrix[q, p] values[…, q, …] along `axis`, for a box that begins at zero.
  static HostBox<double> along(HostBox<double> const& values, int axis, Axis const& line,
                               std::vector<Real> const& matrix) {
    HostBox<double> result(values.box);
    for_each(values.box, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
      Index3 from{i, j, k};
      int const p = static_cast<int>(from[axis]);
      double sum = 0.0;
      for (int q = 0; q < line.count; ++q) {
        from[axis] = q;
        sum += static_cast<double>(matrix[line.at(q, p)]) * values(from.x, from.y, from.z);
      }
      result(i, j, k) = sum;
    });
    return result;
  }

  Queue queue_ = backend_missing().empty() ? make_queue() : Queue(Backend::cpu);
};
using Reals = ::testing::Types<float, double>;
TYPED_TEST_SUITE(ByModes, Reals);

TYPED_TEST(ByModes, TransformsScalesAndTransformsBack) {
  std::uint32_t seed = 1;
  for (Extent3 const n :
       {Extent3{1, 1, 1}, Extent3{4, 4, 4}, Extent3{2, 3, 5}, Extent3{17, 17, 17},
        Extent3{71, 71, 1}, Extent3{2, 32, 80}, Extent3{80, 32, 2}, Extent3{1, 127, 1},
        Extent3{5, 1, 7}, Extent3{1, 2, 2000}, Extent3{16, 15, 17}}) {
    std::string const what =
        std::to_string(n.x) + " x " + std::to_string(n.y) + " x " + std::to_string(n.z) + " points";
    LocalBox const box{{1, 2, 0}, Index3{1, 2, 0} + n};
    Field<TypeParam> from(this->queue_, box.upper, {1, 1, 1});
    Field<TypeParam> to(this->queue_, box.upper, {2, 1, 0});
    auto const values = random_points<TypeParam>(from.layout().box(), seed += 10);
    auto const before = random_points<TypeParam>(to.layout().box(), seed += 10);
    write_points(this->queue_, from, values);
    write_points(this->queue_, to, before);
    auto const x = this->axis_of(n.x, seed += 10);
    auto const y = this->axis_of(n.y, seed += 10);
    auto const z = this->axis_of(n.z, seed += 10);
    Modes<TypeParam> const modes{x.modes(), y.modes(), z.modes(), TypeParam{0.5}};

    solve_by_modes(this->queue_, modes, std::as_const(from).view(), to.view(), box);

    HostBox<double> want({{0, 0, 0}, n});
    for_each(want.box, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
      want(i, j, k) = static_cast<double>(values(i + 1, j + 2, k));
    });
    want = this->along(want, 0, x, x.to_modes);
    want = this->along(want, 1, y, y.to_modes);
    want = this->along(want, 2, z, z.to_modes);
    for_each(want.box, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
      auto const value_at = [](auto const& axis, std::int64_t at) {
        return static_cast<double>(axis.eigenvalues[static_cast<std::size_t>(at)]);
      };
      want(i, j, k) /= value_at(x, i) + value_at(y, j) + value_at(z, k) + 0.5;
    });
    want = this->along(want, 0, x, x.to_points);
    want = this->along(want, 1, y, y.to_points);
    want = this->along(want, 2, z, z.to_points);
    double largest = 0.0;
    for (double const value : want.values) largest = std::max(largest, std::abs(value));
    auto const after = read_points(this->queue_, to, before.box);
    double const terms = static_cast<double>(2 * (n.x + n.y + n.z)) + 10.0;
    for_each(before.box, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
      if (!box.contains(i, j, k)) {
        ASSERT_EQ(after(i, j, k), before(i, j, k)) << what << ": written outside of the box";
        return;
      }
      ASSERT_NEAR(static_cast<double>(after(i, j, k)), want(i - 1, j - 2, k),
                  terms * epsilon<TypeParam> * (1.0 + largest))
          << what;
    });
  }
}

TYPED_TEST(ByModes, ZeroEigenvalueIsProjectedOut) {
  auto x = this->axis_of(1, 3);
  std::vector<TypeParam> const zero(1, TypeParam{0});
  copy_bytes(this->queue_, x.numbers.data(), zero.data(), sizeof(TypeParam));
  Field<TypeParam> field(this->queue_, {1, 1, 1}, {0, 0, 0});
  Field<TypeParam> result(this->queue_, {1, 1, 1}, {0, 0, 0});
  write_points(this->queue_, field, random_points<TypeParam>({{0, 0, 0}, {1, 1, 1}}, 7));

  Modes<TypeParam> const modes{x.modes(), x.modes(), x.modes(), TypeParam{2}};
  solve_by_modes(this->queue_, modes, std::as_const(field).view(), result.view(),
                 {{0, 0, 0}, {1, 1, 1}});
  EXPECT_EQ(read_points(this->queue_, result, {{0, 0, 0}, {1, 1, 1}})(0, 0, 0), TypeParam{0});
}

TYPED_TEST(ByModes, RefusesMismatchedSizes) {
  auto const x = this->axis_of(20, 3);
  auto const y = this->axis_of(19, 3);
  Field<TypeParam> field(this->queue_, {20, 20, 20}, {0, 0, 0});
  Field<TypeParam> small(this->queue_, {19, 20, 20}, {0, 0, 0});
  auto const solve = [&](Modes<TypeParam> const& modes, Field<TypeParam>& to, LocalBox box) {
    solve_by_modes(this->queue_, modes, std::as_const(field).view(), to.view(), box);
  };
  auto const one = this->axis_of(1, 5);
  Modes<TypeParam> const plane{x.modes(), x.modes(), one.modes(), TypeParam{0}};

  EXPECT_NO_THROW(solve(plane, field, {{0, 0, 0}, {20, 20, 1}}));
  EXPECT_NO_THROW(solve(plane, field, {}));
  EXPECT_THROW(solve(plane, small, {{0, 0, 0}, {20, 20, 1}}), Error);  // exceeds `to`
  EXPECT_THROW(solve(plane, field, {{0, 0, 0}, {20, 19, 1}}), Error);
  EXPECT_THROW(
      solve({x.modes(), x.modes(), y.modes(), TypeParam{0}}, field, {{0, 0, 0}, {20, 20, 19}}),
      Error);  // too many points
}

}  // namespace
}  // namespace isotherm::test
