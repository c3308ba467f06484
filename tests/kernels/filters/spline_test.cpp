#include "kernels/filters/spline.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "tests/support/backends.hpp"
#include "tests/support/fields.hpp"
#include "tests/support/oracles/edge_mode_oracle.hpp"

// The coefficients of cubic splines along axes.

namespace isotherm::test {
namespace {

template <class Real>
class Spline : public BackendTest {
 protected:
  Queue queue_ = backend_missing().empty() ? make_queue() : Queue(Backend::cpu);

  /// Splines along y and z, none along x.
  static PerAxis<AxisInterpolation> between(Extent3 points, EdgeMode edge_mode) {
    PerAxis<AxisInterpolation> all{};
    for (int axis = 0; axis < 3; ++axis) all[axis] = {points[axis], 0, 4, edge_mode, axis > 0};
    return all;
  }

  HostBox<double> coefficients(Queue& queue, HostBox<Real> const& values, Extent3 points,
                               EdgeMode edge_mode, GlobalBox nodes) {
    Field<Real> from(queue, points, {});
    write_points(queue, from, values);
    auto const made = spline_coefficients(queue, between(points, edge_mode),
                                          std::as_const(from).view(), {{}, points}, nodes);
    return read_points(queue, *made, made->owned());
  }
};

using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(Spline, Reals);

/// The spline's value at a grid point: (c₋₁ + 4 c₀ + c₁) / 6 along y, then z.
double value_of(HostBox<double> const& c, std::int64_t i, std::int64_t j, std::int64_t k) {
  auto const along_y = [&](std::int64_t n) {
    return (c(i, j - 1, n) + 4.0 * c(i, j, n) + c(i, j + 1, n)) / 6.0;
  };
  return (along_y(k - 1) + 4.0 * along_y(k) + along_y(k + 1)) / 6.0;
}

TYPED_TEST(Spline, InterpolatesTheValuesAndTheirExtension) {
  for (EdgeMode const edge_mode :
       {EdgeMode::wrap, EdgeMode::clamp, EdgeMode::mirror, EdgeMode::zero}) {
    for (Extent3 const points : {Extent3{3, 2, 5}, {4, 40, 3}, {1, 7, 90}}) {
      auto const values = random_points<TypeParam>({{}, points}, 3);
      GlobalBox const nodes{{0, -9, -4}, {points.x, points.y + 5, points.z + 7}};
      auto const found = this->coefficients(this->queue_, values, points, edge_mode, nodes);
      double worst = 0.0;
      for_each({{0, -8, -3}, {points.x, points.y + 4, points.z + 6}},
               [&](std::int64_t i, std::int64_t j, std::int64_t k) {
                 std::int64_t const y = walked_to(j, points.y, edge_mode);
                 std::int64_t const z = walked_to(k, points.z, edge_mode);
                 double const there = y < 0 || z < 0 ? 0.0 : values(i, y, z);
                 worst = std::max(worst, std::abs(value_of(found, i, j + 9, k + 4) - there));
               });
      EXPECT_LE(worst, 1e-14) << points.y << " and " << points.z << " points";
      Queue host(Backend::cpu);
      EXPECT_EQ(found.values, this->coefficients(host, values, points, edge_mode, nodes).values);
    }
  }
}

TYPED_TEST(Spline, SameCoefficientsInAnyBox) {
  Extent3 const points{2, 200, 90};
  auto const values = random_points<TypeParam>({{}, points}, 4);
  Queue& queue = this->queue_;
  auto const whole = this->coefficients(queue, values, points, EdgeMode::mirror, {{}, points});
  GlobalBox const known{{0, 45, 0}, {2, 120, 90}};
  GlobalBox const nodes{{0, 75, 3}, {2, 90, 60}};
  Field<TypeParam> part(queue, known.extent(), {});
  HostBox<TypeParam> some(part.owned());
  for_each(some.box, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
    some(i, j, k) = values(i, j + 45, k);
  });
  write_points(queue, part, some);
  auto const made = spline_coefficients(queue, this->between(points, EdgeMode::mirror),
                                        std::as_const(part).view(), known, nodes);
  auto const found = read_points(queue, *made, made->owned());
  for_each(found.box, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
    EXPECT_EQ(found(i, j, k), whole(i, j + 75, k + 3));
  });
}

TYPED_TEST(Spline, NoSplineAxisNeedsNoCoefficients) {
  Field<TypeParam> const from(this->queue_, {3, 1, 1}, {});
  PerAxis<AxisInterpolation> const none{};
  EXPECT_FALSE(
      spline_coefficients(this->queue_, none, from.view(), {{}, {3, 1, 1}}, {{}, {3, 1, 1}}));
}

}  // namespace
}  // namespace isotherm::test
