#include <gtest/gtest.h>

#include "decomposition/ranks/collective_errors.hpp"

// Failures of one rank are rethrown on all ranks.

namespace isotherm::test {
namespace {

TEST(RethrowOnAllRanks, RethrowsOnAllRanksWithPlaceAndRank) {
  mpi::Communicator const world(MPI_COMM_WORLD);
  int const failing = world.size() - 1;
  try {
    rethrow_on_all_ranks(world, [&] { require(world.rank() != failing, "the disk is full"); });
    ADD_FAILURE() << "the last rank failed";
  } catch (Error const& error) {
    std::string const text = error.what();
    EXPECT_NE(text.find("the disk is full"), std::string::npos) << text;
    EXPECT_EQ(text.find(".cpp"), std::string::npos) << text;
    EXPECT_NE(error.place().find("collective_errors_mpi_test.cpp:"), std::string::npos)
        << error.place();
    EXPECT_EQ(text.find("rank " + std::to_string(failing)) != std::string::npos,
              world.rank() != failing)
        << text;
  }
}

TEST(RethrowOnAllRanks, PreservesInputErrors) {
  mpi::Communicator const world(MPI_COMM_WORLD);
  try {
    on_root(world, [] { throw InputError("no such file"); });
    ADD_FAILURE() << "the root failed";
  } catch (InputError const& error) {
    EXPECT_STREQ(error.what(), "no such file");
  }
}

}  // namespace
}  // namespace isotherm::test
