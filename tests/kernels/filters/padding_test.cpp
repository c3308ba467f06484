#include "kernels/filters/padding.hpp"

#include <gtest/gtest.h>

#include <array>
#include <utility>

#include "kernels/core/error.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/fields.hpp"
#include "tests/support/oracles/edge_mode_oracle.hpp"

// Ghost points beyond the edges of a field: wrapped, mirrored, repeated or zero.

namespace isotherm::test {
namespace {

constexpr std::array all_edge_modes{EdgeMode::wrap, EdgeMode::clamp, EdgeMode::mirror,
                                    EdgeMode::zero};

TEST(EdgeIndex, WrapsOrReflectsRepeatedly) {
  for (EdgeMode const edge_mode : all_edge_modes) {
    for (std::int64_t const n : {1, 2, 3, 5, 8}) {
      for (std::int64_t at = -30; at < 40; ++at) {
        EXPECT_EQ(edge_index(at, n, edge_mode), walked_to(at, n, edge_mode)) << at << " of " << n;
      }
    }
  }
}

TEST(PaddingSourceRange, CoverAllReferencedPoints) {
  for (EdgeMode const edge_mode : all_edge_modes) {
    for (std::int64_t const n : {1, 2, 7}) {
      for (std::int64_t lower = -20; lower < 25; ++lower) {
        for (std::int64_t upper = lower + 1; upper < 26; ++upper) {
          auto const [first, end] = padding_source_range(lower, upper, n, edge_mode);
          EXPECT_TRUE(0 <= first && first < end && end <= n);
          for (std::int64_t at = lower; at < upper; ++at) {
            std::int64_t const point = walked_to(at, n, edge_mode);
            EXPECT_TRUE(point < 0 || (first <= point && point < end)) << at << " of " << n;
          }
          bool const within = lower >= 0 && upper <= n;
          EXPECT_TRUE(!within || (first == lower && end == upper));
        }
      }
    }
  }
}

class Padding : public BackendTest {
 protected:
  Queue queue_ = backend_missing().empty() ? make_queue() : Queue(Backend::cpu);
};

TEST_F(Padding, FillGhostPointsByTheirImages) {
  Extent3 const points{5, 4, 3};
  Field<float> from(queue_, points, {});
  auto const values = random_points<float>(from.owned(), 5);
  write_points(queue_, from, values);
  for (EdgeMode const edge_mode : all_edge_modes) {
    PerAxis<AxisPadding> const ends{
        AxisPadding{5, edge_mode, 0, -1}, {4, EdgeMode::clamp, 0, 0}, {3, edge_mode, 0, 4}};
    Field<double> to(queue_, {6, 4, 2}, {9, 0, 1});
    pad(queue_, std::as_const(from).view(), to.view(), ends);
    auto const found = read_points(queue_, to, to.view().box);
    for_each(to.view().box, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
      std::int64_t const x = walked_to(i - 1, 5, edge_mode);
      std::int64_t const z = walked_to(k + 4, 3, edge_mode);
      EXPECT_EQ(found(i, j, k), x < 0 || z < 0 ? 0.0F : values(x, j, z));
    });
  }
}

TEST_F(Padding, RefuseImagesOutsideTheField) {
  Field<float> const from(queue_, {5, 4, 3}, {});
  Field<float> to(queue_, {5, 4, 3}, {1, 0, 0});
  PerAxis<AxisPadding> ends{
      AxisPadding{9, EdgeMode::mirror, 2, 2}, {4}, {3}};  // points 2 to 6 of nine
  EXPECT_THROW(pad(queue_, from.view(), to.view(), ends), Error);
  ends[0] = {9, EdgeMode::mirror, 0, 0};
  EXPECT_THROW(pad(queue_, from.view(), to.view(), ends), Error);
  ends[0] = {5, EdgeMode::mirror, 0, 0};
  EXPECT_NO_THROW(pad(queue_, from.view(), to.view(), ends));
}

}  // namespace
}  // namespace isotherm::test
