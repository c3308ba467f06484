#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "decomposition/ranks/attribute.hpp"
#include "decomposition/ranks/mpi.hpp"

// Compiled with decomposition/ranks/serial/mpi.h instead of an MPI library's header, as builds
// without MPI are.

namespace isotherm::test {
namespace {

mpi::Communicator const& alone() {
  static int no_arguments = 0;
  static char** none = nullptr;
  static mpi::Session const session(no_arguments, none);
  static mpi::Communicator const world = mpi::Communicator::world();
  return world;
}

TEST(SerialRanks, ThereIsOneRank) {
  EXPECT_EQ(alone().size(), 1);
  EXPECT_EQ(alone().local_size(), 1);
  EXPECT_TRUE(alone().is_root());
  EXPECT_EQ(mpi::number_of_ranks(), 1);
  EXPECT_TRUE(alone().first(1).has_value());
  EXPECT_TRUE(mpi::is_running());
}

TEST(SerialRanks, AttributesAreReplaced) {
  EXPECT_EQ(mpi::find_attribute<std::string>(alone().get()), nullptr);
  EXPECT_EQ(mpi::set_attribute(alone().get(), std::string("first")), "first");
  EXPECT_EQ(mpi::set_attribute(alone().get(), std::string("second")), "second");
  EXPECT_EQ(*mpi::find_attribute<std::string>(alone().get()), "second");
}

TEST(SerialRanks, ReductionsReturnTheOwnValues) {
  alone().barrier();
  alone().wait_asleep();
  EXPECT_EQ(alone().sum(2.5), 2.5);
  EXPECT_EQ(alone().min(-0.5), -0.5);
  EXPECT_EQ(alone().sum(std::int64_t{-3}), -3);
  EXPECT_TRUE(alone().any(true));
  EXPECT_FALSE(alone().any(false));
  EXPECT_EQ(alone().sum(std::vector<double>{1.0, 2.0}), (std::vector<double>{1.0, 2.0}));
  EXPECT_EQ(alone().sum(std::vector<std::uint64_t>{7}), std::vector<std::uint64_t>{7});
}

TEST(SerialRanks, GathersAndBroadcastsReturnTheOwnValues) {
  std::vector<std::string> const texts{"a", "", "long enough for the heap, unlike the others"};
  EXPECT_EQ(alone().broadcast(texts), texts);
  EXPECT_EQ(alone().broadcast(std::uint64_t{9}), 9U);
  EXPECT_EQ(alone().gather("mine"), std::vector<std::string>{"mine"});
  EXPECT_EQ(alone().all_gather(""), std::vector<std::string>{""});
  EXPECT_EQ(alone().first_text("fault"), "fault");
  std::vector<float> all;
  alone().all_gather(std::vector<float>{1.0F, 2.0F}, {2}, all);
  EXPECT_EQ(all, (std::vector<float>{1.0F, 2.0F}));
}

TEST(SerialRanks, ExchangeReturnsWhatIsSentToOneself) {
  mpi::Bytes const bytes{1, 2};
  std::vector<mpi::Bytes> const received = alone().exchange({bytes});
  ASSERT_EQ(received.size(), 1U);
  EXPECT_EQ(received[0], bytes);
}

TEST(SerialRanks, MessagesFailWithAReason) {
  MPI_Request request = MPI_REQUEST_NULL;
  char value = 0;
  try {
    mpi::check(MPI_Isend(&value, 1, MPI_BYTE, 0, 0, alone().get(), &request));
    FAIL() << "a message was sent";
  } catch (Error const& error) {
    EXPECT_NE(std::string(error.what()).find("without MPI"), std::string::npos) << error.what();
  }
}

TEST(SerialRanks, RefusesLaunchersAndForeignCommunicators) {
  (void)alone();
  setenv("PMI_SIZE", "2", 1);
  try {
    mpi::check_launcher();
    ADD_FAILURE() << "two processes were accepted";
  } catch (InputError const& error) {
    EXPECT_NE(std::string(error.what()).find("built without MPI"), std::string::npos);
  }
  unsetenv("PMI_SIZE");
  mpi::check_launcher();
  EXPECT_THROW(mpi::Communicator::from_address(0), InputError);
}

}  // namespace
}  // namespace isotherm::test
