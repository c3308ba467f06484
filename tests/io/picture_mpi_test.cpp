#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <png.h>

#include "io/picture/colour_map.hpp"
#include "io/picture/picture.hpp"
#include "tests/io/support.hpp"

namespace isotherm::test {
namespace {

struct Png {
  int width = 0;
  int height = 0;
  std::vector<Colour> points{};

  [[nodiscard]] Colour at(int x, int y) const {
    return points.at(static_cast<std::size_t>(y * width + x));
  }
  /// The leftmost and rightmost column, and top and bottom row, of points of this colour.
  struct Bounds {
    int left, right, top, bottom;
  };
  [[nodiscard]] Bounds bounds_of(Colour colour) const {
    Bounds found{width, -1, height, -1};
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) {
        if (at(x, y) == colour) {
          found = {std::min(found.left, x), std::max(found.right, x), std::min(found.top, y),
                   std::max(found.bottom, y)};
        }
      }
    }
    return found;
  }
};

Png decoded(std::filesystem::path const& path) {
  png_image image;
  std::memset(&image, 0, sizeof image);
  image.version = PNG_IMAGE_VERSION;
  EXPECT_NE(png_image_begin_read_from_file(&image, path.c_str()), 0) << image.message;
  image.format = PNG_FORMAT_RGB;
  Png png{static_cast<int>(image.width), static_cast<int>(image.height)};
  png.points.resize(static_cast<std::size_t>(png.width) * png.height);
  EXPECT_NE(png_image_finish_read(&image, nullptr, png.points.data(), 0, nullptr), 0);
  return png;
}

class Picture : public testing::Test {
 protected:
  /// The picture of `value(global index)`, on every rank.
  template <class Value>
  Png picture_of(Grid const& grid, Value const& value) {
    Subdomain const subdomain(grid, choose_decomposition(grid, world.size()), world.rank());
    std::vector<double> owned;
    Extent3 const n = subdomain.extent();
    for (std::int64_t i = 0; i < n.x * n.y * n.z; ++i) {
      owned.push_back(value(subdomain.to_global(Index3{i % n.x, i / n.x % n.y, i / (n.x * n.y)})));
    }
    write_picture(world, directory / "u.png", subdomain, owned.data(), "u, iteration 20");
    world.barrier();
    return decoded(directory / "u.png");
  }

  mpi::Communicator world{MPI_COMM_WORLD};
  SharedDirectory directory{world};
};

/// 1 in the first quarter of x and the first half of y, else 0.
double in_lower_left(Grid const& grid, Index3 at) {
  return 4 * at.x < grid.points.x && 2 * at.y < grid.points.y ? 1.0 : 0.0;
}

TEST_F(Picture, Of2DKeepsProportionsWithXToTheRightAndYUpwards) {
  Grid const grid = {2, {400, 100, 1}, {0, 0, 0}, {0.5, 1.0, 1.0}, {}};  // twice as wide as high

  Png const png = picture_of(grid, [&](Index3 at) { return in_lower_left(grid, at); });
  auto const zeros = png.bounds_of(colour_of(0.0));  // of the field and of the colour bar
  int const left = zeros.left;

  EXPECT_NEAR(zeros.bottom - zeros.top + 1, 360, 8);
  EXPECT_EQ(png.at(left + 2, zeros.bottom - 2), colour_of(1.0));
  EXPECT_EQ(png.at(left + 170, zeros.bottom - 170), colour_of(1.0));
  EXPECT_EQ(png.at(left + 190, zeros.bottom - 2), colour_of(0.0));
  EXPECT_EQ(png.at(left + 2, zeros.bottom - 190), colour_of(0.0));
  EXPECT_EQ(png.at(left + 717, zeros.top + 2), colour_of(0.0));
}

TEST_F(Picture, HasAColourBarFromTheSmallestToTheLargestValue) {
  Grid const grid = {2, {30, 30, 1}, {0, 0, 0}, {1.0, 1.0, 1.0}, {}};

  Png const png = picture_of(grid, [](Index3 at) { return 5.0 + static_cast<double>(at.x); });
  auto const smallest = png.bounds_of(colour_of(0.5 / 720));
  auto const largest = png.bounds_of(colour_of(1.0 - 0.5 / 720));

  EXPECT_GT(largest.right - smallest.left, 720);     // beside the field
  EXPECT_EQ(largest.bottom - largest.top + 1, 720);  // in the field's last column
  EXPECT_EQ(png.at(largest.right - 2, smallest.bottom), colour_of(0.5 / 720));
}

TEST_F(Picture, Of3DShowsThreeMiddlePlanesSideBySide) {
  Grid const grid = {3, {20, 20, 20}, {0, 0, 0}, {1.0, 1.0, 1.0}, {}};

  // 0 but where z is large: nothing in the (x, y) plane, the upper half of the other two.
  Png const png = picture_of(grid, [](Index3 at) { return at.z > 12 ? 1.0 : 0.0; });
  auto const zeros = png.bounds_of(colour_of(0.0));
  int const pitch = (png.width - zeros.left) * 10 / 31;  // roughly a third
  int const upper = zeros.top + 40;
  int const lower = zeros.bottom - 20;

  EXPECT_GT(png.width, 3 * 400);
  EXPECT_EQ(png.at(zeros.left + 100, upper), colour_of(0.0));
  EXPECT_EQ(png.at(zeros.left + 100, lower), colour_of(0.0));
  for (int const panel : {1, 2}) {
    EXPECT_EQ(png.at(zeros.left + 100 + panel * pitch, upper), colour_of(1.0)) << panel;
    EXPECT_EQ(png.at(zeros.left + 100 + panel * pitch, lower), colour_of(0.0)) << panel;
  }
}

TEST_F(Picture, ShowsValuesThatAreNoNumbersInTheirOwnColour) {
  Grid const grid = {2, {10, 10, 1}, {0, 0, 0}, {1.0, 1.0, 1.0}, {}};
  double const nan = std::numeric_limits<double>::quiet_NaN();

  Png const png =
      picture_of(grid, [&](Index3 at) { return at.x < 5 ? nan : static_cast<double>(at.y); });

  EXPECT_LT(png.bounds_of(colour_of(nan)).left, png.bounds_of(colour_of(1.0)).left);
}

TEST_F(Picture, OfAConstantFieldIsDrawn) {
  Grid const grid = {2, {10, 10, 1}, {0, 0, 0}, {1.0, 1.0, 1.0}, {}};

  Png const png = picture_of(grid, [](Index3) { return 3.0; });
  auto const middle = png.bounds_of(colour_of(0.5));

  EXPECT_EQ(middle.bottom - middle.top + 1, 720);
}

TEST(ColourMap, GetsEvenlyLighter) {
  auto const lightness = [](double value) {  // CIE 1976 L*
    Colour const colour = colour_of(value);
    std::array<double, 3> const weight{0.2126, 0.7152, 0.0722};
    double luminance = 0.0;
    for (std::size_t i = 0; i < 3; ++i) {
      double const c = colour[i] / 255.0;
      luminance += weight[i] * (c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4));
    }
    return luminance > 0.008856 ? 116 * std::cbrt(luminance) - 16 : 903.3 * luminance;
  };
  double const whole = lightness(1.0) - lightness(0.0);

  EXPECT_GT(whole, 85.0);
  for (int i = 0; i <= 50; ++i) {
    EXPECT_NEAR(lightness(i / 50.0), lightness(0.0) + whole * i / 50.0, 3.0) << i;
  }
}

}  // namespace
}  // namespace isotherm::test
