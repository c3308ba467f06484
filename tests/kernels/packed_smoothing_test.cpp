#include "kernels/multigrid/packed/packed_smoothing.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "kernels/core/error.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/fields.hpp"

// Smoothing with a packed operator, compared with plain loops in float64.

namespace isotherm::test {
namespace {

constexpr std::int64_t depth = 4;
constexpr Index3 halo{depth, depth, depth};

TEST(Bfloat16, IsTheNearestNumber) {
  EXPECT_EQ(from_bfloat16(to_bfloat16(1.0F)), 1.0F);
  EXPECT_EQ(from_bfloat16(to_bfloat16(-3.0F)), -3.0F);
  EXPECT_TRUE(std::signbit(from_bfloat16(to_bfloat16(-0.0F))));
  // 1 + 2⁻⁷ is the next number after 1; the tie between them goes to the even one.
  EXPECT_EQ(from_bfloat16(to_bfloat16(1.0F + 0x1p-8F)), 1.0F);
  EXPECT_EQ(from_bfloat16(to_bfloat16(1.0F + 0x1.8p-8F)), 1.0F + 0x1p-7F);
  for (float const value : {1e-30F, 3.3e-7F, 0.7F, 123.4F, 8.1e9F, 3e35F}) {
    EXPECT_NEAR(from_bfloat16(to_bfloat16(value)) / value, 1.0F, 0x1p-8F) << value;
  }
}

/// An operator with conductances of 1e-3 to 1e3 and reaction terms at every third point. Some
/// points are fixed; some are isolated.
struct Operator {
  explicit Operator(Extent3 points) {
    LocalBox const box = LocalBox{{}, points}.grown(halo);
    for (unsigned axis = 0; axis < 4; ++axis) {
      values.push_back(random_points<float>(box, 10U + axis));
      for (float& g : values.back().values) g = std::pow(10.0F, 3.0F * g);
    }
    std::size_t n = 0;
    for (float& reaction : values[3].values) {
      if (++n % 3 != 0) reaction = 0.0F;
    }
    n = 0;
    for (float& g : values[0].values) {
      if (++n % 7 == 0) g = n % 21 == 0 ? -0.0F : -g;
    }
  }

  /// Returns the rounded conductance to the next point along an axis; axis 3: the reaction term.
  [[nodiscard]] double operator()(std::size_t axis, Index3 p) const {
    return std::abs(from_bfloat16(to_bfloat16(values[axis](p.x, p.y, p.z))));
  }
  [[nodiscard]] bool is_fixed(Index3 p) const { return std::signbit(values[0](p.x, p.y, p.z)); }

  std::vector<HostBox<float>> values;
};

/// A point's diagonal, and its residual.
struct Row {
  double diagonal, residual;
};

Row row_of(Operator const& op, HostBox<double> const& e, HostBox<float> const& source, Index3 p) {
  Row row{op(3, p), source(p.x, p.y, p.z) - op(3, p) * e(p.x, p.y, p.z)};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (int const side : {-1, 1}) {
      Index3 neighbour = p;
      neighbour[static_cast<int>(axis)] += side;
      double const g = op(axis, side < 0 ? neighbour : p);
      row.diagonal += g;
      row.residual += g * (e(neighbour.x, neighbour.y, neighbour.z) - e(p.x, p.y, p.z));
    }
  }
  return row;
}

/// The fields of a pass and its expected result.
struct Expected {
  HostBox<double> correction, residual;
};

/// Performs a pass by plain loops. Each sweep covers a layer less beyond the region.
Expected expected(PackedPass pass, Operator const& op, HostBox<float> const& before,
                  HostBox<float> const& source, std::vector<float> const& weights, LocalBox region,
                  LocalBox free) {
  HostBox<double> e(before.box);
  if (pass != PackedPass::three_sweeps_from_zero) {
    for (std::size_t n = 0; n < e.values.size(); ++n) e.values[n] = before.values[n];
  }
  auto const moves = [&](Index3 p) { return free.contains(LocalBox{p, p + Index3{1, 1, 1}}); };
  int layers = packed_depth(pass) - 1;
  std::size_t const sweeps = pass == PackedPass::sweep_and_residual ? 1 : weights.size();
  for (std::size_t n = 0; n < sweeps; ++n, --layers) {
    HostBox<double> const last = e;
    for_each(region.grown({layers, layers, layers}),
             [&](std::int64_t i, std::int64_t j, std::int64_t k) {
               if (!moves({i, j, k}) || op.is_fixed({i, j, k})) return;
               auto const [diagonal, residual] = row_of(op, last, source, {i, j, k});
               e(i, j, k) += static_cast<double>(weights[n]) * residual / diagonal;
             });
  }
  HostBox<double> left(region);
  for_each(region, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
    bool const is_kept = !moves({i, j, k}) || op.is_fixed({i, j, k});
    left(i, j, k) = is_kept ? 0.0 : row_of(op, e, source, {i, j, k}).residual;
  });
  return {part_of(e, region), left};
}

class PackedSmoothingTest : public BackendTest {
 protected:
  void SetUp() override {
    BackendTest::SetUp();
    if (!has_packed_smoothing(queue_)) {
      GTEST_SKIP() << "this backend smooths with float32 coefficients";
    }
  }

  /// Expects that a pass agrees with plain loops up to the rounding of float32.
  void expect_smoothed(PackedPass pass, Extent3 points, LocalBox region, LocalBox free) {
    SCOPED_TRACE("pass " + std::to_string(static_cast<int>(pass)));
    Operator const op(points);
    LocalBox const box = LocalBox{{}, points}.grown(halo);
    HostBox<float> const source = random_points<float>(box, 2);
    HostBox<float> before = random_points<float>(box, 3);
    for_each(box, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
      bool const is_free = free.contains(LocalBox{{i, j, k}, {i + 1, j + 1, k + 1}});
      if (!is_free || op.is_fixed({i, j, k})) before(i, j, k) = 0.0F;
    });
    std::vector<float> const weights = pass == PackedPass::three_sweeps_from_zero
                                           ? std::vector<float>{1.7F, 0.7F, 1.2F}
                                           : std::vector<float>{0.7F, 1.2F};
    auto const [correction, residual] = expected(pass, op, before, source, weights, region, free);

    std::vector<Field<float>> fields;
    for (int n = 0; n < 8; ++n) fields.emplace_back(queue_, points, halo);
    Conductances<float, 3> flow{};
    for (std::size_t n = 0; n < 4; ++n) write_points(queue_, fields[n], op.values[n]);
    flow.x = std::as_const(fields[0]).view();
    flow.y = std::as_const(fields[1]).view();
    flow.z = std::as_const(fields[2]).view();
    flow.reaction = std::as_const(fields[3]).view();
    write_points(queue_, fields[4], source);
    write_points(queue_, fields[5], before);
    Extent3 const groups{(points.x + 3) / 4, points.y, points.z};
    Field<PackedGroup> x_and_y(queue_, groups, {1, depth, depth});
    Field<PackedGroup> z_and_reaction(queue_, groups, {1, depth, depth});
    pack_operator(queue_, flow, {x_and_y.view(), z_and_reaction.view()});
    PackedSmoothing by;
    by.op = {x_and_y.view(), z_and_reaction.view()};
    if (pass != PackedPass::three_sweeps_from_zero) {
      by.correction = std::as_const(fields[5]).view();
    }
    by.source = std::as_const(fields[4]).view();
    by.out = fields[6].view();
    if (pass == PackedPass::sweep_and_residual) by.residual = fields[7].view();
    for (std::size_t n = 0; n < weights.size(); ++n) by.weights[n] = weights[n];
    by.region = region;
    by.free = free;
    smooth_packed(queue_, pass, by);

    expect_near(read_points(queue_, fields[6], region), correction, 1.0);
    if (pass == PackedPass::sweep_and_residual) {
      expect_near(read_points(queue_, fields[7], region), residual, 1e4);
    }
    // Nothing else is written.
    auto const all = read_points(queue_, fields[6], box);
    for_each(box, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
      bool const written = region.contains(LocalBox{{i, j, k}, {i + 1, j + 1, k + 1}});
      ASSERT_TRUE(written || all(i, j, k) == 0.0F) << i << ' ' << j << ' ' << k;
    });
  }
  static void expect_near(HostBox<float> const& found, HostBox<double> const& wanted,
                          double magnitude) {
    for_each(wanted.box, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
      double const bound = 100.0 * std::numeric_limits<float>::epsilon() *
                           std::max(magnitude, std::abs(wanted(i, j, k)));
      ASSERT_NEAR(found(i, j, k), wanted(i, j, k), bound) << i << ' ' << j << ' ' << k;
    });
  }
  void expect_smoothed(Extent3 points, LocalBox region, LocalBox free) {
    for (auto const pass : {PackedPass::two_sweeps, PackedPass::three_sweeps_from_zero,
                            PackedPass::sweep_and_residual}) {
      expect_smoothed(pass, points, region, free);
    }
  }

  Queue queue_ = backend_missing().empty() ? make_queue() : Queue(Backend::cpu);
};

TEST_F(PackedSmoothingTest, MatchesPlainLoops) {
  for (Extent3 const points : {Extent3{37, 9, 6}, Extent3{140, 61, 19}, Extent3{1, 1, 2},
                               Extent3{127, 10, 40}, Extent3{257, 19, 3}, Extent3{56, 20, 64}}) {
    SCOPED_TRACE(std::to_string(points.x));
    LocalBox const box{{}, points};
    expect_smoothed(points, box, box);
    expect_smoothed(points, box, box.grown({3, 3, 3}));
    expect_smoothed(points, box, box.grown({3, 0, -1}));
  }
}

/// Regions such as the interior and the rims of a rank's points.
TEST_F(PackedSmoothingTest, MatchesPlainLoopsInAnyRegion) {
  Extent3 const points{140, 23, 21};
  LocalBox const box{{}, points};
  LocalBox const interior = box.grown({-2, -2, -2});
  for (int axis = 0; axis < 3; ++axis) {
    LocalBox lower = interior, upper = interior;
    lower.lower[axis] = 0;
    lower.upper[axis] = 2;
    upper.lower[axis] = points[axis] - 2;
    upper.upper[axis] = points[axis];
    expect_smoothed(points, lower, box.grown({3, 3, 3}));
    expect_smoothed(points, upper, box.grown({3, 3, 3}));
  }
  expect_smoothed(points, interior, box);
  expect_smoothed(points, box, {{3, 2, 1}, {129, 20, 19}});
}

TEST_F(PackedSmoothingTest, RefusesFieldsWithoutGhostLayers) {
  Field<float> source(queue_, {8, 8, 8}, {1, 1, 1}), out(queue_, {8, 8, 8}, {1, 1, 1});
  Field<PackedGroup> op(queue_, {2, 8, 8}, {1, 1, 1});
  PackedSmoothing by;
  by.op = {op.view(), op.view()};
  by.source = by.correction = std::as_const(source).view();
  by.out = out.view();
  by.region = {{0, 0, 0}, {8, 8, 8}};
  by.free = by.region.grown({2, 2, 2});
  EXPECT_THROW(smooth_packed(queue_, PackedPass::two_sweeps, by), Error);
}

}  // namespace
}  // namespace isotherm::test
