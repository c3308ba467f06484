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
