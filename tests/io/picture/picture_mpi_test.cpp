#include <gtest/gtest.h>

#include <algorithm>
#include <cairo.h>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <regex>

#include "io/picture/colour_map.hpp"
#include "io/picture/picture.hpp"
#include "tests/io/support.hpp"

// Pictures of fields: geometry, colours, titles, contours and file formats.

namespace isotherm::test {
namespace {

struct Png {
  int width = 0;
  int height = 0;
  std::vector<Colour> points{};

  [[nodiscard]] Colour at(int x, int y) const {
    return points.at(static_cast<std::size_t>(y * width + x));
  }
  /// The bounding box of all pixels of this colour.
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
  cairo_surface_t* const surface = cairo_image_surface_create_from_png(path.c_str());
  EXPECT_EQ(cairo_surface_status(surface), CAIRO_STATUS_SUCCESS) << path;
  Png png{cairo_image_surface_get_width(surface), cairo_image_surface_get_height(surface)};
  int const stride = cairo_image_surface_get_stride(surface);
  for (int y = 0; y < png.height; ++y) {
    for (int x = 0; x < png.width; ++x) {
      std::uint32_t point = 0;
      std::memcpy(&point, cairo_image_surface_get_data(surface) + y * stride + 4 * x, sizeof point);
      png.points.push_back({static_cast<std::uint8_t>(point >> 16U),
                            static_cast<std::uint8_t>(point >> 8U),
                            static_cast<std::uint8_t>(point)});
    }
  }
  cairo_surface_destroy(surface);
  return png;
}

std::string bytes_of(std::filesystem::path const& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class Picture : public testing::Test {
 protected:
  /// Draws `value(global index)`. All ranks take part.
  template <class Value>
  static void draw(mpi::Communicator const& ranks, std::filesystem::path const& path,
                   Grid const& grid, Value const& value, PictureOptions const& options,
                   PointSet const& excluded = {}) {
    Subdomain const subdomain(grid, choose_decomposition(grid, ranks.size()), ranks.rank());
    std::vector<double> owned;
    Extent3 const n = subdomain.extent();
    for (std::int64_t i = 0; i < n.x * n.y * n.z; ++i) {
      owned.push_back(value(subdomain.to_global(Index3{i % n.x, i / n.x % n.y, i / (n.x * n.y)})));
    }
    write_picture(ranks, path, subdomain, owned.data(), options, {},
                  PointMask(subdomain.owned_global(), excluded));
    ranks.barrier();
  }

  /// The decoded picture of `value(global index)`, on every rank.
  template <class Value>
  Png picture_of(Grid const& grid, Value const& value,
                 PictureOptions const& options = {"u, iteration 20"},
                 PointSet const& excluded = {}) {
    draw(world, directory / "u.png", grid, value, options, excluded);
    Png png = decoded(directory / "u.png");
    world.barrier();  // before the next picture is drawn
    return png;
  }

  /// The bytes of a small picture with this title.
  std::string file_of(PictureFormat format, std::string const& title) {
    draw(world, directory / "u", small, even_rise, {title, "u", format, {3}});
    std::string const bytes = bytes_of(directory / "u");
    world.barrier();
    return bytes;
  }

  Grid const small = {2, {6, 5, 1}, {0, 0, 0}, {1.0, 1.0, 1.0}, {}};
  static double even_rise(Index3 at) { return static_cast<double>(at.x + 2 * at.y); }
  mpi::Communicator world{MPI_COMM_WORLD};
  SharedDirectory directory{world};
};

/// Tests of the drawing itself, which does not depend on ranks.
class PictureOfOneRank : public Picture {
 protected:
  void SetUp() override {
    if (world.size() > 1) {
      GTEST_SKIP() << "the root draws, as it does on one rank";
    }
  }
};

/// 1 in the first quarter along x and the first half along y, else 0.
double in_lower_left(Grid const& grid, Index3 at) {
  return 4 * at.x < grid.points.x && 2 * at.y < grid.points.y ? 1.0 : 0.0;
}

TEST_F(Picture, KeepsProportionsIn2DWithXRightAndYUp) {
  // twice as wide as it is high
  Grid const grid = {2, {400, 100, 1}, {0, 0, 0}, {0.5, 1.0, 1.0}, {}};

  Png const png = picture_of(grid, [&](Index3 at) { return in_lower_left(grid, at); });
  auto const zeros = png.bounds_of(colour_of(0.0));  // pixels of the field and of the colour bar
  int const left = zeros.left;

  EXPECT_NEAR(zeros.bottom - zeros.top + 1, 360, 8);
  EXPECT_EQ(png.at(left + 2, zeros.bottom - 2), colour_of(1.0));
  EXPECT_EQ(png.at(left + 170, zeros.bottom - 170), colour_of(1.0));
  EXPECT_EQ(png.at(left + 190, zeros.bottom - 2), colour_of(0.0));
  EXPECT_EQ(png.at(left + 2, zeros.bottom - 190), colour_of(0.0));
  EXPECT_EQ(png.at(left + 717, zeros.top + 2), colour_of(0.0));
}

TEST_F(Picture, ColourBarSpansTheRangeOfValues) {
  Grid const grid = {2, {30, 30, 1}, {0, 0, 0}, {1.0, 1.0, 1.0}, {}};

  Png const png = picture_of(grid, [](Index3 at) { return 5.0 + static_cast<double>(at.x); });
  auto const smallest = png.bounds_of(colour_of(0.5 / 720));
  auto const largest = png.bounds_of(colour_of(1.0 - 0.5 / 720));

  EXPECT_GT(largest.right - smallest.left, 720);     // spans the field and the colour bar
  EXPECT_EQ(largest.bottom - largest.top + 1, 720);  // as high as the field
  EXPECT_EQ(png.at(largest.right - 2, smallest.bottom), colour_of(0.5 / 720));
}

TEST_F(Picture, ShowsThreeMiddlePlanesIn3D) {
  Grid const grid = {3, {20, 20, 20}, {0, 0, 0}, {1.0, 1.0, 1.0}, {}};

  // 1 for large z only: not in the (x, y) plane, but in the upper half of the other two.
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

/// The field rises with z from 0 to 1.
TEST_F(Picture, ShowsTheGivenPlanesIn3D) {
  Grid const grid = {3, {20, 20, 11}, {0, 0, 0}, {1.0, 1.0, 0.5}, {}};
  auto const rise = [](Index3 at) { return 0.1 * static_cast<double>(at.z); };
  PictureOptions one{"one plane"};
  one.look.planes[2] = 1.6;  // nearest to the fourth plane, at 1.5
  PictureOptions two = one;
  two.look.planes[0] = 3.0;

  Png const png = picture_of(grid, rise, one);
  auto const plane = png.bounds_of(colour_of(0.3));
  EXPECT_EQ(plane.bottom - plane.top + 1, 720);
  EXPECT_EQ(png.at(plane.left + 10, plane.top + 10), colour_of(0.3));
  EXPECT_LT(png.width, 1000);

  Png const both = picture_of(grid, rise, two);
  EXPECT_EQ(both.at(both.bounds_of(colour_of(0.3)).left + 10, both.height / 2), colour_of(0.3));
  EXPECT_GT(both.bounds_of(colour_of(1.0)).left, both.bounds_of(colour_of(0.3)).left + 400);
}

TEST_F(Picture, UsesTheGivenColourRange) {
  Grid const grid = {2, {30, 30, 1}, {0, 0, 0}, {1.0, 1.0, 1.0}, {}};
  PictureOptions options{"from -1 to 1"};
  options.look.values = Range{-1.0, 1.0};

  Png const png = picture_of(
      grid, [](Index3 at) { return at.x < 10   ? 0.0
                                   : at.x < 20 ? 5.0
                                               : -5.0; }, options);
  ColourMap const map;
  auto const zeros = png.bounds_of(map(0.5));
  EXPECT_EQ(png.at(zeros.left + 100, 300), map(0.5));
  EXPECT_EQ(png.at(zeros.left + 360, 300), map.above());
  EXPECT_EQ(png.at(zeros.left + 600, 300), map.below());
  // The ends of the colour bar, which are right of the field, have the same colours.
  EXPECT_GT(png.bounds_of(map.above()).right, zeros.left + 740);
  EXPECT_GT(png.bounds_of(map.below()).right, zeros.left + 740);
  EXPECT_LT(png.bounds_of(map(1.0)).top, png.bounds_of(map(0.0)).top);
}

TEST_F(Picture, MarksNoEndOfTheRangeThatIsNotExceeded) {
  PictureOptions options{"within"};
  options.look.values = Range{0.0, 13.0};
  ColourMap const map;

  // Except for rounding, the largest value is that of the range.
  Png const png = picture_of(
      small, [](Index3 at) { return even_rise(at) * (1.0 + 1e-12); }, options);

  EXPECT_EQ(png.bounds_of(map.above()).right, -1);
  EXPECT_EQ(png.bounds_of(map.below()).right, -1);
}

TEST_F(Picture, UsesTheGivenColourMap) {
  PictureOptions options{"u"};
  options.look.colour_map = "viridis_r";

  Png const png = picture_of(small, even_rise, options);

  ColourMap const map("viridis_r");
  EXPECT_LT(png.bounds_of(map(1.0 - 0.5 / 576)).top, png.bounds_of(map(0.5 / 576)).top);
  // The colour bar is as high as the field.
  EXPECT_EQ(png.bounds_of(map(0.5 / 576)).bottom - png.bounds_of(map(1.0 - 0.5 / 576)).top, 575);
}

/// The box holds the columns 30 to 60 of 0 … 90 and the rows 40 to 50.
TEST_F(Picture, DrawsTheBoxOfTheLook) {
  Grid const grid = {2, {91, 91, 1}, {0, 0, 0}, {1.0, 1.0, 1.0}, {}};
  PictureOptions options{"a part"};
  options.look.box = GlobalBox{{30, 40, 0}, {61, 51, 1}};

  Png const png = picture_of(
      grid, [](Index3 at) { return at.x < 45 ? 1e3 * static_cast<double>(at.x < 30) : 1.0; },
      options);

  // The values outside of the box do not affect the colours: 0 on the left, 1 on the right.
  auto const zeros = png.bounds_of(colour_of(0.0));
  auto const ones = png.bounds_of(colour_of(1.0));
  EXPECT_NEAR(ones.bottom - ones.top, (zeros.bottom - zeros.top), 40);
  EXPECT_EQ(png.at(zeros.left + 10, zeros.bottom - 10), colour_of(0.0));
  int const width = 1080;  // three times as wide as it is high
  EXPECT_EQ(png.at(zeros.left + width - 10, zeros.bottom - 10), colour_of(1.0));
  EXPECT_NE(png.at(zeros.left + width + 5, zeros.bottom - 10), colour_of(1.0));
}

/// The second mark lies outside the box.
TEST_F(Picture, MarksPlacesWithACircle) {
  Grid const grid = {2, {31, 31, 1}, {0, 0, 0}, {1.0, 1.0, 1.0}, {}};
  PictureOptions options{"a well"};
  options.look.values = Range{0.0, 1.0};
  options.look.marks = {{15.0, 7.5, 0.0}, {15.0, 40.0, 0.0}};
  Colour const white{255, 255, 255};

  Png const png = picture_of(
      grid, [](Index3) { return 0.0; }, options);

  auto const field = png.bounds_of(colour_of(0.0));
  int const middle = field.left + 360;
  int const quarter = field.bottom - 180;
  EXPECT_EQ(png.at(middle, quarter), white);
  EXPECT_EQ(png.at(middle, quarter - 2), white);
  EXPECT_EQ(png.at(middle, quarter - 8), colour_of(0.0));
  EXPECT_EQ(png.at(middle + 8, quarter), colour_of(0.0));
  EXPECT_EQ(png.at(middle, field.bottom - 360), colour_of(0.0));
}

/// The spacing is 0.5, so the planes at 1.5 and 2 share the places from 1.5 to 2.
TEST_F(Picture, MarksPlacesNearAPlane) {
  Grid const grid = {3, {21, 21, 11}, {0, 0, 0}, {1.0, 1.0, 0.5}, {}};
  PictureOptions options{"wells"};
  options.look.values = Range{0.0, 1.0};
  options.look.planes[2] = 1.5;
  options.look.marks = {{5.0, 10.0, 1.7}, {15.0, 10.0, 1.8}};

  Png const png = picture_of(
      grid, [](Index3) { return 0.0; }, options);

  auto const field = png.bounds_of(colour_of(0.0));
  EXPECT_EQ(png.at(field.left + 180, field.bottom - 360), (Colour{255, 255, 255}));
  EXPECT_EQ(png.at(field.left + 540, field.bottom - 360), colour_of(0.0));
}

/// u = −2x with κ = 3: the flux points to the right.
TEST_F(Picture, ArrowsFollowTheFlux) {
  Grid const grid = {2, {33, 33, 1}, {0, 0, 0}, {1.0, 1.0, 1.0}, {}};
  Subdomain const part(grid, choose_decomposition(grid, world.size()), world.rank());
  std::vector<double> owned;
  Extent3 const n = part.extent();
  for (std::int64_t i = 0; i < n.x * n.y; ++i) {
    owned.push_back(-2.0 * static_cast<double>(part.to_global(Index3{i % n.x, i / n.x, 0}).x));
  }
  PictureOptions options{"arrows"};
  options.look.arrows = true;
  options.conductivity = [](Index3 at) { return PerAxis<double>{at.x < 10 ? 6.0 : 3.0, 1, 1}; };
  options.material = [](Index3 at) { return at.x < 10 ? 1 : 0; };

  auto const views = sampled_views(world, part, owned.data(), options).views;
  if (world.is_root()) {
    auto const arrows = arrows_on(views.at(0), arrow_pitch(views));
    ASSERT_EQ(arrows.size(), 256U);
    for (Arrow const& arrow : arrows) {
      EXPECT_NEAR(arrow.right, arrow.right_place * 32.0 < 9.5 ? 12.0 : 6.0, 1e-12);
      EXPECT_NEAR(arrow.up, 0.0, 1e-12);
    }
    EXPECT_NEAR(typical_arrow(views), 12.0, 1e-12);
    EXPECT_NEAR(largest_flux(views), 12.0, 1e-12);
  }
  // A strip between two rows of arrows has the largest flux.
  options.material = [](Index3 at) { return at.y == 8 ? 1 : 0; };
  options.conductivity = [](Index3 at) { return PerAxis<double>{at.y == 8 ? 30.0 : 3.0, 1, 1}; };
  auto const striped = sampled_views(world, part, owned.data(), options).views;
  if (world.is_root()) {
    EXPECT_NEAR(typical_arrow(striped), 6.0, 1e-12);
    EXPECT_NEAR(largest_flux(striped), 60.0, 1e-12);
  }
  Png const plain = picture_of(grid, [](Index3 at) { return static_cast<double>(at.x); });
  options.material = {};
  Png const png = picture_of(
      grid, [](Index3 at) { return static_cast<double>(at.x); }, options);
  std::size_t different = 0;
  for (int y = 100; y < 700; ++y) {
    for (int x = 150; x < 700; ++x) different += png.at(x, y) != plain.at(x, y) ? 1 : 0;
  }
  EXPECT_GT(different, 3000U);
}

/// The pixels of a colour in the panel of a square with 720 pixels.
std::size_t pixels_of(Png const& png, Colour colour) {
  return static_cast<std::size_t>(std::ranges::count(png.points, colour));
}

/// A hole of radius 0.3 is an exact disc on a coarse grid. By the nearest points its area would be
/// 0.25 or 0.33 instead of 0.283.
TEST_F(Picture, SurfacesAreExactBetweenPoints) {
  Grid const grid = {2, {13, 13, 1}, {0, 0, 0}, {1.0 / 12, 1.0 / 12, 1.0}, {}};
  auto const in_hole = [](double x, double y) { return std::hypot(x - 0.5, y - 0.5) < 0.3; };
  auto const is_excluded = [&](Index3 at) {
    return in_hole(grid.coordinate(0, at.x), grid.coordinate(1, at.y));
  };
  PictureOptions options{"hole"};
  auto const value = [](Index3 at) { return 1.0 + static_cast<double>(at.x); };
  Png const whole = picture_of(grid, value, options);
  Png const stairs = picture_of(grid, value, options, is_excluded);
  options.material_at = [&](PerAxis<double> const& place) {
    return in_hole(place[0], place[1]) ? -1 : 0;
  };
  Png const round = picture_of(grid, value, options, is_excluded);

  Colour const white{255, 255, 255}, grey{140, 140, 140};
  auto const area = [&](Png const& png) {
    auto const covered = pixels_of(png, white) - pixels_of(whole, white);
    return (static_cast<double>(covered) + 0.5 * static_cast<double>(pixels_of(png, grey))) /
           (720.0 * 720.0);
  };
  double const exact = 0.09 * std::acos(-1.0);
  EXPECT_GT(std::abs(area(stairs) - exact), 0.01);
  EXPECT_NEAR(area(round), exact, 0.003);
}

TEST_F(Picture, ArrowsDoNotEnterBodies) {
  Grid const grid = {2, {49, 49, 1}, {0, 0, 0}, {1.0 / 48, 1.0 / 48, 1.0}, {}};
  auto const in_body = [](double x, double y) { return std::hypot(x - 0.5, y - 0.5) < 0.17; };
  PictureOptions options{"well"};
  options.material = [&](Index3 at) {
    return in_body(grid.coordinate(0, at.x), grid.coordinate(1, at.y)) ? -2 : 0;
  };
  options.material_at = [&](PerAxis<double> const& place) {
    return in_body(place[0], place[1]) ? -2 : 0;
  };
  // A well: the flux points to the middle, and is largest next to it.
  auto const value = [&](Index3 at) {
    double const r = std::hypot(grid.coordinate(0, at.x) - 0.5, grid.coordinate(1, at.y) - 0.5);
    return std::log(std::max(r, 0.17));
  };
  Png const plain = picture_of(grid, value, options);
  options.look.arrows = true;
  Png const png = picture_of(grid, value, options);

  auto const bar = plain.bounds_of(colour_of(0.5 / 720));
  int const left = plain.bounds_of({140, 140, 140}).left - static_cast<int>(0.33 * 720);
  int const top = bar.bottom - 719;
  std::size_t in_well = 0, outside = 0;
  for (int y = 0; y < 720; ++y) {
    for (int x = 0; x < 720; ++x) {
      if (png.at(left + x, top + y) == plain.at(left + x, top + y)) continue;
      double const r = std::hypot((x + 0.5) / 720 - 0.5, (y + 0.5) / 720 - 0.5);
      ++(r < 0.165 ? in_well : outside);
    }
  }
  EXPECT_EQ(in_well, 0U);
  EXPECT_GT(outside, 3000U);
}

TEST_F(Picture, HasTheGivenWidth) {
  PictureOptions options{"large"};
  Png const usual = picture_of(small, even_rise, options);
  options.look.width = 1777;
  options.look.label = "Temperature, °C";

  Png const png = picture_of(small, even_rise, options);

  EXPECT_NEAR(png.width, 1777, 1);
  EXPECT_EQ(png.width % 2 + png.height % 2, 0);
  EXPECT_GT(png.height, usual.height * 3 / 2);
  auto const middle = png.bounds_of(colour_of(0.5));
  EXPECT_GT(middle.right - middle.left, 1000) << "the field is enlarged, too";
}

TEST_F(Picture, ShowsNonFiniteValuesInTheirOwnColour) {
  Grid const grid = {2, {10, 10, 1}, {0, 0, 0}, {1.0, 1.0, 1.0}, {}};
  double const nan = std::numeric_limits<double>::quiet_NaN();

  Png const png =
      picture_of(grid, [&](Index3 at) { return at.x < 5 ? nan : static_cast<double>(at.y); });

  EXPECT_LT(png.bounds_of(colour_of(nan)).left, png.bounds_of(colour_of(1.0)).left);
}

/// The left half is excluded; its values would change all colours. The border lies midway between
/// the points 4 and 5 of 0 … 9.
TEST_F(Picture, LeavesExcludedPointsWhite) {
  Grid const grid = {2, {10, 10, 1}, {0, 0, 0}, {1.0, 1.0, 1.0}, {}};
  auto const left_half = [](Index3 at) { return at.x < 5; };
  auto const value = [&](Index3 at) { return left_half(at) ? 1e6 : static_cast<double>(at.y); };
  PictureOptions options{"u", "u", PictureFormat::png, {7}};
  Png const cropped = picture_of(grid, value, options, left_half);
  options.look.box = grid.box();

  Png const png = picture_of(grid, value, options, left_half);
  EXPECT_LT(cropped.width, png.width - 200) << "without a box the left half is not drawn";
  auto const highest = png.bounds_of(colour_of(1.0 - 0.5 / 720));  // the top row, and the bar's
  int const left = highest.left - 360;
  Colour const white{255, 255, 255};

  for (int const y : {3, 200, 360, 717}) {
    EXPECT_EQ(png.at(left + 5, highest.top + y), white) << y;
    EXPECT_EQ(png.at(left + 350, highest.top + y), white) << y;
  }
  Png const whole = picture_of(
      grid, [](Index3 at) { return static_cast<double>(at.y); }, options);
  int const left_of_whole = whole.bounds_of(colour_of(1.0 - 0.5 / 720)).left;
  EXPECT_EQ(whole.width, png.width);
  for (int y = 0; y < 720; ++y) {  // the colours and the contours of the rest
    EXPECT_EQ(png.at(left + 400, highest.top + y), whole.at(left_of_whole + 400, highest.top + y));
  }
}

TEST_F(Picture, DrawsLinesBetweenMaterials) {
  Grid const grid = {2, {10, 10, 1}, {0, 0, 0}, {1.0, 1.0, 1.0}, {}};
  PictureOptions options{"u"};
  options.material = [](Index3 at) { return at.x < 3 ? 0 : at.y < 5 ? 1 : 2; };
  Colour const grey{140, 140, 140};

  Png const png = picture_of(
      grid, [](Index3) { return 3.0; }, options);
  auto const field = png.bounds_of(colour_of(0.5));
  auto const lines = png.bounds_of(grey);

  EXPECT_NEAR(lines.left - field.left, 2.5 / 9 * 720, 1.5);
  EXPECT_EQ(lines.bottom, field.bottom);
  EXPECT_EQ(lines.top, field.top);
  int count = 0;
  for (int y = 0; y < 720; ++y) count += png.at(field.left + 500, field.top + y) == grey ? 1 : 0;
  EXPECT_EQ(count, 1);
  EXPECT_EQ(png.at(field.left + 500, field.top + 360), grey);
}

TEST_F(Picture, DrawsConstantFields) {
  Grid const grid = {2, {10, 10, 1}, {0, 0, 0}, {1.0, 1.0, 1.0}, {}};

  Png const png = picture_of(grid, [](Index3) { return 3.0; });
  auto const middle = png.bounds_of(colour_of(0.5));

  EXPECT_EQ(middle.bottom - middle.top + 1, 720);
}

/// The columns of the title's lines that contain ink, from the left end.
std::vector<int> inked_columns(Png const& png) {
  std::vector<int> columns;
  for (int x = 0; x < png.width; ++x) {
    for (int y = 0; y < 36; ++y) {
      if (png.at(x, y)[0] < 128) {
        columns.push_back(x);
        break;
      }
    }
  }
  return columns;
}

TEST_F(PictureOfOneRank, CentresItsTitle) {
  auto const none = inked_columns(picture_of(small, even_rise, {""}));
  Png const png = picture_of(small, even_rise, {"iiiiiiiiii"});
  auto const narrow = inked_columns(png);
  auto const wide = inked_columns(picture_of(small, even_rise, {"MMMMMMMMMM"}));

  EXPECT_TRUE(none.empty());
  ASSERT_GT(narrow.size(), 10U);
  EXPECT_NEAR(narrow.front() + narrow.back(), png.width, 4);
  EXPECT_GT(wide.size(), 2 * narrow.size()) << "a letter is not as wide as any other";
}

TEST_F(PictureOfOneRank, DrawsTitlesInAnyScript) {
  // Each of these letters has a glyph of its own; replacement characters would look alike.
  EXPECT_NE(file_of(PictureFormat::png, "Größe"), file_of(PictureFormat::png, "Grëßë"));
  EXPECT_NE(file_of(PictureFormat::png, "Δt = 1 µs"), file_of(PictureFormat::png, "Ωt = 1 ηs"));
  EXPECT_NE(file_of(PictureFormat::png, "ä"), file_of(PictureFormat::png, "\ufffd"));
}

TEST_F(PictureOfOneRank, ReplacesInvalidCharactersInTitles) {
  std::string const stand_in = file_of(PictureFormat::pdf, "a\ufffdb");

  EXPECT_EQ(file_of(PictureFormat::pdf, "a\nb"), stand_in);
  EXPECT_EQ(file_of(PictureFormat::pdf,
                    "a\xff"
                    "b"),
            stand_in);
  EXPECT_EQ(file_of(PictureFormat::pdf, std::string("a\0b", 3)), stand_in);
}

TEST_F(PictureOfOneRank, LimitsItsWidthForLongTitles) {
  std::string title;
  for (int i = 0; i < 20'000; ++i) {
    title += "ä ";
  }

  Png const png = picture_of(small, even_rise, {title});

  EXPECT_LE(png.width, 1400);
  EXPECT_LT(inked_columns(png).back(), png.width - 8);
}

TEST_F(PictureOfOneRank, ContoursFollowTheirLevels) {
  // Rings around the lower left corner, on more points than the number of samples.
  Grid const grid = {2, {1001, 1001, 1}, {0, 0, 0}, {0.001, 0.001, 1.0}, {}};
  auto const value = [&](Index3 at) {
    return std::hypot(grid.coordinate(0, at.x), grid.coordinate(1, at.y));
  };
  Png const plain = picture_of(grid, value);
  Png const png = picture_of(grid, value, {"u, iteration 20", "u", PictureFormat::png, 8});
  int const left = plain.bounds_of(colour_of(0.0)).left;
  int const bottom = plain.bounds_of(colour_of(0.0)).bottom;

  constexpr int side = 720;
  std::vector<int> found(8, 0);  // pixels on the ring u = i / 5, by i
  for (int y = 0; y < side; ++y) {
    for (int x = 0; x < side; ++x) {
      if (png.at(left + x, bottom - y) == plain.at(left + x, bottom - y)) {
        continue;
      }
      double const distance = 5 * std::hypot(x + 0.5, y + 0.5) / side;  // in units of 1/5
      double const nearest = std::round(distance);
      // Numbers on the lines are 11 points high, and on arcs their ends are farther away.
      ASSERT_LT(std::abs(distance - nearest) / 5 * side, 9.0) << x << ' ' << y;
      ++found.at(static_cast<std::size_t>(nearest));
    }
  }
  for (std::size_t ring = 1; ring <= 5; ++ring) {  // a quarter of the ring is visible
    EXPECT_GT(found[ring], std::acos(0.0) * side / 5 * static_cast<double>(ring)) << ring;
  }
  EXPECT_EQ(found[0], 0) << "at an end of the range";
}

TEST_F(PictureOfOneRank, DrawsTheGivenNumberOfContours) {
  Grid const grid = {2, {2, 2, 1}, {0, 0, 0}, {1.0, 1.0, 1.0}, {}};
  auto const rise = [](Index3 at) { return static_cast<double>(at.y); };
  Png const plain = picture_of(grid, rise);
  auto const lines = [&](std::optional<int> wanted) {
    Png const png = picture_of(grid, rise, {"u, iteration 20", "u", PictureFormat::png, wanted});
    int const column = plain.bounds_of(colour_of(0.5 / 720)).left + 300;
    int count = 0;
    for (int y = 1; y < png.height; ++y) {
      count += (png.at(column, y) != plain.at(column, y)) &&
               (png.at(column, y - 1) == plain.at(column, y - 1));
    }
    return count;
  };

  EXPECT_EQ(lines(0), 4) << "at 0.2, 0.4, 0.6, 0.8";
  EXPECT_EQ(lines(10), 9);
  EXPECT_EQ(lines(100), 99);
}

TEST_F(PictureOfOneRank, DrawsContoursOfNoise) {
  Grid const grid = {2, {800, 800, 1}, {0, 0, 0}, {1.0, 1.0, 1.0}, {}};

  Png const png = picture_of(
      grid, [](Index3 at) { return static_cast<double>((at.x * 7919 + at.y * 104729) % 997); },
      {"noise", "u", PictureFormat::png, 10});

  EXPECT_GT(png.width, 720);
}

/// True if all tags are closed in order, all quotes are closed, and each & begins an entity of XML.
bool is_well_formed(std::string const& xml) {
  std::vector<std::string> open;
  std::regex const tag(R"(<(\?[^?]*\?|/?[A-Za-z:]+)((\s+[\w:-]+=("[^"<&]*"|'[^'<&]*'))*)\s*(/?)>)");
  std::regex const text(R"(([^<>&]|&(amp|lt|gt|quot|apos);)*)");
  std::size_t at = 0;
  for (auto found = std::sregex_iterator(xml.begin(), xml.end(), tag);
       found != std::sregex_iterator(); ++found) {
    std::string const between = xml.substr(at, static_cast<std::size_t>(found->position()) - at);
    if (!std::regex_match(between, text)) {
      return false;
    }
    at = static_cast<std::size_t>(found->position() + found->length());
    std::string const name = (*found)[1];
    if (name[0] == '/') {
      if (open.empty() || open.back() != name.substr(1)) {
        return false;
      }
      open.pop_back();
    } else if (name[0] != '?' && (*found)[5] != "/") {
      open.push_back(name);
    }
  }
  return open.empty() && at > 0 && std::regex_match(xml.substr(at), text);
}

TEST_F(PictureOfOneRank, DrawsSvgWithItsTitle) {
  std::string svg = file_of(PictureFormat::svg, R"(Größe < "1" & 2)"
                                                "\x01");

  EXPECT_NE(svg.find("<title>Größe &lt; &quot;1&quot; &amp; 2\ufffd</title>"), std::string::npos);
  EXPECT_NE(svg.find("data:image/png;base64"), std::string::npos) << "the field is one image";
  // Removes the image data, on which regular expressions would be slow.
  svg = std::regex_replace(svg, std::regex("base64,[A-Za-z0-9+/=]{0,1000}"), "base64,");
  for (auto image = svg.find("base64,"); image != std::string::npos;
       image = svg.find("base64,", image + 1)) {
    auto const end = svg.find('"', image);
    ASSERT_NE(end, std::string::npos);
    svg.erase(image, end - image);
  }
  EXPECT_TRUE(is_well_formed(svg)) << svg;
}

TEST_F(PictureOfOneRank, DrawsPdf) {
  std::string const pdf = file_of(PictureFormat::pdf, "Größe");

  EXPECT_TRUE(pdf.starts_with("%PDF-"));
  EXPECT_NE(pdf.rfind("%%EOF"), std::string::npos);
  EXPECT_NE(pdf.find("/Title"), std::string::npos);
  EXPECT_EQ(pdf.find("/CreationDate"), std::string::npos) << "it would be another file every time";
}

TEST_F(Picture, SameFileOnAnyNumberOfRanks) {
  Grid const grid = {3, {12, 9, 10}, {0, 0, 0}, {1.0, 0.5, 1.0}, {}};
  auto const value = [](Index3 at) {
    return std::sin(static_cast<double>(at.x * at.y + 3 * at.z));
  };
  for (PictureFormat const format : {PictureFormat::png, PictureFormat::svg, PictureFormat::pdf}) {
    PictureOptions const options{"Größe", "u", format, {0}};
    draw(world, directory / "together", grid, value, options);
    if (world.is_root()) {
      draw(mpi::Communicator(MPI_COMM_SELF), directory / "alone", grid, value, options);
      EXPECT_EQ(bytes_of(directory / "together"), bytes_of(directory / "alone")) << name(format);
    }
    world.barrier();
  }
}

TEST_F(PictureOfOneRank, DrawsFieldsOfAnyShape) {
  double const huge = std::numeric_limits<double>::max();
  double const infinity = std::numeric_limits<double>::infinity();
  for (Extent3 const points :
       {Extent3{1, 1, 1}, Extent3{1, 9, 1}, Extent3{9, 1, 1}, Extent3{5000, 3, 1},
        Extent3{3, 5000, 1}, Extent3{2, 2, 300}, Extent3{300, 2, 2}}) {
    Grid const grid = {points.z > 1 ? 3 : 2, points, {0, 0, 0}, {0.1, 0.1, 0.1}, {}};
    for (double const factor : {1.0, huge / 1e4, infinity}) {
      auto const value = [&](Index3 at) {
        return factor * static_cast<double>(at.x + at.y + at.z - 2);
      };
      Png const png = picture_of(grid, value, {"u", "u", PictureFormat::png, 5});
      EXPECT_GE(png.width, 100);
      EXPECT_GE(png.height, 200);
      EXPECT_LE(png.width, 1800);
      EXPECT_LE(png.height, 1200);
    }
  }
}

TEST(ColourMap, LightnessIsLinear) {
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
