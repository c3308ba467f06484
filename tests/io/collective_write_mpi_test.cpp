#include <gtest/gtest.h>

#include <random>

#include "io/hdf5.hpp"
#include "tests/io/support.hpp"

// Plain HDF5, without isotherm's layout: small datasets of odd sizes, cut into as many chunks as
// there are ranks, through a Cartesian communicator. That is how an MPI library shows that it loses
// data in collective writes. Open MPI 4.1.4 does so unless mpi::Session mends it: compressed chunks
// on 3 or 4 ranks then fail, or wait for ever, within a few writes.

namespace isotherm::test {
namespace {

struct Storage {
  char const* name;
  bool chunked;
  bool filtered;
};

class CollectiveHdf5 : public testing::TestWithParam<Storage> {};

/// As many chunks as ranks, nearly what each owns.
hdf5::PropertyList creation_list(Storage storage, Extent3 points, Extent3 parts) {
  hdf5::PropertyList list(hdf5::check(H5Pcreate(H5P_DATASET_CREATE)));
  auto const chunk = hdf5::to_zyx(
      {points.x, (points.y + parts.y - 1) / parts.y, (points.z + parts.z - 1) / parts.z});
  if (storage.chunked) {
    hdf5::check(H5Pset_chunk(list.get(), 3, chunk.data()));
  }
  if (storage.filtered) {
    hdf5::check(H5Pset_shuffle(list.get()));
    hdf5::check(H5Pset_deflate(list.get(), 1));
    hdf5::check(H5Pset_fletcher32(list.get()));
  }
  return list;
}

void write_together(mpi::Communicator const& ranks, std::filesystem::path const& path,
                    Subdomain const& subdomain, hdf5::PropertyList const& creation) {
  std::vector<double> const values = values_of<double>(subdomain);
  auto const size = hdf5::to_zyx(subdomain.grid().points);
  auto const start = hdf5::to_zyx(subdomain.owned_global().lower);
  auto const count = hdf5::to_zyx(subdomain.extent());
  hdf5::PropertyList const access(hdf5::check(H5Pcreate(H5P_FILE_ACCESS)));
  hdf5::check(H5Pset_fapl_mpio(access.get(), ranks.get(), MPI_INFO_NULL));
  hdf5::check(H5Pset_coll_metadata_write(access.get(), true));
  hdf5::PropertyList const transfer(hdf5::check(H5Pcreate(H5P_DATASET_XFER)));
  hdf5::check(H5Pset_dxpl_mpio(transfer.get(), H5FD_MPIO_COLLECTIVE));
  hdf5::File const file(
      hdf5::check(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.get())));
  hdf5::Dataspace const space(hdf5::check(H5Screate_simple(3, size.data(), nullptr)));
  hdf5::Dataspace const memory(hdf5::check(H5Screate_simple(3, count.data(), nullptr)));
  hdf5::Dataset const dataset(hdf5::check(H5Dcreate2(
      file.get(), "u", H5T_NATIVE_DOUBLE, space.get(), H5P_DEFAULT, creation.get(), H5P_DEFAULT)));
  hdf5::check(H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, start.data(), nullptr, count.data(),
                                  nullptr));
  hdf5::check(H5Dwrite(dataset.get(), H5T_NATIVE_DOUBLE, memory.get(), space.get(), transfer.get(),
                       values.data()));
}

/// Cuts z, and y where both can be cut.
Extent3 parts_for(int ranks) { return ranks == 4 ? Extent3{1, 2, 2} : Extent3{1, 1, ranks}; }

mpi::Communicator cartesian(Extent3 parts) {
  std::array<int, 3> const sizes{static_cast<int>(parts.z), static_cast<int>(parts.y), 1};
  std::array<int, 3> const periodic{0, 0, 0};
  MPI_Comm comm = MPI_COMM_NULL;
  mpi::check(MPI_Cart_create(MPI_COMM_WORLD, 3, sizes.data(), periodic.data(), 0, &comm));
  mpi::Communicator ranks(comm);
  mpi::check(MPI_Comm_free(&comm));
  return ranks;
}

std::vector<double> read_alone(std::filesystem::path const& path, Grid const& grid) {
  std::vector<double> values(static_cast<std::size_t>(grid.point_count()));
  hdf5::File const file(hdf5::check(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT)));
  hdf5::Dataset const dataset(hdf5::check(H5Dopen2(file.get(), "u", H5P_DEFAULT)));
  hdf5::check(
      H5Dread(dataset.get(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()));
  return values;
}

TEST_P(CollectiveHdf5, LosesNothing) {
  hdf5::QuietErrors const quiet;
  mpi::Communicator const world(MPI_COMM_WORLD);
  Extent3 const parts = parts_for(world.size());
  mpi::Communicator const ranks = cartesian(parts);
  SharedDirectory const directory(world);
  std::mt19937 engine(42);
  std::uniform_int_distribution<std::int64_t> size(10, 50);
  int wrong = 0;

  for (int write = 0; write < 100; ++write) {
    Grid const grid = grid_of({size(engine), size(engine), size(engine)});
    Subdomain const subdomain(grid, parts, world.rank());
    write_together(ranks, directory / "u.h5", subdomain,
                   creation_list(GetParam(), grid.points, parts));
    world.barrier();
    if (world.is_root()) {
      wrong += read_alone(directory / "u.h5", grid) != values_of<double>({grid, {1, 1, 1}, 0});
    }
    world.barrier();
  }

  EXPECT_EQ(wrong, 0);
}

INSTANTIATE_TEST_SUITE_P(Storage, CollectiveHdf5,
                         testing::Values(Storage{"contiguous", false, false},
                                         Storage{"chunked", true, false},
                                         Storage{"compressed", true, true}),
                         [](auto const& test) { return test.param.name; });

}  // namespace
}  // namespace isotherm::test
