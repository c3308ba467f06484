#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "decomposition/field/assembly.hpp"
#include "decomposition/grid/subdomain.hpp"
#include "kernels/core/error.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/fields.hpp"

// In an MPI test, use EXPECT_*, not ASSERT_*: a rank that leaves early leaves the others waiting in
// their next collective call.

namespace isotherm::test {
namespace {

template <class Real>
class AssemblyTest : public BackendTest {
 protected:
  /// The value that each point must have in the end.
  static Real value(std::int64_t i, std::int64_t j, std::int64_t k) {
    return static_cast<Real>(1 + i + 100 * j + 10'000 * k);
  }

  /// Assembles a field of which this rank has `mine`, directly and through host memory, and checks
  /// all of it.
  void check(LocalBox mine, LocalBox whole) {
    for (TransportKind const kind : {TransportKind::automatic, TransportKind::staged}) {
      SCOPED_TRACE(name(kind));
      check(mine, whole, kind);
    }
  }
  /// Assembles three times, so a direct way uses both halves of its memory again.
  void check(LocalBox mine, LocalBox whole, TransportKind kind) {
    Queue queue = make_queue(ranks_.local_rank());
    Field<Real> field(queue, whole.upper, {2, 1, 0});
    HostStaging<Real> staging(queue, whole.upper);
    Assembly<Real> assembly(ranks_, mine, whole, kind);
    for (Real const factor : {Real{1}, Real{-2}, Real{3}}) {
      HostBox<Real> before(field.layout().box());
      before.values.assign(before.values.size(), Real{-1});
      for_each(mine, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
        before(i, j, k) = factor * value(i, j, k);
      });
      write_points(queue, field, before);

      assembly.assemble(queue, staging, field.view());

      HostBox<Real> want = before;
      for_each(whole, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
        want(i, j, k) = factor * value(i, j, k);
      });
      EXPECT_EQ(read_points(queue, field, before.box).values, want.values) << factor;
    }
  }

  mpi::Communicator ranks_{MPI_COMM_WORLD};
};

using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(AssemblyTest, Reals);

TYPED_TEST(AssemblyTest, EveryRankGetsAllParts) {
  for (Extent3 const n : {Extent3{13, 9, 5}, Extent3{4, 4, 4}, Extent3{70, 1, 7}}) {
    Grid grid;
    grid.points = n;
    for (int axis = 0; axis < 3; ++axis) {
      if (n[axis] < this->ranks_.size()) continue;
      Extent3 parts{1, 1, 1};
      parts[axis] = this->ranks_.size();
      GlobalBox const mine = Subdomain(grid, parts, this->ranks_.rank()).owned_global();
      this->check({mine.lower, mine.upper}, {{0, 0, 0}, n});
    }
  }
}

TYPED_TEST(AssemblyTest, SupportsPartsOfVeryDifferentSizes) {
  // Rank r has r + 1 planes, in descending order. The whole begins after the field's first points.
  int const rank = this->ranks_.rank();
  int const size = this->ranks_.size();
  std::int64_t const above = rank * (rank + 1) / 2;  // planes of lower ranks
  std::int64_t const planes = size * (size + 1) / 2;
  LocalBox const whole{{1, 2, 1}, {6, 5, 1 + planes}};
  LocalBox mine = whole;
  mine.upper.z = 1 + planes - above;
  mine.lower.z = mine.upper.z - (rank + 1);

  this->check(mine, whole);
}

TYPED_TEST(AssemblyTest, SupportsEmptyParts) {
  LocalBox const whole{{0, 0, 0}, {7, 5, 3}};
  LocalBox const nothing{{9, 5, 0}, {8, 5, 0}};
  for (int owner = 0; owner < this->ranks_.size(); ++owner) {
    this->check(this->ranks_.rank() == owner ? whole : nothing, whole);
  }
}

TYPED_TEST(AssemblyTest, RefusesIncompletePartsOnEveryRank) {
  LocalBox const whole{{0, 0, 0}, {7, 5, 12}};
  int const rank = this->ranks_.rank();
  int const size = this->ranks_.size();
  auto const planes = [&](std::int64_t lower, std::int64_t upper) {
    LocalBox box = whole;
    box.lower.z = lower;
    box.upper.z = upper;
    return box;
  };
  auto const assembly = [&](LocalBox mine) {
    Assembly<TypeParam>(this->ranks_, mine, whole, TransportKind::automatic);
  };
  bool const first = rank == 0;
  bool const last = rank == size - 1;

  EXPECT_THROW(assembly(first ? planes(0, 11) : LocalBox{}), Error) << "points are left out";
  EXPECT_THROW(assembly(first ? planes(0, 13) : LocalBox{}), Error) << "past the whole";
  if (size == 1) return;
  EXPECT_THROW(assembly(first || last ? whole : LocalBox{}), Error) << "twice the whole";
  EXPECT_THROW(assembly(first  ? planes(0, 6)
                        : last ? planes(5, 11)
                               : LocalBox{}),
               Error)
      << "a plane twice, another not at all";
  EXPECT_NO_THROW(assembly(first ? planes(0, 6) : last ? planes(6, 12) : LocalBox{}));
}

std::vector<LocalBox> halves(LocalBox box, int axis) {
  std::vector<LocalBox> both(2, box);
  both[0].upper[axis] = both[1].lower[axis] = (box.lower[axis] + box.upper[axis]) / 2;
  return both;
}

/// Hundreds of parts of different sizes, by repeated halving.
std::vector<LocalBox> pieces(LocalBox whole) {
  std::vector<LocalBox> all{whole};
  for (int round = 0; round < 8; ++round) {
    std::vector<LocalBox> next;
    for (LocalBox const& box : all) {
      // Not all boxes are cut along the same axis.
      int const axis = (round + static_cast<int>(next.size())) % 3;
      for (LocalBox const& half : halves(box, axis)) next.push_back(half);
    }
    all = next;
  }
  return all;
}

TEST(Partition, ExactCoverIsRecognised) {
  LocalBox const whole{{-2, 1, 0}, {19, 18, 23}};
  std::vector<LocalBox> const all = pieces(whole);
  auto const without = [&](std::size_t n) {
    std::vector<LocalBox> fewer = all;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(n));
    return fewer;
  };
  auto const with = [&](LocalBox box) {
    std::vector<LocalBox> more = all;
    more.push_back(box);
    return more;
  };

  EXPECT_TRUE(is_partition(all, whole));
  EXPECT_TRUE(is_partition(with({{5, 5, 5}, {5, 9, 9}}), whole)) << "an empty part";
  EXPECT_TRUE(is_partition({}, {}));
  EXPECT_FALSE(is_partition(all, {{-2, 1, 0}, {19, 18, 24}})) << "a plane is left out";
  EXPECT_FALSE(is_partition(with({{3, 3, 3}, {4, 4, 4}}), whole)) << "a point twice";
  EXPECT_FALSE(is_partition(with({{40, 3, 3}, {41, 4, 4}}), whole)) << "a point beyond";
  for (std::size_t n = 0; n < all.size(); n += 17) {
    if (all[n].empty()) continue;
    EXPECT_FALSE(is_partition(without(n), whole)) << n;
  }
}

/// Groups of ranks give the same list as one gather of all ranks.
TEST(RepeatedGather, GroupsGiveTheSameList) {
  mpi::Communicator const ranks(MPI_COMM_WORLD);
  std::vector<std::int64_t> counts;
  std::vector<double> want;
  for (int rank = 0; rank < ranks.size(); ++rank) {
    counts.push_back(rank == 1 ? 0 : 3 + 5 * rank);
    for (std::int64_t n = 0; n < counts.back(); ++n) {
      want.push_back(rank + 1e-9 * static_cast<double>(n));
    }
  }
  for (int group = 1; group <= ranks.size(); ++group) {
    if (ranks.size() % group != 0) {
      EXPECT_THROW(mpi::RepeatedGather(ranks, counts, group), Error);
      continue;
    }
    mpi::RepeatedGather const gather(ranks, counts, group);
    for (double const factor : {1.0, -2.0}) {
      std::vector<double> all(want.size(), 7.0);
      auto const own = static_cast<std::size_t>(counts[static_cast<std::size_t>(ranks.rank())]);
      auto const first = static_cast<std::size_t>(gather.offset());
      for (std::size_t n = first; n < first + own; ++n) all[n] = factor * want[n];

      gather.run(all.data());

      for (std::size_t n = 0; n < all.size(); ++n) EXPECT_EQ(all[n], factor * want[n]) << group;
    }
  }
}

TEST(RepeatedGather, ChoosesGroupsOfApproximatelyTheRootOfTheRanks) {
  EXPECT_EQ(mpi::gather_group_size(1), 1);
  EXPECT_EQ(mpi::gather_group_size(48), 48) << "few ranks";
  EXPECT_EQ(mpi::gather_group_size(64), 8);
  EXPECT_EQ(mpi::gather_group_size(72), 8);
  EXPECT_EQ(mpi::gather_group_size(8192), 64);
  EXPECT_EQ(mpi::gather_group_size(8191), 8191) << "a prime";
}

TEST(AllGather, EveryRankGetsAllNumbers) {
  mpi::Communicator const ranks(MPI_COMM_WORLD);
  auto const self = static_cast<std::size_t>(ranks.rank());
  std::vector<std::int64_t> counts;
  std::vector<double> want;
  std::vector<double> mine;
  for (int rank = 0; rank < ranks.size(); ++rank) {
    counts.push_back(rank == 1 ? 0 : 3 + 1000 * rank);
    for (std::int64_t n = 0; n < counts.back(); ++n) {
      want.push_back(rank + 1e-9 * static_cast<double>(n));
      if (rank == ranks.rank()) mine.push_back(want.back());
    }
  }
  std::vector<double> all(5, 7.0);  // other size and counts

  ranks.all_gather(mine, counts, all);

  EXPECT_EQ(all, want);
  EXPECT_EQ(std::ssize(mine), counts[self]);
}

TEST(AllGather, EmptyListsGiveAnEmptyList) {
  mpi::Communicator const ranks(MPI_COMM_WORLD);
  std::vector<float> all(3);

  ranks.all_gather({}, std::vector<std::int64_t>(static_cast<std::size_t>(ranks.size())), all);

  EXPECT_TRUE(all.empty());
}

TEST(AllGather, RefusesMismatchedCounts) {
  mpi::Communicator const ranks(MPI_COMM_WORLD);
  auto const size = static_cast<std::size_t>(ranks.size());
  std::vector<float> const two(2);
  std::vector<float> all;

  EXPECT_THROW(ranks.all_gather(two, std::vector<std::int64_t>(size, 3), all), Error);
  EXPECT_THROW(ranks.all_gather(two, std::vector<std::int64_t>(size + 1, 2), all), Error);
}

}  // namespace
}  // namespace isotherm::test
