#include <gtest/gtest.h>

#include <cstdint>

#include "io/picture/figure/figure.hpp"
#include "tests/io/picture/whole_views.hpp"

// The upper bound on the size of a picture file.

namespace isotherm::test {
namespace {

/// Incompressible values.
SliceSamples noise(std::int64_t columns, std::int64_t rows) {
  SliceSamples samples{columns, rows};
  std::uint64_t state = 1;
  for (std::int64_t i = 0; i < columns * rows; ++i) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    samples.values.push_back(static_cast<double>(state >> 40) / static_cast<double>(1 << 24));
  }
  return samples;
}

TEST(PictureSize, BoundHoldsForNoise) {
  Grid const plane = make_grid(2, {720, 720, 1}, {}, {1, 1, 0}, {});
  Grid const brick = make_grid(3, {720, 1188, 720}, {}, {20, 33, 20}, {});
  SliceSamples const square = noise(720, 720);
  for (PictureFormat const format : {PictureFormat::png, PictureFormat::svg, PictureFormat::pdf}) {
    PictureOptions const options{std::string(200, 'W'), "u", format};
    auto const bytes = [&](Grid const& grid, std::vector<SliceSamples> const& samples) {
      return static_cast<double>(drawn_figure(whole_views(grid, samples), {0, 1}, options).size());
    };
    double const bound = max_picture_bytes(format, {});
    EXPECT_LT(bytes(plane, {square}), bound) << name(format);
    if (format == PictureFormat::png) {
      EXPECT_LT(bytes(brick, {square, square, square}), bound);
    }
  }
}

}  // namespace
}  // namespace isotherm::test
