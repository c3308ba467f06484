#include <gtest/gtest.h>

#include <fstream>
#include <tuple>

#include "io/hdf5/hdf5.hpp"
#include "io/snapshot/datasets/stored_field.hpp"
#include "io/snapshot/layout.hpp"
#include "io/snapshot/snapshot.hpp"
#include "tests/io/support.hpp"

// Writing snapshots and reading them back.

namespace isotherm::test {
namespace {

Subdomain whole_grid(Grid const& grid) { return {grid, {1, 1, 1}, 0}; }

/// The values that a single rank reads from a file.
template <class Real>
std::vector<Real> read_whole(std::filesystem::path const& path, Grid const& grid) {
  mpi::Communicator const alone(MPI_COMM_SELF);
  Subdomain const all = whole_grid(grid);
  std::vector<Real> values(static_cast<std::size_t>(grid.point_count()));
  read_snapshot(alone, path, all, values.data());
  return values;
}

/// The values at the points of `cut`, dense.
template <class Real>
std::vector<Real> values_in(GlobalBox cut) {
  std::vector<Real> values;
  for (std::int64_t k = cut.lower.z; k < cut.upper.z; ++k) {
    for (std::int64_t j = cut.lower.y; j < cut.upper.y; ++j) {
      for (std::int64_t i = cut.lower.x; i < cut.upper.x; ++i) {
        values.push_back(value_at<Real>({i, j, k}));
      }
    }
  }
  return values;
}

std::string bytes_in(std::filesystem::path const& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The creation time of an object in HDF5; 0 if none is stored.
time_t time_of(std::filesystem::path const& path, char const* object) {
  hdf5::File const file(hdf5::check(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT)));
  H5O_info_t info{};
  hdf5::check(H5Oget_info_by_name(file.get(), object, &info, H5P_DEFAULT));
  return info.btime;
}

template <class Real>
class Snapshot : public testing::Test {
 protected:
  void write(Grid const& grid, Extent3 parts, StorageOptions const& options = {}) {
    Subdomain const subdomain(grid, parts, world.rank());
    std::vector<Real> const values = values_of<Real>(subdomain);
    write_snapshot<Real>(world, path, some_info(), subdomain, values.data(), {}, options);
  }

  mpi::Communicator world{MPI_COMM_WORLD};
  SharedDirectory directory{world};
  std::filesystem::path path = directory / "u_001234.vtkhdf";
};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(Snapshot, Precisions);

TYPED_TEST(Snapshot, ReadsBackWithAnyDecomposition) {
  for (Extent3 const points : {Extent3{13, 7, 9}, Extent3{41, 33, 1}, Extent3{5, 140, 17}}) {
    Grid const grid = grid_of(points);
    auto const ways = decompositions(grid, this->world.size());
    for (std::size_t way = 0; way < ways.size(); ++way) {
      Subdomain const other(grid, ways[(way + 1) % ways.size()], this->world.rank());
      std::vector<TypeParam> found(static_cast<std::size_t>(other.owned().point_count()));

      this->write(grid, ways[way]);
      read_snapshot(this->world, this->path, other, found.data());

      EXPECT_EQ(found, values_of<TypeParam>(other));
      EXPECT_EQ(read_whole<TypeParam>(this->path, grid), values_in<TypeParam>(grid.box()));
    }
  }
}

TYPED_TEST(Snapshot, PreservesItsDescription) {
  Grid grid = grid_of({9, 8, 7});
  grid.periodic = {true, false, true};
  SnapshotInfo const wanted = some_info();

  this->write(grid, choose_decomposition(grid, this->world.size()));
  SnapshotInfo const found = read_snapshot_info(this->path);

  EXPECT_EQ(found.field, "u");
  EXPECT_EQ(found.grid, grid);
  EXPECT_EQ(found.stored_type, sizeof(TypeParam) == 4 ? Precision::float32 : Precision::float64);
  EXPECT_EQ(found.iteration, wanted.iteration);
  EXPECT_EQ(found.time_s, wanted.time_s);
  EXPECT_EQ(found.is_checkpoint, wanted.is_checkpoint);
  EXPECT_TRUE(found.can_resume);
  EXPECT_EQ(found.case_text, wanted.case_text);
  EXPECT_EQ(found.fingerprint, wanted.fingerprint);
  EXPECT_EQ(found.state, wanted.state);
  EXPECT_EQ(found.version, wanted.version);
  EXPECT_TRUE(found.extra_fields.empty());
}

TYPED_TEST(Snapshot, PreservesEmptyAndLongTexts) {
  Grid const grid = grid_of({4, 4, 4});
  Subdomain const subdomain(grid, choose_decomposition(grid, this->world.size()),
                            this->world.rank());
  std::vector<TypeParam> const values = values_of<TypeParam>(subdomain);
  SnapshotInfo info;
  info.case_text = std::string(200'000, 'c');  // larger than an HDF5 attribute may be

  write_snapshot<TypeParam>(this->world, this->path, info, subdomain, values.data(), {}, {});
  SnapshotInfo const found = read_snapshot_info(this->path);

  EXPECT_EQ(found.case_text, info.case_text);
  EXPECT_EQ(found.state, "");
}

TYPED_TEST(Snapshot, CompressesWithoutLoss) {
  Grid const grid = grid_of({130, 37, 33});

  this->write(grid, choose_decomposition(grid, this->world.size()), {.deflate_level = 4});

  EXPECT_EQ(read_whole<TypeParam>(this->path, grid), values_in<TypeParam>(grid.box()));
  EXPECT_LT(std::filesystem::file_size(this->path), grid.point_count() * sizeof(TypeParam));
}

TYPED_TEST(Snapshot, CutHasItsOwnGridAndCannotResume) {
  Grid const grid = grid_of({11, 12, 13});
  GlobalBox const cut{{2, 0, 5}, {9, 11, 6 + 4}};

  this->write(grid, choose_decomposition(grid, this->world.size()), {.cut = cut});
  SnapshotInfo const found = read_snapshot_info(this->path);

  EXPECT_EQ(found.grid.points, cut.extent());
  EXPECT_EQ(found.grid.lower[0], grid.coordinate(0, 2));
  EXPECT_EQ(found.grid.lower[2], grid.coordinate(2, 5));
  EXPECT_EQ(found.grid.spacing, grid.spacing);
  EXPECT_FALSE(found.can_resume);
  EXPECT_EQ(found.reason_not_resumable, "it contains only a part of the grid");
  EXPECT_EQ(read_whole<TypeParam>(this->path, found.grid), values_in<TypeParam>(cut));
}

TYPED_TEST(Snapshot, PlaneCutIsOneCellThick) {
  Grid const grid = grid_of({11, 12, 13});
  GlobalBox const plane{{0, 6, 0}, {11, 7, 13}};

  this->write(grid, choose_decomposition(grid, this->world.size()), {.cut = plane});
  SnapshotInfo const found = read_snapshot_info(this->path);

  EXPECT_TRUE(layout::vtk_image(found.grid).cells);
  EXPECT_EQ(layout::vtk_image(found.grid).nodes, (Extent3{12, 2, 14}));
  EXPECT_EQ(read_whole<TypeParam>(this->path, found.grid), values_in<TypeParam>(plane));
}

TYPED_TEST(Snapshot, CutIsTheSameForEveryDecomposition) {
  Grid const grid = grid_of({12, 11, 13});
  for (GlobalBox const cut :
       {GlobalBox{{0, 6, 0}, {12, 7, 13}}, GlobalBox{{3, 0, 2}, {4, 11, 9}},
        GlobalBox{{0, 0, 5}, {12, 11, 6}}, GlobalBox{{1, 2, 3}, {11, 3, 4}}}) {
    for (Extent3 const parts : decompositions(grid, this->world.size())) {
      this->write(grid, parts, {.cut = cut});
      SnapshotInfo const found = read_snapshot_info(this->path);
      EXPECT_EQ(read_whole<TypeParam>(this->path, found.grid), values_in<TypeParam>(cut));
      this->world.barrier();
    }
  }
}

TYPED_TEST(Snapshot, StoresSeveralFields) {
  Grid const grid = grid_of({19, 18, 5});
  Subdomain const subdomain(grid, choose_decomposition(grid, this->world.size()),
                            this->world.rank());
  std::vector<TypeParam> const u = values_of<TypeParam>(subdomain);
  std::vector<TypeParam> const source = values_of<TypeParam>(subdomain, -2.0);
  std::vector<TypeParam> found(u.size());

  write_snapshot<TypeParam>(this->world, this->path, some_info(), subdomain, u.data(),
                            {{"source", source.data()}}, {});
  read_dataset(this->world, this->path, "/VTKHDF/PointData/source", subdomain, found.data());

  EXPECT_EQ(found, source);
  EXPECT_EQ(read_snapshot_info(this->path).extra_fields, std::vector<std::string>{"source"});
  EXPECT_EQ(read_whole<TypeParam>(this->path, grid), values_in<TypeParam>(grid.box()));
}

/// Three components per point, contiguous.
template <class Real>
std::vector<Real> vectors_of(std::vector<Real> const& values) {
  std::vector<Real> vectors;
  for (Real const value : values) {
    vectors.insert(vectors.end(), {value, Real{-2} * value, value + Real{0.5}});
  }
  return vectors;
}

TYPED_TEST(Snapshot, StoresVectorsForEveryLayoutAndDecomposition) {
  Grid const grid = grid_of({130, 7, 5});
  for (int const level : {0, 1}) {
    for (GlobalBox const cut : {grid.box(), GlobalBox{{3, 1, 2}, {129, 6, 3}}}) {
      for (Extent3 const parts : decompositions(grid, this->world.size())) {
        Subdomain const subdomain(grid, parts, this->world.rank());
        auto const u = values_of<TypeParam>(subdomain);
        auto const vectors = vectors_of(u);
        write_snapshot<TypeParam>(this->world, this->path, some_info(), subdomain, u.data(),
                                  {{"flux", vectors.data(), 3}, {"source", u.data()}},
                                  {.deflate_level = level, .cut = cut});
        SnapshotInfo const info = read_snapshot_info(this->path);
        EXPECT_EQ(info.vector_fields, std::vector<std::string>{"flux"});
        EXPECT_EQ(info.extra_fields, std::vector<std::string>{"source"});
        EXPECT_EQ(info.format, 3);
        EXPECT_NO_THROW(verify_snapshot(this->path, info));
        auto const wanted = vectors_of(values_in<TypeParam>(cut));
        std::vector<TypeParam> found(wanted.size());
        StoredField const field(this->path, info, "flux");
        Extent3 const n = info.grid.points;
        field.read(GlobalBox{{}, {3 * n.x, n.y, n.z}}, found.data());
        EXPECT_EQ(found, wanted);
        this->world.barrier();
      }
    }
  }
}

TYPED_TEST(Snapshot, ReplacesAnOlderFileWithoutLeftovers) {
  Grid const grid = grid_of({6, 6, 6});
  Extent3 const parts = choose_decomposition(grid, this->world.size());

  this->write(grid_of({12, 12, 12}), parts);
  this->write(grid, parts);

  EXPECT_EQ(read_snapshot_info(this->path).grid, grid);
  EXPECT_FALSE(std::filesystem::exists(this->path.string() + ".tmp"));
}

TYPED_TEST(Snapshot, ChecksumDependsOnTheValuesOnly) {
  Grid const grid = grid_of({17, 9, 8});
  mpi::Communicator const alone(MPI_COMM_SELF);
  Subdomain const all = whole_grid(grid);
  std::vector<TypeParam> values = values_of<TypeParam>(all);
  std::uint64_t const wanted = field_checksum(alone, all, values.data());

  for (Extent3 const parts : decompositions(grid, this->world.size())) {
    Subdomain const subdomain(grid, parts, this->world.rank());
    EXPECT_EQ(field_checksum(this->world, subdomain, values_of<TypeParam>(subdomain).data()),
              wanted);
  }
  std::swap(values[3], values[4]);
  EXPECT_NE(field_checksum(alone, all, values.data()), wanted);
}

TYPED_TEST(Snapshot, SameValuesGiveTheSameFile) {
  Grid const grid = grid_of({17, 9, 8});
  this->write(grid, {1, 1, this->world.size()});
  std::string const bytes = bytes_in(this->path);
  for (Extent3 const parts : decompositions(grid, this->world.size())) {
    this->write(grid, parts);
    EXPECT_TRUE(bytes_in(this->path) == bytes);
  }
  for (char const* const object : {"/", "/VTKHDF", "/VTKHDF/PointData/u", "/isotherm",
                                   "/isotherm/case", "/isotherm/block_checksums/u"}) {
    EXPECT_EQ(time_of(this->path, object), 0) << object;
  }
}

TYPED_TEST(Snapshot, OtherShapeIsRefusedOnEveryRank) {
  this->write(grid_of({12, 10, 8}), choose_decomposition(grid_of({12, 10, 8}), this->world.size()));
  Grid const other = grid_of({12, 8, 10});
  Subdomain const subdomain(other, choose_decomposition(other, this->world.size()),
                            this->world.rank());
  std::vector<TypeParam> values(static_cast<std::size_t>(subdomain.owned().point_count()));

  std::string const message = message_of<InputError>(
      [&] { read_snapshot(this->world, this->path, subdomain, values.data()); });

  EXPECT_NE(message.find("12 x 10 x 8"), std::string::npos) << message;
  EXPECT_NE(message.find("12 x 8 x 10"), std::string::npos) << message;
}

TEST(SnapshotAsFloat32, RoundsAndCannotResume) {
  mpi::Communicator const world(MPI_COMM_WORLD);
  SharedDirectory const directory(world);
  Grid const grid = grid_of({31, 29, 1});
  Subdomain const subdomain(grid, choose_decomposition(grid, world.size()), world.rank());
  std::vector<double> const values = values_of<double>(subdomain);
  std::vector<float> wanted(values.begin(), values.end());
  std::vector<float> found(values.size());
  std::vector<double> as_double(values.size());

  write_snapshot<double>(world, directory / "u_1.vtkhdf", some_info(), subdomain, values.data(), {},
                         {.as_float32 = true});
  SnapshotInfo const info = read_snapshot_info(directory / "u_1.vtkhdf");
  read_snapshot(world, directory / "u_1.vtkhdf", subdomain, found.data());
  std::string const refused = message_of<InputError>(
      [&] { read_snapshot(world, directory / "u_1.vtkhdf", subdomain, as_double.data()); });

  EXPECT_EQ(found, wanted);
  EXPECT_EQ(info.stored_type, Precision::float32);
  EXPECT_FALSE(info.can_resume);
  EXPECT_EQ(info.reason_not_resumable, "its values were rounded to float32");
  EXPECT_NE(refused.find("contains float32 values, but float64 is needed"), std::string::npos)
      << refused;
}

TEST(SnapshotAsFloat32, Float32FieldCanResume) {
  mpi::Communicator const world(MPI_COMM_WORLD);
  SharedDirectory const directory(world);
  Grid const grid = grid_of({8, 9, 1});
  Subdomain const subdomain(grid, choose_decomposition(grid, world.size()), world.rank());
  std::vector<float> const values = values_of<float>(subdomain);

  write_snapshot<float>(world, directory / "u_1.vtkhdf", some_info(), subdomain, values.data(), {},
                        {.as_float32 = true, .cut = grid.box()});

  EXPECT_TRUE(read_snapshot_info(directory / "u_1.vtkhdf").can_resume);
}

}  // namespace
}  // namespace isotherm::test
