#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <random>

#include "decomposition/ranks/attribute.hpp"
#include "decomposition/ranks/mpi.hpp"

// In an MPI test, use EXPECT_*, not ASSERT_*: a rank that leaves early leaves the others waiting in
// their next collective call.

namespace isotherm::test {
namespace {

TEST(Communicator, RanksAreDistinctAndCoverTheSize) {
  mpi::Communicator const world(MPI_COMM_WORLD);

  EXPECT_EQ(world.sum(std::int64_t{1} << world.rank()), (std::int64_t{1} << world.size()) - 1);
  EXPECT_EQ(world.is_root(), world.rank() == 0);
}

TEST(Communicator, LocalRanksAreDistinctOnOneHost) {
  mpi::Communicator const world(MPI_COMM_WORLD);

  // All ranks of the tests run on one host.
  EXPECT_EQ(world.local_size(), world.size());
  EXPECT_EQ(world.local_rank(), world.rank());
}

TEST(Communicator, WorldHasAllRanksAndSelfHasOne) {
  mpi::Communicator const world = mpi::Communicator::world();
  mpi::Communicator const self = mpi::Communicator::self();

  EXPECT_EQ(world.size(), mpi::number_of_ranks());
  EXPECT_EQ(world.rank(), mpi::rank_in_job());
  EXPECT_EQ(self.size(), 1);
}

TEST(Communicator, FromAddressDuplicatesTheCommunicator) {
  mpi::Communicator const world(MPI_COMM_WORLD);
  MPI_Comm parent = world.get();

  mpi::Communicator const copy =
      mpi::Communicator::from_address(reinterpret_cast<std::uintptr_t>(&parent));

  int relation = MPI_UNEQUAL;
  mpi::check(MPI_Comm_compare(parent, copy.get(), &relation));
  EXPECT_EQ(relation, MPI_CONGRUENT);
}

TEST(Communicator, OwnsItsAttributesAlone) {
  using Shared = std::shared_ptr<int>;
  mpi::Communicator const world(MPI_COMM_WORLD);
  auto const first = std::make_shared<int>(1);
  auto const second = std::make_shared<int>(2);
  {
    mpi::Communicator const owner(world.get());
    EXPECT_EQ(mpi::find_attribute<Shared>(owner.get()), nullptr);

    mpi::set_attribute(owner.get(), Shared(first));
    EXPECT_EQ(*mpi::find_attribute<Shared>(owner.get()), first);
    EXPECT_EQ(mpi::find_attribute<int>(owner.get()), nullptr);
    EXPECT_EQ(mpi::find_attribute<Shared>(mpi::Communicator(owner.get()).get()), nullptr);

    EXPECT_EQ(mpi::set_attribute(owner.get(), Shared(second)), second);
    EXPECT_EQ(first.use_count(), 1);
    EXPECT_EQ(second.use_count(), 2);
  }
  EXPECT_EQ(second.use_count(), 1);
}

TEST(Communicator, BroadcastsListsOfArbitraryTexts) {
  mpi::Communicator const world(MPI_COMM_WORLD);
  std::vector<std::string> const list{"", std::string("a\0b\n", 4), "\xff\xfe", ""};

  EXPECT_EQ(world.broadcast(world.is_root() ? list : std::vector<std::string>{"not mine"}), list);
  EXPECT_TRUE(world.broadcast(std::vector<std::string>{}).empty());
}

TEST(Communicator, GathersTextsOnEveryRank) {
  mpi::Communicator const world(MPI_COMM_WORLD);
  auto const text_of = [](int rank) { return std::string(static_cast<std::size_t>(rank), 'x'); };

  std::vector<std::string> const all = world.all_gather(text_of(world.rank()));

  EXPECT_EQ(all.size(), static_cast<std::size_t>(world.size()));
  for (int rank = 0; rank < static_cast<int>(all.size()); ++rank) {
    EXPECT_EQ(all[static_cast<std::size_t>(rank)], text_of(rank));
  }
}

TEST(Communicator, FailedCallThrowsInsteadOfAborting) {
  mpi::Communicator const world(MPI_COMM_WORLD);
  int value = 0;

  EXPECT_THROW(mpi::check(MPI_Send(&value, 1, MPI_INT, world.size(), 0, world.get())), Error);
  EXPECT_THROW(mpi::check(MPI_Send(&value, 1, MPI_INT, world.size(), 0, MPI_COMM_WORLD)), Error);
  EXPECT_THROW(mpi::check(MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_SELF)), Error);
}

TEST(Communicator, FailureNamesPlaceAndReason) {
  int value = 0;
  try {
    mpi::check(MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_SELF));
    ADD_FAILURE() << "sending to a rank that is not there did not throw";
  } catch (Error const& error) {
    std::string const text = error.what();
    EXPECT_NE(error.place().find("communicator_mpi_test.cpp:"), std::string::npos);
    EXPECT_EQ(text.find(".cpp"), std::string::npos) << text;
    EXPECT_NE(text.find("MPI_ERR_RANK"), std::string::npos) << text;
  }
}

TEST(Communicator, DuplicatesHaveSeparateMessages) {
  mpi::Communicator const first(MPI_COMM_WORLD);
  mpi::Communicator const second(MPI_COMM_WORLD);
  int const mine[2] = {1, 2};
  int got[2] = {0, 0};
  MPI_Request requests[4];

  mpi::check(MPI_Irecv(&got[0], 1, MPI_INT, first.rank(), 0, first.get(), &requests[0]));
  mpi::check(MPI_Irecv(&got[1], 1, MPI_INT, first.rank(), 0, second.get(), &requests[1]));
  mpi::check(MPI_Isend(&mine[1], 1, MPI_INT, first.rank(), 0, second.get(), &requests[2]));
  mpi::check(MPI_Isend(&mine[0], 1, MPI_INT, first.rank(), 0, first.get(), &requests[3]));
  mpi::check(MPI_Waitall(4, requests, MPI_STATUSES_IGNORE));

  EXPECT_EQ(got[0], 1);
  EXPECT_EQ(got[1], 2);
}

TEST(Communicator, ReductionsReachEveryRank) {
  mpi::Communicator const world(MPI_COMM_WORLD);
  int const n = world.size();

  EXPECT_EQ(world.sum(0.5 * (world.rank() + 1)), 0.25 * n * (n + 1));
  EXPECT_EQ(world.max(-1.0 - world.rank()), -1.0);
  EXPECT_EQ(world.min(-1.0 - world.rank()), -1.0 * n);
  EXPECT_EQ(world.sum(std::int64_t{-5'000'000'000}), std::int64_t{-5'000'000'000} * n);
}

TEST(Communicator, UnsignedSumsWrap) {
  mpi::Communicator const world(MPI_COMM_WORLD);
  std::uint64_t const minus_one = ~std::uint64_t{0};

  EXPECT_EQ(world.sum(minus_one), std::uint64_t{0} - static_cast<std::uint64_t>(world.size()));
}

TEST(Communicator, ListsAreSummedElementwise) {
  mpi::Communicator const world(MPI_COMM_WORLD);
  auto const n = static_cast<std::uint64_t>(world.size());

  EXPECT_EQ(world.sum(std::vector<std::uint64_t>{1, ~std::uint64_t{0}, 0}),
            (std::vector<std::uint64_t>{n, std::uint64_t{0} - n, 0}));
  EXPECT_EQ(world.sum(std::vector<std::uint64_t>{}), std::vector<std::uint64_t>{});
}

TEST(Communicator, AnyIsTrueIfOneRankIs) {
  mpi::Communicator const world(MPI_COMM_WORLD);

  EXPECT_TRUE(world.any(world.rank() == world.size() - 1));
  EXPECT_FALSE(world.any(false));
}

TEST(Communicator, BroadcastsTheTextOfTheRoot) {
  mpi::Communicator const world(MPI_COMM_WORLD);

  EXPECT_EQ(world.broadcast(world.is_root() ? "of the root" : "mine, and longer than the root's"),
            "of the root");
  EXPECT_EQ(world.broadcast(world.is_root() ? "" : "something"), "");
}

TEST(Communicator, GathersTextsInRankOrder) {
  mpi::Communicator const world(MPI_COMM_WORLD);
  auto const text_of = [](int rank) { return std::string(static_cast<std::size_t>(rank), 'x'); };

  std::vector<std::string> const texts = world.gather(text_of(world.rank()));

  EXPECT_EQ(texts.size(), world.is_root() ? static_cast<std::size_t>(world.size()) : 0U);
  for (std::size_t rank = 0; rank < texts.size(); ++rank) {
    EXPECT_EQ(texts[rank], text_of(static_cast<int>(rank)));
  }
}

TEST(Communicator, FirstTextBelongsToTheLowestRank) {
  mpi::Communicator const world(MPI_COMM_WORLD);
  std::string const last = std::to_string(world.size() - 1);
  std::string const mine = std::to_string(world.rank());

  EXPECT_EQ(world.first_text(""), "");
  EXPECT_EQ(world.first_text(mine), "0");
  EXPECT_EQ(world.first_text(mine == last ? mine : ""), last);
}

TEST(Communicator, FirstRanksFormACommunicator) {
  mpi::Communicator const world(MPI_COMM_WORLD);
  for (int count = 1; count <= world.size(); ++count) {
    std::optional<mpi::Communicator> const group = world.first(count);

    EXPECT_EQ(group.has_value(), world.rank() < count);
    if (!group) continue;
    EXPECT_EQ(group->size(), count);
    EXPECT_EQ(group->rank(), world.rank());
    EXPECT_EQ(group->local_size(), count);  // all ranks run on one host
    EXPECT_EQ(group->sum(std::int64_t{1}), count);
    // MPI failures in the new communicator throw, too.
    int value = 0;
    EXPECT_THROW(mpi::check(MPI_Send(&value, 1, MPI_INT, count, 0, group->get())), Error);
  }
}

TEST(Communicator, RefusesGroupsOfInvalidSize) {
  mpi::Communicator const world(MPI_COMM_WORLD);

  EXPECT_THROW((void)world.first(0), Error);
  EXPECT_THROW((void)world.first(world.size() + 1), Error);
}

TEST(Communicator, SleepingBarrierWaitsForAllRanks) {
  mpi::Communicator const world(MPI_COMM_WORLD);
  auto const folder = std::filesystem::temp_directory_path();
  std::filesystem::path const roll = world.broadcast(
      (folder / ("isotherm_roll_" + std::to_string(std::random_device{}()))).string());
  std::ofstream(roll, std::ios::app) << 'x' << std::flush;  // ranks share the host's files

  world.wait_asleep();

  EXPECT_EQ(std::filesystem::file_size(roll), static_cast<std::size_t>(world.size()));
  world.barrier();
  if (world.is_root()) std::filesystem::remove(roll);
}

TEST(Communicator, ExchangesMessagesOfAnyLength) {
  mpi::Communicator const world(MPI_COMM_WORLD);
  auto const packed_box = [](int from, int to) {
    return mpi::Bytes(static_cast<std::size_t>(from * 3 + to), static_cast<char>('a' + from));
  };
  std::vector<mpi::Bytes> outgoing;
  for (int rank = 0; rank < world.size(); ++rank) {
    outgoing.push_back(packed_box(world.rank(), rank));
  }

  std::vector<mpi::Bytes> const incoming = world.exchange(outgoing);

  for (int rank = 0; rank < world.size(); ++rank) {
    EXPECT_EQ(incoming[static_cast<std::size_t>(rank)], packed_box(rank, world.rank()));
  }
  EXPECT_EQ(world.broadcast(std::uint64_t{1} << 40 << world.rank()), std::uint64_t{1} << 40);
}

TEST(Session, KnowsItsRank) {
  mpi::Communicator const world(MPI_COMM_WORLD);

  EXPECT_EQ(mpi::rank_in_job(), world.rank());
  EXPECT_EQ(mpi::number_of_ranks(), world.size());
}

TEST(Session, ProvidesThreadSupport) {
  int provided = MPI_THREAD_SINGLE;
  mpi::check(MPI_Query_thread(&provided));

  EXPECT_GE(provided, MPI_THREAD_FUNNELED);
  EXPECT_EQ(mpi::all_threads_may_call(), provided == MPI_THREAD_MULTIPLE);
  EXPECT_TRUE(mpi::this_thread_may_call());
  bool others_may = false;
  std::thread([&] { others_may = mpi::this_thread_may_call(); }).join();
  EXPECT_EQ(others_may, provided >= MPI_THREAD_SERIALIZED);
}

TEST(Communicator, SleepingWaitsGiveTheSameResults) {
  mpi::Communicator const world(MPI_COMM_WORLD);
  mpi::Communicator const patient(MPI_COMM_WORLD, mpi::WaitStyle::asleep);
  int const last = world.size() - 1;
  if (world.rank() == last) std::this_thread::sleep_for(std::chrono::milliseconds(20));

  EXPECT_EQ(patient.sum(std::int64_t{world.rank()}), std::int64_t{last} * (last + 1) / 2);
  EXPECT_EQ(patient.max(1.0 * world.rank()), 1.0 * last);
  EXPECT_TRUE(patient.any(world.rank() == last));
  EXPECT_EQ(patient.broadcast(std::to_string(world.rank())), "0");
  EXPECT_EQ(patient.all_gather(std::to_string(world.rank())).back(), std::to_string(last));
}

// Two threads per rank make collective calls at the same time, each on its own communicator.
TEST(Communicator, ThreadsMayUseSeparateCommunicators) {
  if (!mpi::all_threads_may_call()) GTEST_SKIP() << "this MPI library has no MPI_THREAD_MULTIPLE";
  mpi::Communicator const world(MPI_COMM_WORLD);
  mpi::Communicator const patient(MPI_COMM_WORLD, mpi::WaitStyle::asleep);
  std::int64_t const ranks = world.size();
  std::int64_t there = 0, here = 0;

  std::thread other([&] {
    for (int i = 0; i < 20; ++i) there += patient.sum(std::int64_t{1});
  });
  for (int i = 0; i < 2000; ++i) here += world.sum(std::int64_t{1});
  other.join();

  EXPECT_EQ(there, 20 * ranks);
  EXPECT_EQ(here, 2000 * ranks);
}

TEST(Library, VersionIsOneLine) {
  std::string const version = mpi::library_version();

  EXPECT_NE(version.find("MPI"), std::string::npos) << version;
  EXPECT_EQ(version.find_first_of("\n\t"), std::string::npos) << version;
  EXPECT_LT(version.size(), 80U) << version;
}

}  // namespace
}  // namespace isotherm::test
