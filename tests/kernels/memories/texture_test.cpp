#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "kernels/core/error.hpp"
#include "kernels/memories/texture_sampling.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/fields.hpp"

// Interpolation by the nearest point, and by the texture units of a GPU.

namespace isotherm::test {
namespace {

/// A field of random values, and places inside and outside of it.
class Textures : public BackendTest, public testing::WithParamInterface<EdgeMode> {
 protected:
  Queue queue_ = backend_missing().empty() ? make_queue() : Queue(Backend::cpu);

  static PerAxis<AxisInterpolation> between(Extent3 points, int nodes, EdgeMode edge_mode) {
    PerAxis<AxisInterpolation> all{};
    for (int axis = 0; axis < 3; ++axis) {
      int const fitting = points[axis] > 1 ? nodes : 1;
      all[axis] = {points[axis], 0, fitting, edge_mode};
    }
    return all;
  }
  static PlaceOfPoint places(Extent3 points) {
    return {{-1.3, 8.7, points.z > 1 ? 0.4 : 0.0},
            {{0.71, 0.03, -0.02}, {-0.011, -1.9, 0.3}, {0.0, points.z > 1 ? 0.25 : 0.0, 1.7}},
            {0, 0, 0}};
  }
  Field<float> random_field(Extent3 points) {
    Field<float> field(queue_, points, {});
    write_points(queue_, field, random_points<float>(field.owned(), 7));
    return field;
  }
  std::vector<float> by_formula(Field<float> const& from, int nodes, EdgeMode edge_mode,
                                Extent3 targets) {
    Extent3 const points = from.owned().extent();
    Field<float> to(queue_, targets, {});
    interpolate<float>(queue_, from.view(), between(points, nodes, edge_mode), to.view(),
                       to.owned(), places(points));
    return read_points(queue_, to, to.owned()).values;
  }
  std::vector<float> by_texture(Field<float> const& from, TextureFilter filter, EdgeMode edge_mode,
                                Extent3 targets) {
    Extent3 const points = from.owned().extent();
    Field<float> to(queue_, targets, {});
    TextureSampler const sampler(queue_, from.view(), between(points, 2, edge_mode), filter);
    sampler.sample(to.view(), to.owned(), places(points));
    return read_points(queue_, to, to.owned()).values;
  }
  /// Returns the largest error of linear filters in a field of 0 and 1 in turn along all axes.
  double largest_error_between_0_and_1(Extent3 points, Extent3 targets, PlaceOfPoint const& place) {
    Field<float> from(queue_, points, {});
    HostBox<float> values(from.owned());
    for_each(values.box, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
      values(i, j, k) = static_cast<float>((i + j + k) % 2);
    });
    write_points(queue_, from, values);
    auto const axes = between(points, 2, EdgeMode::clamp);
    auto const view = std::as_const(from).view();
    Field<float> exact(queue_, targets, {});
    Field<float> found(queue_, targets, {});
    interpolate<float>(queue_, view, axes, exact.view(), exact.owned(), place);
    TextureSampler const sampler(queue_, view, axes, TextureFilter::linear);
    sampler.sample(found.view(), found.owned(), place);
    auto const expected = read_points(queue_, exact, exact.owned()).values;
    auto const values_found = read_points(queue_, found, found.owned()).values;
    double largest = 0.0;
    for (std::size_t n = 0; n < expected.size(); ++n) {
      largest = std::max(largest, std::abs(double{values_found[n]} - double{expected[n]}));
    }
    return largest;
  }
};

TEST_F(Textures, NearestPointIsThatOfTheRoundedPlace) {
  Field<float> line(queue_, {5, 1, 1}, {});
  HostBox<float> values(line.owned());
  for (std::int64_t i = 0; i < 5; ++i) values(i, 0, 0) = static_cast<float>(i);
  write_points(queue_, line, values);
  PlaceOfPoint const place{{-0.75, 0.0, 0.0}, {{0.25, 0, 0}, {0, 0, 0}, {0, 0, 0}}, {0, 0, 0}};
  Field<float> to(queue_, {24, 1, 1}, {});
  for (EdgeMode const edge_mode : {EdgeMode::clamp, EdgeMode::wrap}) {
    interpolate<float>(queue_, std::as_const(line).view(), between({5, 1, 1}, 1, edge_mode),
                       to.view(), to.owned(), place);
    auto const found = read_points(queue_, to, to.owned());
    for (std::int64_t n = 0; n < 24; ++n) {
      double const at = std::floor(-0.75 + 0.25 * static_cast<double>(n) + 0.5);
      double const expected =
          edge_mode == EdgeMode::wrap ? at - 5.0 * std::floor(at / 5.0) : std::clamp(at, 0.0, 4.0);
      EXPECT_EQ(static_cast<double>(found(n, 0, 0)), expected) << n;
    }
  }
}

TEST_F(Textures, NeedAGpuAndAxesThatDoNotWrap) {
  EXPECT_EQ(obstacle_to_texture(between({9, 8, 1}, 2, EdgeMode::mirror)), "");
  EXPECT_EQ(obstacle_to_texture(between({9, 8, 1}, 2, EdgeMode::wrap)),
            "the x axis wraps, which textures of a part cannot");
  Queue cpu(Backend::cpu);
  Field<float> const field(cpu, {4, 4, 1}, {});
  EXPECT_THROW(Texture(cpu, field.view(), field.owned(), TextureFilter::linear), Error);
}

// Weights have 8 bits behind the point. At these few places they are within half a unit, 2⁻⁹, along
// each axis. The values are within [−1, 1).
TEST_P(Textures, LinearFilterIsWithinItsNineBits) {
  if (queue_.backend() == Backend::cpu) GTEST_SKIP() << "the CPU has no textures";
  for (Extent3 const points : {Extent3{13, 9, 7}, Extent3{130, 67, 1}}) {
    Field<float> const from = random_field(points);
    Extent3 const targets{21, 5, points.z > 1 ? 4 : 1};
    auto const exact = by_formula(from, 2, GetParam(), targets);
    auto const found = by_texture(from, TextureFilter::linear, GetParam(), targets);
    int const axes = points.z > 1 ? 3 : 2;
    for (std::size_t n = 0; n < exact.size(); ++n) {
      EXPECT_NEAR(found[n], exact[n], axes * 2.0 / 512.0 + 1e-5) << n;
    }
  }
}

// Fractions that were truncated to 8 bits would be off by up to 1/256.
TEST_F(Textures, FractionsAreRoundedToTheNearest256th) {
  if (queue_.backend() == Backend::cpu) GTEST_SKIP() << "the CPU has no textures";
  for (int axis = 0; axis < 3; ++axis) {
    Extent3 points{1, axis == 2 ? 2 : 1, 1};  // two rows, so a 3D texture has planes
    points[axis] = 9;
    PlaceOfPoint along{};
    along.step[axis][0] = 1.0 / 512.512;  // hardly any place is midway between two fractions
    double const error = largest_error_between_0_and_1(points, {4096, 1, 1}, along);
    EXPECT_LE(error, 1.0 / 512.0 + 1e-6) << axis;
    EXPECT_GE(error, 0.9 / 512.0) << axis;
  }
}

// Half of the products belong to points with the value 1. Three roundings of fractions alone stay
// below 3/512. If the four products in 3D are rounded, too, the bound is 7/512; in 2D 4/512.
TEST_F(Textures, ProductsOfWeightsAreRoundedToo) {
  if (queue_.backend() == Backend::cpu) GTEST_SKIP() << "the CPU has no textures";
  PlaceOfPoint cell{};
  for (int axis = 0; axis < 3; ++axis) cell.step[axis][axis] = 16.0 / 229.0;
  double const cube = largest_error_between_0_and_1({17, 17, 17}, {128, 32, 16}, cell);
  EXPECT_GE(cube, 3.1 / 512.0);
  EXPECT_LE(cube, 7.0 / 512.0 + 1e-6);
  PlaceOfPoint plane{};
  for (int axis = 0; axis < 2; ++axis) plane.step[axis][axis] = 0.04;
  double const square = largest_error_between_0_and_1({17, 17, 2}, {400, 400, 1}, plane);
  EXPECT_GE(square, 2.1 / 512.0);
  EXPECT_LE(square, 4.0 / 512.0 + 1e-6);
}

TEST_P(Textures, NearestFilterTakesTheSamePoints) {
  if (queue_.backend() == Backend::cpu) GTEST_SKIP() << "the CPU has no textures";
  for (Extent3 const points : {Extent3{13, 9, 7}, Extent3{130, 67, 1}}) {
    Field<float> const from = random_field(points);
    Extent3 const targets{21, 5, points.z > 1 ? 4 : 1};
    // Places midway between two points are rounded in another way.
    auto const exact = by_formula(from, 1, GetParam(), targets);
    auto const found = by_texture(from, TextureFilter::nearest, GetParam(), targets);
    std::size_t others = 0;
    for (std::size_t n = 0; n < exact.size(); ++n) others += found[n] == exact[n] ? 0 : 1;
    EXPECT_LE(20 * others, exact.size());
  }
}

INSTANTIATE_TEST_SUITE_P(Edges, Textures,
                         testing::Values(EdgeMode::clamp, EdgeMode::mirror, EdgeMode::zero));

}  // namespace
}  // namespace isotherm::test
