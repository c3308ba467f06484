#include <gtest/gtest.h>

#include <cairo.h>
#include <cmath>
#include <cstring>
#include <fstream>
#include <map>

#include "io/hdf5/hdf5.hpp"
#include "io/picture/colour_map.hpp"
#include "io/picture/picture.hpp"
#include "io/picture/slice_sampling.hpp"
#include "io/snapshot/compare/compare_fields.hpp"
#include "io/snapshot/layout.hpp"
#include "tests/io/support.hpp"

// Files of graded grids.

namespace isotherm::test {
namespace {

std::vector<double> const along_x{0.0, 0.125, 0.5, 1.5, 4.0};
std::vector<double> const along_z{-2.0, -1.0, 1.0, 1.5};

Grid in_3d() {
  Grid const even = make_grid(3, {5, 6, 4}, {0, 1, 0}, {1, 2, 1}, {false, true, false});
  return with_coordinates(with_coordinates(even, 0, along_x), 2, along_z);
}
Grid in_2d() {
  return with_coordinates(make_grid(2, {5, 6, 1}, {0, 1, 0}, {1, 2, 1}, {}), 0, along_x);
}

std::vector<double> numbers(hdf5::File const& file, std::string const& path) {
  hdf5::Dataset const data(hdf5::check(H5Dopen2(file.get(), path.c_str(), H5P_DEFAULT)));
  std::vector<double> values(hdf5::shape_of(data).at(0));
  hdf5::check(H5Dread(data.get(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()));
  return values;
}

class GradedFiles : public testing::Test {
 protected:
  void write(std::filesystem::path const& file, Grid const& grid,
             StorageOptions const& options = {}, std::int64_t iteration = 3) {
    Subdomain const part(grid, choose_decomposition(grid, world.size()), world.rank());
    std::vector<double> const values = values_of<double>(part);
    SnapshotInfo info = some_info();
    info.iteration = iteration;
    info.is_checkpoint = false;
    write_snapshot<double>(world, file, info, part, values.data(), {}, options);
    world.barrier();
  }
  [[nodiscard]] hdf5::File opened() const {
    return hdf5::File(hdf5::check(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT)));
  }
  [[nodiscard]] std::string text_of(std::string const& name) const {
    std::ifstream file(directory / name);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  mpi::Communicator world{MPI_COMM_WORLD};
  SharedDirectory directory{world};
  std::filesystem::path path = directory / "u_000003.vtkhdf";
};

TEST_F(GradedFiles, PreserveCoordinatesBitForBit) {
  for (int const deflate : {0, 1}) {
    for (Grid const& grid : {in_3d(), in_2d()}) {
      write(path, grid, {.deflate_level = deflate});
      SnapshotInfo const info = read_snapshot_info(path);
      EXPECT_EQ(info.grid, grid);
      EXPECT_EQ(info.format, 2);
      verify_snapshot(path, info);
      Subdomain const part(grid, choose_decomposition(grid, world.size()), world.rank());
      std::vector<double> values(static_cast<std::size_t>(part.owned().point_count()));
      read_snapshot(world, path, part, values.data());
      EXPECT_EQ(values, values_of<double>(part));
      world.barrier();
    }
  }
}

TEST_F(GradedFiles, UniformGridsRemainReadableByOldPrograms) {
  write(path, grid_of({5, 6, 4}));
  EXPECT_EQ(read_snapshot_info(path).format, 1);
  hdf5::File const file = opened();
  EXPECT_EQ(H5Lexists(file.get(), "/isotherm/coordinates", H5P_DEFAULT), 0);
  EXPECT_EQ(H5Aexists_by_name(file.get(), "/isotherm", "graded", H5P_DEFAULT), 0);
}

TEST_F(GradedFiles, CutHasItsOwnCoordinates) {
  write(path, in_3d(), {.cut = GlobalBox{{1, 0, 1}, {4, 6, 4}}});
  Grid const cut = read_snapshot_info(path).grid;
  EXPECT_EQ(coordinates_of(cut, 0), (std::vector<double>{0.125, 0.5, 1.5}));
  EXPECT_EQ(coordinates_of(cut, 2), (std::vector<double>{-1.0, 1.0, 1.5}));
  EXPECT_EQ(numbers(opened(), "/VTKHDF/XCoordinates"), (std::vector<double>{0.125, 0.5, 1.5}));
  world.barrier();

  write(path, in_3d(), {.cut = GlobalBox{{3, 0, 0}, {4, 6, 4}}});
  Grid const plane = read_snapshot_info(path).grid;
  EXPECT_FALSE(plane.is_graded(0));
  EXPECT_EQ(plane.lower[0], 1.5);
  EXPECT_EQ(coordinates_of(plane, 2), along_z);
}

TEST_F(GradedFiles, AreRectilinearGridsToVtk) {
  write(path, in_3d());
  hdf5::File const file = opened();
  hdf5::Group const vtk(hdf5::check(H5Gopen2(file.get(), "/VTKHDF", H5P_DEFAULT)));
  EXPECT_EQ(hdf5::read_text_attribute(vtk.get(), "Type"), "RectilinearGrid");
  EXPECT_EQ(hdf5::read_attribute<std::int64_t>(vtk.get(), "Dimensions", 3),
            (std::vector<std::int64_t>{5, 6, 4}));
  EXPECT_EQ(H5Aexists(vtk.get(), "Spacing"), 0);
  EXPECT_EQ(numbers(file, "/VTKHDF/XCoordinates"), along_x);
  EXPECT_EQ(numbers(file, "/VTKHDF/YCoordinates"), coordinates_of(in_3d(), 1));
  EXPECT_EQ(numbers(file, "/VTKHDF/ZCoordinates"), along_z);
  EXPECT_EQ(numbers(file, "/x"), along_x);
  EXPECT_EQ(numbers(file, "/z"), along_z);
}

TEST_F(GradedFiles, PlanesHaveCellsAroundTheirPoints) {
  write(path, in_2d());
  hdf5::File const file = opened();
  hdf5::Group const vtk(hdf5::check(H5Gopen2(file.get(), "/VTKHDF", H5P_DEFAULT)));
  EXPECT_EQ(hdf5::read_attribute<std::int64_t>(vtk.get(), "Dimensions", 3),
            (std::vector<std::int64_t>{6, 7, 2}));
  EXPECT_EQ(numbers(file, "/VTKHDF/XCoordinates"),
            (std::vector<double>{-0.0625, 0.0625, 0.3125, 1.0, 2.75, 5.25}));
  auto const z = numbers(file, "/VTKHDF/ZCoordinates");
  EXPECT_EQ(z.front(), -z.back());
  EXPECT_GT(H5Lexists(file.get(), "/VTKHDF/CellData/u", H5P_DEFAULT), 0);
  EXPECT_EQ(numbers(file, "/x"), along_x);
}

TEST_F(GradedFiles, ChangedCoordinatesAreDamage) {
  write(path, in_3d());
  if (!world.is_root()) return;
  std::ifstream stream(path, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(stream), {}};
  std::string wanted(sizeof(double) * along_z.size(), '\0');
  std::memcpy(wanted.data(), along_z.data(), wanted.size());
  int places = 0;
  for (auto at = bytes.find(wanted); at != std::string::npos; at = bytes.find(wanted, at + 1)) {
    std::string damaged = bytes;
    damaged[at + sizeof(double)] ^= 1;  // flips the last bit of -1.0
    std::ofstream(path, std::ios::binary) << damaged;
    ++places;
    EXPECT_NE(message_of<InputError>([&] { verify_snapshot(path, read_snapshot_info(path)); }), "")
        << "at " << at;
  }
  EXPECT_EQ(places, 3);  // isotherm's own, /z, and VTK's
}

TEST_F(GradedFiles, MissingCoordinatesAreDamage) {
  if (world.size() > 1) GTEST_SKIP() << "nothing here is collective";
  auto const refusal = [&](auto const& damage) {
    write(path, in_3d());
    {
      hdf5::File const file(hdf5::check(H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT)));
      hdf5::Group const own(hdf5::check(H5Gopen2(file.get(), "/isotherm", H5P_DEFAULT)));
      damage(own.get());
    }
    return message_of<InputError>([&] { (void)read_snapshot_info(path); });
  };
  auto const rewrite = [](hid_t own, char const* name, std::vector<std::int64_t> const& numbers) {
    hdf5::check(H5Adelete(own, name));
    hdf5::write_attribute(own, name, numbers);
  };
  auto const contains = [](std::string const& text, char const* part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  contains(refusal([](hid_t own) { hdf5::check(H5Ldelete(own, "coordinates/z", H5P_DEFAULT)); }),
           "is damaged: ");
  contains(refusal([](hid_t own) { hdf5::check(H5Adelete(own, "graded")); }), "is damaged: ");
  contains(refusal([&](hid_t own) { rewrite(own, "graded", {2, 0, 1}); }), "its graded is 2");
  contains(refusal([&](hid_t own) { rewrite(own, "graded", {1, 0, 0}); }), "its checksum is wrong");
  contains(refusal([&](hid_t own) {
             rewrite(own, "points", {std::int64_t{1} << 40, 6, 4});
           }),
           "too few for 1099511627776 coordinates");
  contains(refusal([&](hid_t own) {
             rewrite(own, "periodic", {1, 0, 0});
           }),
           "the x axis is periodic");
}

TEST_F(GradedFiles, FormASeriesOfRectilinearGrids) {
  write(path, in_2d());
  write(directory / "u_000004.vtkhdf", in_2d(), {}, 4);
  if (!world.is_root()) return;
  write_series(directory.path(), "u", list_snapshots(directory.path(), "u"), true);
  std::string const xdmf = text_of("u.xmf");
  EXPECT_EQ(xdmf.find("CoRect"), std::string::npos);
  std::string const one = R"(      <Grid Name="u" GridType="Uniform">
        <Time Value="4"/>
        <Topology TopologyType="3DRectMesh" Dimensions="1 6 5"/>
        <Geometry GeometryType="VXVYVZ">
          <DataItem Dimensions="5" NumberType="Float" Precision="8" Format="HDF">u_000004.vtkhdf:/x</DataItem>
          <DataItem Dimensions="6" NumberType="Float" Precision="8" Format="HDF">u_000004.vtkhdf:/y</DataItem>
          <DataItem Dimensions="1" NumberType="Float" Precision="8" Format="HDF">u_000004.vtkhdf:/z</DataItem>
        </Geometry>
        <Attribute Name="u" AttributeType="Scalar" Center="Node">
          <DataItem Dimensions="1 6 5" NumberType="Float" Precision="8" Format="HDF">u_000004.vtkhdf:/VTKHDF/CellData/u</DataItem>
        </Attribute>
      </Grid>
)";
  EXPECT_NE(xdmf.find(one), std::string::npos) << xdmf;
}

TEST_F(GradedFiles, OtherCoordinatesAreAnotherKind) {
  write(path, in_2d());
  auto other = along_x;
  other[2] = 0.75;
  Grid const moved = with_coordinates(in_2d(), 0, other);
  write(directory / "other.vtkhdf", moved);
  SnapshotInfo const a = read_snapshot_info(path);
  SnapshotInfo const b = read_snapshot_info(directory / "other.vtkhdf");
  EXPECT_EQ(a.grid.spacing, b.grid.spacing);
  EXPECT_FALSE(same_kind(a, b));
  EXPECT_TRUE(same_kind(a, a));
  FieldDifference const same_index = compare_fields(world, path, directory / "other.vtkhdf");
  EXPECT_EQ(same_index.different_points, 0);
  EXPECT_FALSE(same_index.same_coordinates);
  EXPECT_TRUE(compare_fields(world, path, path).same_coordinates);
}

/// Writes a file of x + 3 y on a grid.
void write_linear(mpi::Communicator const& ranks, std::filesystem::path const& path,
                  Grid const& grid) {
  Subdomain const part(grid, choose_decomposition(grid, ranks.size()), ranks.rank());
  std::vector<double> values;
  Extent3 const n = part.extent();
  for (std::int64_t i = 0; i < n.x * n.y; ++i) {
    Index3 const at = part.to_global(Index3{i % n.x, i / n.x, 0});
    values.push_back(grid.coordinate(0, at.x) + 3.0 * grid.coordinate(1, at.y));
  }
  SnapshotInfo info = some_info();
  info.can_resume = false;
  write_snapshot<double>(ranks, path, info, part, values.data(), {}, {});
  ranks.barrier();
}

TEST_F(GradedFiles, AreComparedByInterpolation) {
  write_linear(world, path, in_2d());
  write_linear(world, directory / "even.vtkhdf", make_grid(2, {9, 6, 1}, {0, 1, 0}, {4, 2, 0}, {}));
  for (auto const& [a, b, points, coinciding] :
       {std::tuple{path, directory / "even.vtkhdf", 30, 4 * 6},
        std::tuple{directory / "even.vtkhdf", path, 54, 4 * 6}}) {
    FieldDifference const found = compare_fields(world, a, b);
    EXPECT_LT(found.largest, 1e-14);
    EXPECT_EQ(found.points, points);
    ASSERT_TRUE(found.interpolated.has_value());
    EXPECT_EQ(found.interpolated->coinciding, coinciding);
  }
}

/// Counts the columns of a picture by colour. The field is 1 up to x = 0.5 and 0 from x = 1.5 on.
TEST_F(GradedFiles, PicturesShowPointsAtTheirCoordinates) {
  Grid const grid = with_coordinates(make_grid(2, {5, 6, 1}, {0, 0, 0}, {1, 4, 1}, {}), 0, along_x);
  Subdomain const part(grid, choose_decomposition(grid, world.size()), world.rank());
  std::vector<double> values;
  Extent3 const n = part.extent();
  for (std::int64_t i = 0; i < n.x * n.y; ++i) {
    values.push_back(part.to_global(Index3{i % n.x, 0, 0}).x < 3 ? 1.0 : 0.0);
  }
  PictureOptions options{"graded"};
  write_picture(world, directory / "u.png", part, values.data(), options);
  world.barrier();
  cairo_surface_t* const surface =
      cairo_image_surface_create_from_png((directory / "u.png").c_str());
  int const width = cairo_image_surface_get_width(surface);
  int const height = cairo_image_surface_get_height(surface);
  auto const at = [&](int x, int y) {
    std::uint32_t point = 0;
    std::memcpy(
        &point,
        cairo_image_surface_get_data(surface) + y * cairo_image_surface_get_stride(surface) + 4 * x,
        sizeof point);
    return point & 0xffffffU;
  };
  auto const number = [](Colour colour) {
    return std::uint32_t{colour[0]} << 16U | std::uint32_t{colour[1]} << 8U | colour[2];
  };
  std::map<std::uint32_t, int> columns;  // in a middle row, left of the colour bar
  int first = -1;
  for (int x = 0; x < width * 7 / 8; ++x) {
    std::uint32_t const colour = at(x, height / 2);
    if (first < 0 && colour == number(colour_of(1.0))) first = x;
    if (first >= 0) ++columns[colour];
  }
  cairo_surface_destroy(surface);
  int const ones = columns[number(colour_of(1.0))];
  int const zeros = columns[number(colour_of(0.0))];
  ASSERT_GT(ones, 50);
  // it would be 5/4 if the points were equidistant
  EXPECT_NEAR(static_cast<double>(zeros) / ones, 2.5 / 0.5, 0.15);
  world.barrier();
}

TEST_F(GradedFiles, SlicesAreNearestTheMiddleOfTheBox) {
  Grid const grid = in_3d();  // from 0 to 4 and from -2 to 1.5
  Slice const across_x = slices_of(grid, {})[2];
  EXPECT_EQ(across_x.normal, 0);
  EXPECT_EQ(across_x.index, 3);                // 1.5 is the point nearest to 2
  EXPECT_EQ(slices_of(grid, {})[0].index, 1);  // -1 is the point nearest to -0.25
  EXPECT_EQ(slices_of(grid, {})[1].index, 3);  // middle of a uniform axis
}

}  // namespace
}  // namespace isotherm::test
