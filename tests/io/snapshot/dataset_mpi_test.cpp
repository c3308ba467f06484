#include <gtest/gtest.h>

#include "io/hdf5/hdf5.hpp"
#include "io/snapshot/snapshot.hpp"
#include "tests/io/support.hpp"

// Reading datasets of other programs.

namespace isotherm::test {
namespace {

using Shape = std::vector<hsize_t>;

class ForeignDataset : public testing::Test {
 protected:
  /// Writes the integers 0, 1, 2 … in file order, stored as type `stored`.
  void write(Shape const& shape, hid_t stored) {
    if (world.is_root()) {
      hsize_t count = 1;
      for (hsize_t const size : shape) {
        count *= size;
      }
      std::vector<double> values(count);
      for (std::size_t i = 0; i < count; ++i) {
        values[i] = static_cast<double>(i);
      }
      hdf5::File const file(
          hdf5::check(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)));
      hdf5::Dataspace const space(
          hdf5::check(H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr)));
      hdf5::Dataset const dataset(hdf5::check(H5Dcreate2(file.get(), "/u", stored, space.get(),
                                                         H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)));
      hdf5::check(
          H5Dwrite(dataset.get(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()));
    }
    world.barrier();
  }

  /// Reads the file's dataset into `grid`, and counts the values that differ from those of their
  /// points.
  template <class Real>
  int wrong_values(Grid const& grid, std::string const& name = "/u") {
    Subdomain const subdomain(grid, choose_decomposition(grid, world.size()), world.rank());
    Extent3 const n = subdomain.extent();
    std::vector<Real> values(static_cast<std::size_t>(n.x * n.y * n.z));
    read_dataset(world, path, name, subdomain, values.data());
    int wrong = 0;
    for (std::int64_t i = 0; i < n.x * n.y * n.z; ++i) {
      Index3 const at = subdomain.to_global(Index3{i % n.x, i / n.x % n.y, i / (n.x * n.y)});
      std::int64_t const wanted = at.x + grid.points.x * (at.y + grid.points.y * at.z);
      wrong += values[static_cast<std::size_t>(i)] != static_cast<Real>(wanted) ? 1 : 0;
    }
    return wrong;
  }

  /// Returns the message of read_dataset(); check_dataset() must report the same.
  std::string refusal(Grid const& grid, std::string const& name = "/u") {
    std::string const said = message_of<InputError>([&] { (void)wrong_values<float>(grid, name); });
    EXPECT_EQ(message_of<InputError>([&] { check_dataset(path, name, grid); }), said);
    return said;
  }

  mpi::Communicator world{MPI_COMM_WORLD};
  SharedDirectory directory{world};
  std::filesystem::path path = directory / "mine.h5";
};

TEST_F(ForeignDataset, IsReadInZyxOrder) {
  write({7, 6, 5}, H5T_IEEE_F64LE);
  EXPECT_NO_THROW(check_dataset(path, "/u", grid_of({5, 6, 7})));
  EXPECT_EQ(wrong_values<double>(grid_of({5, 6, 7})), 0);
  EXPECT_EQ(wrong_values<float>(grid_of({5, 6, 7})), 0);
}

TEST_F(ForeignDataset, IsConvertedFromAnyRealType) {
  for (hid_t const type : {H5T_IEEE_F32BE, H5T_STD_U16LE, H5T_STD_I64BE, H5T_STD_I32LE}) {
    write({8, 9}, type);
    EXPECT_EQ(wrong_values<double>(grid_of({9, 8, 1})), 0);
  }
}

TEST_F(ForeignDataset, PlaneIsReadIn2D) {
  write({1, 8, 9}, H5T_IEEE_F32LE);
  EXPECT_EQ(wrong_values<float>(grid_of({9, 8, 1})), 0);
}

TEST_F(ForeignDataset, OtherShapeIsRefusedWithBothShapes) {
  write({5, 6, 7}, H5T_IEEE_F32LE);
  std::string const message = refusal(grid_of({5, 6, 7}));

  EXPECT_NE(
      message.find("mine.h5, dataset \"/u\": its shape is (5, 6, 7), the grid's is (7, 6, 5)"),
      std::string::npos)
      << message;
}

TEST_F(ForeignDataset, TwoAxesAreRefusedIn3D) {
  write({6, 7}, H5T_IEEE_F32LE);
  Grid grid = grid_of({7, 6, 1});
  grid.dimension = 3;

  EXPECT_NE(refusal(grid).find("its shape is (6, 7)"), std::string::npos);
}

TEST_F(ForeignDataset, MissingDatasetIsRefusedByName) {
  write({4, 4}, H5T_IEEE_F32LE);

  std::string const message = refusal(grid_of({4, 4, 1}), "/group/v");

  EXPECT_NE(message.find("dataset \"/group/v\": there is no such dataset"), std::string::npos)
      << message;
}

TEST_F(ForeignDataset, MissingFileIsRefused) {
  EXPECT_NE(refusal(grid_of({4, 4, 1})).find("no such file"), std::string::npos);
}

TEST_F(ForeignDataset, TextIsRefused) {
  if (world.is_root()) {
    hdf5::File const file(
        hdf5::check(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)));
    Shape const shape{4, 4};
    hdf5::Dataspace const space(hdf5::check(H5Screate_simple(2, shape.data(), nullptr)));
    hdf5::Datatype const type = hdf5::text_type(5, H5T_CSET_ASCII);
    hdf5::Dataset const dataset(hdf5::check(H5Dcreate2(file.get(), "/u", type.get(), space.get(),
                                                       H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)));
  }
  world.barrier();

  EXPECT_NE(refusal(grid_of({4, 4, 1})).find("its values are not real numbers"), std::string::npos);
}

}  // namespace
}  // namespace isotherm::test
