#include "kernels/filters/interpolation.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "kernels/core/error.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/fields.hpp"

// Interpolation between grid points, and beyond the grid's edges.

namespace isotherm::test {
namespace {

using Function = std::function<double(double x, double y, double z)>;

template <class Real>
class Interpolation : public BackendTest {
 protected:
  static constexpr Extent3 points{13, 9, 7};
  static constexpr Extent3 targets{21, 5, 4};

  Queue queue_ = backend_missing().empty() ? make_queue() : Queue(Backend::cpu);
  Field<Real> from_{queue_, points, {}};

  void fill(Function const& function) {
    HostBox<Real> values(from_.owned());
    for_each(values.box, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
      values(i, j, k) = static_cast<Real>(
          function(static_cast<double>(i), static_cast<double>(j), static_cast<double>(k)));
    });
    write_points(queue_, from_, values);
  }

  static PerAxis<AxisInterpolation> between(int nodes, EdgeMode edge_mode) {
    PerAxis<AxisInterpolation> all{};
    for (int axis = 0; axis < 3; ++axis) all[axis] = {points[axis], 0, nodes, edge_mode};
    return all;
  }

  /// Target places, most inside the grid and some up to two points outside.
  static constexpr PlaceOfPoint places{
      {-1.3, 8.7, 0.4}, {{0.71, 0.03, -0.02}, {-0.011, -1.9, 0.3}, {0.0, 0.25, 1.7}}, {0, 0, 0}};

  /// Interpolates at all targets and calls visit(value, place) for each.
  template <class Visit>
  void visit_interpolated(PerAxis<AxisInterpolation> const& axes, PlaceOfPoint const& place,
                          Visit const& visit) {
    Field<Real> to(queue_, targets, {1, 1, 1});
    interpolate<Real>(queue_, std::as_const(from_).view(), axes, to.view(), to.owned(), place);
    auto const found = read_points(queue_, to, to.owned());
    for_each(to.owned(), [&](std::int64_t i, std::int64_t j, std::int64_t k) {
      std::array<double, 3> at{};
      for (std::size_t a = 0; a < 3; ++a) {
        double const* const step = place.step[a];
        at[a] = place.offset[a] + step[0] * static_cast<double>(i + place.first.x) +
                step[1] * static_cast<double>(j + place.first.y) +
                step[2] * static_cast<double>(k + place.first.z);
      }
      visit(static_cast<double>(found(i, j, k)), at);
    });
  }

  static bool is_inside(std::array<double, 3> const& at) {
    return at[0] >= 0.0 && at[0] <= 12.0 && at[1] >= 0.0 && at[1] <= 8.0 && at[2] >= 0.0 &&
           at[2] <= 6.0;
  }
};

using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(Interpolation, Reals);

double linear(double x, double y, double z) { return 1.0 + 0.5 * x - 2.0 * y + x * y * z; }
double cubic(double x, double y, double z) {
  return 3.0 + x * x * x - 4.0 * x * y * y + 0.1 * x * x * y * y * y * z * z * z - z;
}

TYPED_TEST(Interpolation, ReproducesPolynomialsUpToTheBoundary) {
  for (auto const& [nodes, function] :
       {std::pair<int, Function>{2, linear}, std::pair<int, Function>{4, cubic}}) {
    this->fill(function);
    int inside = 0;
    this->visit_interpolated(
        this->between(nodes, EdgeMode::clamp), this->places,
        [&, &function = function](double value, std::array<double, 3> const& at) {
          if (!this->is_inside(at)) return;
          ++inside;
          double const scale = nodes == 2 ? 600.0 : 2e6;  // magnitude of the values
          EXPECT_NEAR(value, function(at[0], at[1], at[2]),
                      scale * 8.0 * std::numeric_limits<TypeParam>::epsilon());
        });
    EXPECT_GT(inside, 100);
  }
}

TYPED_TEST(Interpolation, ExtendsFieldsByEveryKindOfBoundary) {
  this->fill([](double x, double y, double z) { return x + 20.0 * y + 400.0 * z; });
  auto const expected = [](double at, double last, EdgeMode edge_mode) -> double {
    if (at >= 0.0 && at <= last) return at;
    if (edge_mode == EdgeMode::clamp) return at < 0.0 ? 0.0 : last;
    if (edge_mode == EdgeMode::mirror) return at < 0.0 ? -at : 2.0 * last - at;
    // The interval between the last point and the first one, and then the period.
    double const round = at < 0.0 ? at + last + 1.0 : at;
    return round > last + 1.0 ? round - last - 1.0
           : round > last     ? last * (last + 1.0 - round)
                              : round;
  };
  for (EdgeMode const edge_mode :
       {EdgeMode::clamp, EdgeMode::mirror, EdgeMode::wrap, EdgeMode::zero}) {
    this->visit_interpolated(
        this->between(2, edge_mode), this->places,
        [&](double value, std::array<double, 3> const& at) {
          double wanted = expected(at[0], 12.0, edge_mode) +
                          20.0 * expected(at[1], 8.0, edge_mode) +
                          400.0 * expected(at[2], 6.0, edge_mode);
          if (edge_mode == EdgeMode::zero && !this->is_inside(at)) wanted = 0.0;
          EXPECT_NEAR(value, wanted, 4e4 * std::numeric_limits<TypeParam>::epsilon())
              << at[0] << ", " << at[1] << ", " << at[2] << ": " << static_cast<int>(edge_mode);
        });
  }
}

TYPED_TEST(Interpolation, ReproducesValuesAtGridPoints) {
  this->fill([](double x, double y, double z) { return std::sin(x + 3.0 * y) + z; });
  PlaceOfPoint const place{
      {0.0, 0.0, 0.0}, {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}, {-4, 2, 1}};
  for (int const nodes : {1, 2, 4}) {
    this->visit_interpolated(this->between(nodes, EdgeMode::wrap), place,
                             [&](double value, std::array<double, 3> const& at) {
                               double const x = std::fmod(at[0] + 26.0, 13.0);
                               EXPECT_EQ(value,
                                         static_cast<TypeParam>(std::sin(x + 3.0 * at[1]) + at[2]));
                             });
  }
}

TYPED_TEST(Interpolation, RefusesMoreNodesThanPoints) {
  auto axes = this->between(4, EdgeMode::clamp);
  axes[2].points = 3;
  Field<TypeParam> to(this->queue_, this->targets, {});
  EXPECT_THROW(interpolate<TypeParam>(this->queue_, std::as_const(this->from_).view(), axes,
                                      to.view(), to.owned(), this->places),
               Error);
}

}  // namespace
}  // namespace isotherm::test
