#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <functional>
#include <random>
#include <string>
#include <unistd.h>
#include <vector>

#include "io/surface/closed_surface.hpp"
#include "io/surface/stl_file.hpp"
#include "io/values/npy_values.hpp"
#include "io/values/picture_values.hpp"
#include "io/values/table_values.hpp"
#include "tests/io/value_files.hpp"

// Values and surfaces in the formats of other programs.

namespace isotherm::test {
namespace {

constexpr std::int64_t nx = 4, ny = 3, nz = 2;

/// A grid of 4 x 3 x 2 points with x = 0, 0.1, … 0.3, y = 0, 1, 2, z = 5, 7.
RequiredShape const volume{
    {nz, ny, nx}, "z, y, x", "the grid's", {{5, 7}, {0, 1, 2}, {0, 0.1, 0.2, 0.3}}};
RequiredShape const plane{{ny, nx}, "y, x", "the grid's", {{0, 1, 2}, {0, 0.1, 0.2, 0.3}}};

/// The value of a point: its index, for x, y and z as decimal digits.
double value_at(std::int64_t i, std::int64_t j, std::int64_t k) {
  return static_cast<double>(i + 10 * j + 100 * k);
}

/// Returns the values of all points in the order of a file.
template <class Number>
std::vector<Number> numbers(bool fortran = false, std::int64_t planes = nz) {
  std::vector<Number> all;
  if (fortran) {
    for (std::int64_t i = 0; i < nx; ++i)
      for (std::int64_t j = 0; j < ny; ++j)
        for (std::int64_t k = 0; k < planes; ++k)
          all.push_back(static_cast<Number>(value_at(i, j, k)));
    return all;
  }
  for (std::int64_t k = 0; k < planes; ++k)
    for (std::int64_t j = 0; j < ny; ++j)
      for (std::int64_t i = 0; i < nx; ++i) all.push_back(static_cast<Number>(value_at(i, j, k)));
  return all;
}

class ValueFiles : public testing::Test {
 protected:
  std::string directory_ = testing::TempDir() + "values_" + std::to_string(getpid()) + '/';

  void SetUp() override { std::filesystem::create_directory(directory_); }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  [[nodiscard]] std::string file(std::string const& name, std::string const& bytes) const {
    return written(directory_ + name, bytes);
  }
  /// Returns the message that refuses a file, without its folder; "accepted" if there is none.
  [[nodiscard]] std::string refusal(std::function<void()> const& open) const {
    std::string said = "accepted";
    try {
      open();
    } catch (InputError const& error) {
      said = error.what();
    }
    for (auto at = said.find(directory_); at != std::string::npos; at = said.find(directory_)) {
      said.erase(at, directory_.size());
    }
    return said;
  }
  [[nodiscard]] std::string refusal_of_npy(std::string const& bytes) const {
    return refusal([&] { (void)open_npy(file("q.npy", bytes), volume); });
  }
  [[nodiscard]] std::string refusal_of_table(std::string const& text,
                                             std::string const& column = "",
                                             RequiredShape const& shape = plane) const {
    return refusal([&] { (void)open_table(file("q.csv", text), column, shape); });
  }
};

/// Compares a box of the values, and all of them.
void expect_values(ValueSource const& source, std::int64_t planes = nz) {
  for (GlobalBox const box :
       {GlobalBox{{0, 0, 0}, {nx, ny, planes}}, GlobalBox{{1, 1, planes - 1}, {3, 3, planes}}}) {
    std::vector<double> values(static_cast<std::size_t>(box.point_count()));
    std::vector<float> singles(values.size());
    source.read(box, values.data());
    source.read(box, singles.data());
    std::size_t n = 0;
    for (std::int64_t k = box.lower.z; k < box.upper.z; ++k) {
      for (std::int64_t j = box.lower.y; j < box.upper.y; ++j) {
        for (std::int64_t i = box.lower.x; i < box.upper.x; ++i, ++n) {
          EXPECT_EQ(values[n], value_at(i, j, k)) << source.where();
          EXPECT_EQ(singles[n], static_cast<float>(value_at(i, j, k)));
        }
      }
    }
  }
}

TEST_F(ValueFiles, ArraysOfAllTypesAndOrders) {
  auto const expect = [&](std::string const& type, std::string const& bytes, bool fits,
                          bool fortran = false) {
    auto const source = open_npy(file("q.npy", npy(type, "(2, 3, 4)", bytes, fortran)), volume);
    EXPECT_EQ(source->points(), (Extent3{nx, ny, nz}));
    EXPECT_EQ(source->fits_float32(), fits) << type;
    expect_values(*source);
  };
  expect("<f8", bytes_of(numbers<double>()), false);
  expect(">f8", swapped(bytes_of(numbers<double>()), 8), false);
  expect("<f4", bytes_of(numbers<float>()), true);
  expect("|u1", bytes_of(numbers<std::uint8_t>()), true);
  expect("<i2", bytes_of(numbers<std::int16_t>()), true);
  expect(">u4", swapped(bytes_of(numbers<std::uint32_t>()), 4), false);
  expect("<i8", bytes_of(numbers<std::int64_t>()), false);
  expect("<f8", bytes_of(numbers<double>(true)), false, true);
}

TEST_F(ValueFiles, HalfPrecisionAndBooleans) {
  RequiredShape const row{{6}, "x", "the face x's", {{0, 1, 2, 3, 4, 5}}};
  std::vector<double> values(6);
  // 1, -2, 65504, the smallest subnormal, 0.333…, infinity
  std::vector<std::uint16_t> const halves{0x3c00, 0xc000, 0x7bff, 0x0001, 0x3555, 0x7c00};
  open_npy(file("h.npy", npy("<f2", "(6,)", bytes_of(halves))), row)
      ->read({{0, 0, 0}, {6, 1, 1}}, values.data());
  EXPECT_EQ(values,
            (std::vector<double>{1, -2, 65504, std::ldexp(1.0, -24), 1365.0 / 4096, INFINITY}));
  open_npy(file("b.npy", npy("|b1", "(6,)", std::string("\0\1\0\0\1\1", 6))), row)
      ->read({{0, 0, 0}, {6, 1, 1}}, values.data());
  EXPECT_EQ(values, (std::vector<double>{0, 1, 0, 0, 1, 1}));
}

TEST_F(ValueFiles, PlanesOfAPlanarGrid) {
  std::string const values = bytes_of(numbers<double>(false, 1));
  expect_values(*open_npy(file("q.npy", npy("<f8", "(1, 3, 4)", values)), plane), 1);
  expect_values(
      *open_npy(file("q.npy", npy("<f8", "(1, 3, 4)", bytes_of(numbers<double>(true, 1)), true)),
                plane),
      1);
}

TEST_F(ValueFiles, WrongArraysAreRefused) {
  std::string const good = npy("<f8", "(2, 3, 4)", bytes_of(numbers<double>()));
  EXPECT_EQ(refusal_of_npy(good), "accepted");
  EXPECT_EQ(refusal_of_npy(npy("<f8", "(4, 3, 2)", bytes_of(numbers<double>()))),
            "q.npy: its shape is (4, 3, 2), the grid's is (2, 3, 4) (z, y, x)");
  EXPECT_EQ(refusal_of_npy(npy("<c8", "(2, 3, 4)", "")),
            "q.npy has values of the type \"<c8\" (needs real numbers of at most 8 bytes)");
  EXPECT_EQ(refusal_of_npy(npy("<f8", "(99999999999999999999,)", "")),
            "q.npy is damaged: its header is not that of an array");
  EXPECT_EQ(refusal_of_npy(good.substr(0, good.size() - 1)),
            "q.npy is truncated: it has 191 bytes of values, its shape needs 192");
  EXPECT_EQ(refusal_of_npy(good + "surplus"),
            "q.npy has 7 bytes after its array, whose shape needs 192 (save one array by "
            "numpy.save() into a file of its own)");
  for (std::string const& version :
       {std::string("\x09\x09"), std::string("\x01\x02"), std::string("\0\0", 2)}) {
    std::string other = good;
    other.replace(6, 2, version);
    EXPECT_NE(refusal_of_npy(other).find("(needs 1.0, 2.0 or 3.0)"), std::string::npos);
  }
  EXPECT_EQ(refusal_of_npy("PK"), "q.npy is not a file of numpy.save()");
  EXPECT_EQ(refusal([&] { (void)open_npy(directory_ + "none.npy", volume); }),
            "none.npy: no such file");
}

TEST_F(ValueFiles, ArraysOfArchives) {
  std::string const array = npy("<f8", "(2, 3, 4)", bytes_of(numbers<double>()));
  for (bool const compressed : {false, true}) {
    auto const path =
        file("q.npz", npz({{"k.npy", "not an array", false}, {"q.npy", array, compressed}}));
    expect_values(*open_npz(path, "q", volume));
    EXPECT_EQ(refusal([&] { (void)open_npz(path, "p", volume); }),
              "q.npz: there is no array \"p\" in the file (it contains k, q)");
    EXPECT_EQ(refusal([&] { (void)open_npz(path, "", volume); }),
              "q.npz: several arrays: name one by dataset = \"...\" (it contains k, q)");
    EXPECT_EQ(refusal([&] { (void)open_npz(path, "k", volume); }),
              "q.npz, array \"k\" is not a file of numpy.save()");
    expect_values(*open_npz(file("one.npz", npz({{"arr_0.npy", array, compressed}})), "", volume));
  }
}

TEST_F(ValueFiles, DamagedArchivesAreRefused) {
  EXPECT_EQ(refusal([&] { (void)open_npz(file("e.npz", npz({})), "", volume); }),
            "e.npz contains no array (needs a file of numpy.savez())");
  std::string const zeros(1 << 20, '\0');
  std::string const bomb = npz({{"q.npy", zeros, true}});
  EXPECT_EQ(refusal([&] { (void)open_npz(file("b.npz", bomb), "q", volume); }),
            "b.npz: an array has 1048576 bytes, at most 65932 are expected");
  std::string damaged =
      npz({{"q.npy", npy("<f8", "(2, 3, 4)", bytes_of(numbers<double>())), true}});
  damaged[60] = static_cast<char>(damaged[60] ^ 1);
  EXPECT_EQ(refusal([&] { (void)open_npz(file("d.npz", damaged), "q", volume); }),
            "d.npz is damaged: the contents of an array are wrong");
  std::string const array = npy("<f8", "(2, 3, 4)", bytes_of(numbers<double>()));
  EXPECT_EQ(refusal([&] {
              (void)open_npz(file("t.npz", npz({{"q.npy", array, false}, {"q.npy", array, true}})),
                             "q", volume);
            }),
            "t.npz: several arrays have the name \"q\"");
  EXPECT_EQ(refusal([&] { (void)open_npz(file("e.npz", "x"), "q", volume); }),
            "e.npz is not a file of numpy.savez()");
}

// Values of stored arrays are read in part, so only verify() finds damage of them.
TEST_F(ValueFiles, ChecksumOfStoredArraysIsCompared) {
  std::string const array = npy("<f8", "(2, 3, 4)", bytes_of(numbers<double>()));
  std::string const good = npz({{"q.npy", array, false}});
  std::size_t const begin = good.find(array);
  auto const verify = [&](std::string const& bytes) {
    return refusal([&] { open_npz(file("d.npz", bytes), "q", volume)->verify(); });
  };

  EXPECT_EQ(verify(good), "accepted");
  for (std::size_t const at : {array.size() - 1, array.size() - 100, array.size() - 192}) {
    std::string damaged = good;
    damaged[begin + at] = static_cast<char>(damaged[begin + at] ^ 1);
    EXPECT_EQ(verify(damaged), "d.npz is damaged: the contents of an array are wrong") << at;
  }
}

TEST_F(ValueFiles, MatricesAreRowsInTheOrderOfIndices) {
  std::string const rows = "0 1 2 3\n10 11 12 13\n20 21 22 23\n";
  expect_values(*open_table(file("m.txt", "# by numpy\n" + rows), "", plane), 1);
  expect_values(*open_table(file("m.csv", "0,1,2,3\r\n10,11,12,13\r\n20,21,22,+2.3e1"), "", plane),
                1);
  std::string const second = "100;101;102;103\n110;111;112;113\n120;121;122;123\n";
  expect_values(*open_table(file("m.txt", rows + "\n\n" + second), "", volume));
  expect_values(*open_table(file("m.txt", rows + second), "", volume));
  RequiredShape const row{{3}, "y", "the face x_lower's", {{0, 1, 2}}};
  std::vector<double> values(3);
  open_table(file("m.txt", "1\n2\n3\n"), "", row)->read({{0, 0, 0}, {3, 1, 1}}, values.data());
  EXPECT_EQ(values, (std::vector<double>{1, 2, 3}));
}

TEST_F(ValueFiles, WrongMatricesAreRefused) {
  EXPECT_EQ(refusal_of_table("1 2 3 4\n1 2 3\n"),
            "q.csv:2: has 3 numbers, the rows before it have 4");
  EXPECT_EQ(refusal_of_table("1 2 3 4\n1 2 3 4\n"),
            "q.csv: its shape is (2, 4), the grid's is (3, 4) (y, x)");
  EXPECT_EQ(refusal_of_table("1 2 3 4\n1 2 3 b\n"), "q.csv:2: \"b\" is not a number");
  EXPECT_EQ(refusal_of_table("0 0 1\n0 1 2\n"),
            "q.csv: a table of places and values needs a header, as in \"x, y, value\"");
  EXPECT_EQ(refusal_of_table(""), "q.csv contains no numbers");
  EXPECT_EQ(refusal_of_table(std::string(100000, ' ')),
            "q.csv has 100000 bytes, too many for 12 values (the grid's points)");
}

/// Returns a table of all points in reverse order, with rounded coordinates.
std::string table(std::string const& header) {
  std::string text = header;
  for (std::int64_t j = ny - 1; j >= 0; --j) {
    for (std::int64_t i = nx - 1; i >= 0; --i) {
      text += '\n' + std::to_string(j) + "," + std::to_string(0.1 * static_cast<double>(i)) +
              ",7," + std::to_string(value_at(i, j, 0));
    }
  }
  return text;
}

TEST_F(ValueFiles, TablesHoldPlacesInAnyOrder) {
  expect_values(*open_table(file("t.csv", table("y [m],\"X (m)\",other,T")), "T", plane), 1);
  expect_values(*open_table(file("t.csv", table("# y,x,z,T")), "", plane), 1);
  EXPECT_EQ(refusal_of_table(table("y,x,other,T")),
            "q.csv:1: several columns of values: name one by dataset = \"...\" (there are "
            "\"other\", \"T\")");
  EXPECT_EQ(refusal_of_table(table("y,x,other,T"), "U"),
            "q.csv:1: there is no column \"U\" (there are \"other\", \"T\")");
  EXPECT_EQ(refusal_of_table(table("y,b,other,T")),
            "q.csv:1: the header has no column x (needs a column for each of y, x, or a matrix "
            "without header)");
  EXPECT_EQ(refusal_of_table("u,h\n20,5\n90,70"),
            "q.csv:1: the header has no column y (needs a column for each of y, x, or a matrix "
            "without header; a function of u is { table = \"q.csv\" })");
  EXPECT_EQ(refusal_of_table("x,y,T\n0.05,0,1"),
            "q.csv:2: x = 0.05 is not the place of a point (the nearest is at 0.1)");
  EXPECT_EQ(refusal_of_table("x,y,T\n0.1,0,1\n0.1,0,1"),
            "q.csv:3: a line before it has a value for the same point");
  EXPECT_EQ(refusal_of_table("x,y,T\n0,0,1\n0.1,0,1"),
            "q.csv: 10 of 12 points have no value, the first is at x = 0.2, y = 0");
  EXPECT_EQ(refusal_of_table(table("y,x,T [K],T [C]"), "T"),
            "q.csv:1: several columns have the name \"T\" (units do not distinguish them)");
  EXPECT_EQ(refusal_of_table(table("y,x,X,T")),
            "q.csv:1: several columns have the name \"X\" (units do not distinguish them)");
  EXPECT_EQ(refusal_of_table("x,y,T\n0,0"), "q.csv:2: has 2 columns, the header has 3");
}

TEST_F(ValueFiles, ColoursBecomeTheGreyOfTheirLinearLuminance) {
  // Pure red has the relative luminance 0.2126, whose sRGB level is 1.055 * 0.2126^(1/2.4) - 0.055.
  std::string red;
  for (int pixel = 0; pixel < 12; ++pixel) red += {'\xff', '\0', '\0'};
  std::vector<double> values(12);
  GlobalBox const all{{0, 0, 0}, {nx, ny, 1}};
  open_picture(file("p.png", png(4, 3, red, 3)), false, plane)->read(all, values.data());
  double const level = 1.055 * std::pow(0.2126, 1 / 2.4) - 0.055;
  double const rounding = 1.5 / 255;  // libpng computes with tables
  for (double const value : values) EXPECT_NEAR(value, level, rounding);
}

TEST_F(ValueFiles, PicturesHaveTheLargestYAtTheTop) {
  std::string const pixels = std::string("\xff\xff\xff\xff\0\0\0\0\0\x33\x66\xff", 12);
  std::vector<double> values(12);
  GlobalBox const all{{0, 0, 0}, {nx, ny, 1}};
  std::vector<double> const grey{0, 0.2, 0.4, 1, 0, 0, 0, 0, 1, 1, 1, 1};
  open_picture(file("p.png", png(4, 3, pixels)), false, plane)->read(all, values.data());
  EXPECT_EQ(values, grey);
  std::string twice, colours, opaque;
  for (char const pixel : pixels) {
    twice += {pixel, pixel};
    colours += {pixel, pixel, pixel};
    opaque += {pixel, '\xff'};
  }
  open_picture(file("p.png", png(4, 3, colours, 3)), false, plane)->read(all, values.data());
  EXPECT_EQ(values, grey);
  open_picture(file("p.png", png(4, 3, opaque, 2)), false, plane)->read(all, values.data());
  EXPECT_EQ(values, grey);
  open_picture(file("p.png", png(4, 3, twice, 1, 16)), false, plane)->read(all, values.data());
  EXPECT_EQ(values, grey);
  open_picture(file("p.png", png(2, 1, std::string("\0\xff", 2))), true, plane)
      ->read(all, values.data());
  EXPECT_EQ(values, (std::vector<double>{0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1}));
}

TEST_F(ValueFiles, WrongPicturesAreRefused) {
  auto const said = [&](std::string const& bytes, bool stretch, RequiredShape const& shape) {
    return refusal([&] { (void)open_picture(file("p.png", bytes), stretch, shape); });
  };
  EXPECT_EQ(said(png(2, 1, "ab"), false, plane),
            "p.png has 2 x 1 pixels, the grid's points are 4 x 3 (scale the picture, or add "
            "stretch = true)");
  EXPECT_EQ(said(png(2, 1,
                     "a\x01"
                     "b\xff",
                     2),
                 true, plane),
            "p.png has transparent pixels (save it without an alpha channel)");
  EXPECT_TRUE(said(png(2, 1, "ab"), true, volume).starts_with("p.png: a picture has two axes"));
  EXPECT_TRUE(said("GIF", true, plane).starts_with("p.png is not a readable PNG picture: "));
  std::string const large = png(0x7fffffff, 0x7fffffff, "");
  EXPECT_NE(said(large, true, plane), "accepted");
}

/// Returns the surface of a file.
ClosedSurface surface_of(std::string const& path, double scale = 1.0) {
  return {read_stl(path, scale, {}), path};
}

TEST_F(ValueFiles, BodiesInsideSurfaces) {
  std::array<double, 3> const low{1, 2, 3}, high{2, 4, 6};
  auto triangles = box_triangles(low, high);
  for (std::string const& bytes : {stl(triangles), stl_text(triangles)}) {
    ClosedSurface const box = surface_of(file("box.stl", bytes), 0.5);
    EXPECT_EQ(box.lower(), (PerAxis<double>{0.5, 1, 1.5}));
    EXPECT_DOUBLE_EQ(box.volume(), 0.75);
    // Lattices that pass through the diagonals of faces, their edges and their lower ends.
    for (double x = 0.25; x < 1.5; x += 0.125) {
      for (double y = 0.5; y < 2.5; y += 0.125) {
        for (double z = 1.25; z < 3.5; z += 0.125) {
          bool const inside = x >= 0.5 && x < 1 && y >= 1 && y < 2 && z >= 1.5 && z < 3;
          EXPECT_EQ(box.contains(x, y, z), inside) << x << ' ' << y << ' ' << z;
        }
      }
    }
  }
  // A cavity is outside; bodies that overlap are one.
  for (Corners triangle : box_triangles({1.25, 2.5, 4}, {1.75, 3.5, 5})) {
    std::swap(triangle[1], triangle[2]);
    triangles.push_back(triangle);
  }
  for (Corners const& triangle : box_triangles({1.9, 2, 3}, {3, 3, 4}))
    triangles.push_back(triangle);
  ClosedSurface const part = surface_of(file("part.stl", stl(triangles)));
  EXPECT_FALSE(part.contains(1.5, 3, 4.5));
  EXPECT_TRUE(part.contains(1.1, 3, 4.5));
  EXPECT_TRUE(part.contains(1.95, 2.5, 3.5));
  EXPECT_TRUE(part.contains(2.5, 2.5, 3.5));
}

/// Returns a sphere with its poles on the z axis.
std::vector<Corners> sphere(int n) {
  std::vector<Corners> all;
  auto const place = [n](int i, int j) -> std::array<double, 3> {
    double const polar = M_PI * i / n, azimuth = M_PI * (j % (2 * n)) / n;
    if (i == 0 || i == n) return {0, 0, i == 0 ? 1.0 : -1.0};
    return {std::sin(polar) * std::cos(azimuth), std::sin(polar) * std::sin(azimuth),
            std::cos(polar)};
  };
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < 2 * n; ++j) {
      if (i > 0) all.push_back({place(i, j), place(i + 1, j), place(i, j + 1)});
      if (i < n - 1) all.push_back({place(i, j + 1), place(i + 1, j), place(i + 1, j + 1)});
    }
  }
  return all;
}

TEST_F(ValueFiles, NoRayPassesBetweenTheTrianglesOfASphere) {
  constexpr int n = 40;
  ClosedSurface const ball = surface_of(file("ball.stl", stl(sphere(n))));
  EXPECT_NEAR(ball.volume(), 4 * M_PI / 3, 0.03);
  std::mt19937 random(1);
  std::uniform_real_distribution<double> any(-1.2, 1.2);
  for (int i = 0; i < 20000; ++i) {
    double const x = any(random), y = any(random), z = any(random), r = std::hypot(x, y, z);
    if (r >= 0.996 && r <= 1.0) continue;  // between the sphere and its triangles
    EXPECT_EQ(ball.contains(x, y, z), r < 1.0) << x << ' ' << y << ' ' << z;
  }
  // The ray through both poles meets the corners of many triangles.
  EXPECT_TRUE(ball.contains(0, 0, 0));
  EXPECT_FALSE(ball.contains(0, 0, -1.1));
}

TEST_F(ValueFiles, WrongSurfacesAreRefused) {
  auto const said = [&](std::string const& bytes) {
    return refusal([&] { (void)surface_of(file("s.stl", bytes)); })
        .substr(0, std::string("s.stl is not a closed surface: it has 3 open edges").size());
  };
  auto triangles = box_triangles({0, 0, 0}, {1, 1, 1});
  auto open = triangles;
  open.pop_back();
  EXPECT_EQ(said(stl(open)), "s.stl is not a closed surface: it has 3 open edges");
  std::swap(triangles[0][0], triangles[0][1]);
  EXPECT_EQ(said(stl(triangles)), "s.stl: the triangles on both sides of 3 edges turn");
  EXPECT_EQ(said("solid\nfacet\nvertex 0 0 0\nvertex 1 0 0\nendfacet"),
            "s.stl is damaged: facet 1 has not three corners");
  EXPECT_EQ(said("solid\nfacet\nvertex 0 0 a"),
            "s.stl is damaged: \"a\" in facet 1 is not a number");
  EXPECT_EQ(said(stl({})), "s.stl contains no triangle");
  EXPECT_EQ(said("abc"), "s.stl is not an STL file");
  open[0][0][0] = NAN;
  EXPECT_EQ(said(stl(open)), "s.stl is damaged: a coordinate is not a finite num");
  EXPECT_EQ(said(stl(open) + "x"), "s.stl is truncated, or not an STL file: for its 11");
}

}  // namespace
}  // namespace isotherm::test
