#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <vector>

#include "app/post/fields/result_file.hpp"
#include "case/case.hpp"
#include "tests/io/support.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/functions.hpp"

namespace isotherm::test {
using namespace app;

/// Base class for tests of commands that compute fields from files, on all ranks.
class FieldCommandTest : public BackendTest {
 protected:
  mpi::Communicator world_{MPI_COMM_WORLD};
  SharedDirectory directory_{world_};
  FieldFiles files_{directory_ / "u_000001.vtkhdf", directory_ / "made.vtkhdf", true};
  DeviceChoice device_ = tested_backend() == Backend::cuda ? DeviceChoice::cuda : DeviceChoice::cpu;

  /// @param values_of_part  returns the values of a rank's part
  template <class Real, class Values>
  void write_field(std::filesystem::path const& path, Grid const& grid,
                   Values const& values_of_part) const {
    Subdomain const part(grid, choose_decomposition(grid, world_.size()), world_.rank());
    std::vector<Real> const values = values_of_part(part);
    write_snapshot<Real>(world_, path, some_info(), part, values.data(), {}, {});
  }

  template <class Real>
  void write(std::filesystem::path const& path, Grid const& grid, Function const& function) const {
    write_field<Real>(path, grid, [&](Subdomain const& part) {
      return values_on<Real>(grid, part.owned_global(), function);
    });
  }

  /// Returns all values of the output file.
  template <class Real>
  [[nodiscard]] std::vector<Real> made_on(Grid const& grid) const {
    mpi::Communicator const alone(MPI_COMM_SELF);
    std::vector<Real> values(static_cast<std::size_t>(grid.point_count()));
    read_snapshot(alone, files_.output, {grid, {1, 1, 1}, 0}, values.data());
    return values;
  }

  /// Expects a single rank to compute the same bits.
  /// @param command  (communicator, files): writes the file of a single rank
  template <class Real, class Command>
  void expect_same_alone(std::vector<Real> const& found, Command const& command) const {
    if (world_.is_root()) {
      FieldFiles files = files_;
      files.output = directory_ / "alone.vtkhdf";
      mpi::Communicator const alone(MPI_COMM_SELF);
      command(alone, files);
      Grid const grid = read_snapshot_info(files.output).grid;
      std::vector<Real> values(static_cast<std::size_t>(grid.point_count()));
      read_snapshot(alone, files.output, {grid, {1, 1, 1}, 0}, values.data());
      EXPECT_EQ(values, found);
    }
    world_.barrier();
  }
};

}  // namespace isotherm::test
