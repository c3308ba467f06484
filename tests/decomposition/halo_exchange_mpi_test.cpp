#include <gtest/gtest.h>

#include "decomposition/halo/halo_exchange.hpp"
#include "kernels/core/error.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/halo_trial.hpp"

// Each test fills the owned points with numbers that depend on the global index only, and the rest
// of the field's memory (halo, padding) with a marker. After the exchange it checks every element
// of the memory.

namespace isotherm::test {
namespace {

/// All decompositions. For eight ranks, which are meant to divide three axes, only those that
/// divide as many axes as possible.
std::vector<Extent3> all_parts(int ranks) {
  if (ranks == 8) return {{2, 2, 2}, {4, 2, 1}, {2, 4, 1}};
  std::vector<Extent3> all;
  for (std::int64_t x = 1; x <= ranks; ++x) {
    for (std::int64_t y = 1; y <= ranks; ++y) {
      for (std::int64_t z = 1; z <= ranks; ++z) {
        if (x * y * z == ranks) all.push_back({x, y, z});
      }
    }
  }
  return all;
}

bool fits(Arrangement const& arranged) {
  for (int axis = 0; axis < arranged.grid.dimension; ++axis) {
    std::int64_t const fewest = arranged.grid.points[axis] / arranged.parts[axis];
    bool const filled = arranged.parts[axis] > 1 || arranged.grid.periodic[axis];
    if (fewest < 1 || (filled && fewest < arranged.depth)) return false;
  }
  return arranged.grid.dimension == 3 || arranged.parts.z == 1;
}

/// All decompositions, depths and kinds of exchange that a grid allows on this number of ranks.
std::vector<Arrangement> arrangements(int dimension, Extent3 points, int ranks) {
  std::vector<Arrangement> all;
  for (int mask = 0; mask < (dimension == 3 ? 8 : 4); ++mask) {
    Grid const grid = make_grid(dimension, points, {0, 0, 0}, {1, 1, 1},
                                {(mask & 1) != 0, (mask & 2) != 0, (mask & 4) != 0});
    for (Extent3 const parts : all_parts(ranks)) {
      for (int depth = 1; depth <= 3; ++depth) {
        for (bool const corners : {true, false}) {
          Arrangement const arranged{grid, parts, depth, corners};
          if (fits(arranged)) all.push_back(arranged);
        }
      }
    }
  }
  return all;
}

template <class Real>
class HaloExchangeTest : public BackendTest {
 protected:
  mpi::Communicator world_{MPI_COMM_WORLD};
  Queue queue_ = backend_missing().empty() ? make_queue(world_.local_rank()) : Queue(Backend::cpu);

  /// Exchanges `rounds` times, each time with new values. Returns the number of points that one
  /// exchange fills.
  std::int64_t expect_halo(Arrangement const& arranged, int rounds,
                           TransportKind kind = TransportKind::automatic) {
    Trial<Real> trial(arranged, world_.rank(), queue_);
    HaloExchange<Real> exchange(world_, trial.subdomain(), queue_, arranged.depth, arranged.corners,
                                kind);
    std::int64_t filled = 0;
    for (int round = 0; round < rounds; ++round) {
      trial.fill(round);

      exchange.begin(trial.view());
      exchange.finish(trial.view());

      auto const verdict = trial.judge(round);
      EXPECT_EQ(verdict.mistakes, 0) << arranged << ", round " << round << ": " << verdict.first;
      filled = verdict.filled;
    }
    return filled;
  }

  /// Exchanges in every arrangement. Returns the number of filled points on all ranks.
  std::int64_t expect_all(int dimension, Extent3 points) {
    std::int64_t filled = 0;
    for (Arrangement const& arranged : arrangements(dimension, points, world_.size())) {
      filled += expect_halo(arranged, 1);
    }
    return world_.sum(filled);
  }
};

using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(HaloExchangeTest, Reals);

TYPED_TEST(HaloExchangeTest, FillsEveryHaloPointIn3D) {
  EXPECT_GT(this->expect_all(3, {9, 8, 7}), 0);
}

TYPED_TEST(HaloExchangeTest, FillsEveryHaloPointIn2D) {
  EXPECT_GT(this->expect_all(2, {37, 26, 1}), 0);
}

TYPED_TEST(HaloExchangeTest, HalosMayBeAsDeepAsTheParts) {
  int const n = 3 * this->world_.size();
  for (Extent3 const parts :
       {Extent3{this->world_.size(), 1, 1}, Extent3{1, this->world_.size(), 1},
        Extent3{1, 1, this->world_.size()}}) {
    Grid const grid = make_grid(3, {n, n, n}, {0, 0, 0}, {1, 1, 1}, {true, true, true});

    EXPECT_GT(this->expect_halo({grid, parts, 3}, 1), 0);
  }
}

TYPED_TEST(HaloExchangeTest, SinglePeriodicPointIsItsOwnNeighbour) {
  Grid const grid = make_grid(3, {1, 24, 1}, {0, 0, 0}, {1, 1, 1}, {true, true, true});

  EXPECT_GT(this->expect_halo({grid, {1, this->world_.size(), 1}, 1}, 2), 0);
}

TYPED_TEST(HaloExchangeTest, EachExchangeMovesNewValues) {
  Grid const grid = make_grid(3, {33, 34, 35}, {0, 0, 0}, {1, 1, 1}, {true, false, true});

  EXPECT_GT(this->expect_halo({grid, choose_decomposition(grid, this->world_.size(), 2), 2}, 6), 0);
}

TYPED_TEST(HaloExchangeTest, EveryTransportFillsTheHalo) {
  Grid const grid = make_grid(3, {19, 33, 22}, {0, 0, 0}, {1, 1, 1}, {false, true, true});
  for (TransportKind const kind :
       {TransportKind::staged, TransportKind::mpi, TransportKind::peer, TransportKind::nccl}) {
    for (Extent3 const parts : all_parts(this->world_.size())) {
      if (!fits({grid, parts, 3})) continue;
      try {
        EXPECT_GT(this->expect_halo({grid, parts, 3}, 4, kind), 0);
      } catch (InputError const& refusal) {  // thrown on all ranks
        bool const works_everywhere =
            kind == TransportKind::staged ||
            (this->queue_.backend() == Backend::cpu && kind != TransportKind::nccl);
        EXPECT_FALSE(works_everywhere) << refusal.what();
      }
    }
  }
}

TYPED_TEST(HaloExchangeTest, AlternatesBetweenFieldsOfOneLayout) {
  Grid const grid = make_grid(3, {17, 18, 19}, {0, 0, 0}, {1, 1, 1}, {true, true, true});
  Arrangement const arranged{grid, choose_decomposition(grid, this->world_.size(), 2), 2};
  Trial<TypeParam> first(arranged, this->world_.rank(), this->queue_);
  Trial<TypeParam> second(arranged, this->world_.rank(), this->queue_);
  HaloExchange<TypeParam> exchange(this->world_, first.subdomain(), this->queue_, 2, true,
                                   TransportKind::automatic);
  for (int round = 0; round < 4; ++round) {
    Trial<TypeParam>& trial = round % 2 == 0 ? first : second;
    trial.fill(round);

    exchange.begin(trial.view());
    exchange.finish(trial.view());

    auto const verdict = trial.judge(round);
    EXPECT_EQ(verdict.mistakes, 0) << "round " << round << ": " << verdict.first;
  }
}

TYPED_TEST(HaloExchangeTest, SupportsConcurrentExchanges) {
  Grid const grid = make_grid(3, {17, 18, 19}, {0, 0, 0}, {1, 1, 1}, {true, true, true});
  Extent3 const parts = choose_decomposition(grid, this->world_.size(), 3);
  Trial<TypeParam> thick({grid, parts, 3}, this->world_.rank(), this->queue_);
  Trial<TypeParam> thin({grid, parts, 1}, this->world_.rank(), this->queue_);
  HaloExchange<TypeParam> deep(this->world_, thick.subdomain(), this->queue_, 3, true,
                               TransportKind::automatic);
  HaloExchange<TypeParam> shallow(this->world_, thin.subdomain(), this->queue_, 1, true,
                                  TransportKind::automatic);
  thick.fill(1);
  thin.fill(2);

  deep.begin(thick.view());
  shallow.begin(thin.view());
  shallow.finish(thin.view());
  deep.finish(thick.view());

  EXPECT_EQ(thick.judge(1).mistakes, 0);
  EXPECT_EQ(thin.judge(2).mistakes, 0);
}

TYPED_TEST(HaloExchangeTest, CountsSentBytes) {
  int const ranks = this->world_.size();
  Grid const grid = make_grid(3, {10, 12, 4 * ranks}, {0, 0, 0}, {1, 1, 1}, {false, false, true});
  Subdomain const subdomain(grid, {1, 1, ranks}, this->world_.rank());

  HaloExchange<TypeParam> const exchange(this->world_, subdomain, this->queue_, 2, true,
                                         TransportKind::staged);

  std::size_t const two_faces = 2 * 10 * 12 * 2 * sizeof(TypeParam);
  EXPECT_EQ(exchange.bytes_sent(), ranks == 1 ? 0 : two_faces);
  EXPECT_EQ(exchange.has_remote_neighbours(), ranks > 1);
  EXPECT_EQ(exchange.transport_description().names().starts_with("staged"), ranks > 1)
      << exchange.transport_description().text();
}

TYPED_TEST(HaloExchangeTest, MeasuresHostTime) {
  Grid const grid = make_grid(2, {64, 64, 1}, {0, 0, 0}, {1, 1, 1}, {true, true, false});
  Arrangement const arranged{grid, choose_decomposition(grid, this->world_.size()), 1};
  Trial<TypeParam> trial(arranged, this->world_.rank(), this->queue_);
  HaloExchange<TypeParam> exchange(this->world_, trial.subdomain(), this->queue_, 1, true,
                                   TransportKind::automatic);
  EXPECT_EQ(exchange.seconds(), 0.0);
  trial.fill(0);

  exchange.begin(trial.view());
  exchange.finish(trial.view());

  EXPECT_GT(exchange.seconds(), 0.0);
}

TYPED_TEST(HaloExchangeTest, RefusesInvalidDepths) {
  int const ranks = this->world_.size();
  Grid const grid = make_grid(3, {4, 4, 2 * ranks}, {0, 0, 0}, {1, 1, 1}, {true, false, false});
  Subdomain const subdomain(grid, {1, 1, ranks}, this->world_.rank());
  auto const build = [&](int depth) {
    HaloExchange<TypeParam>(this->world_, subdomain, this->queue_, depth, true,
                            TransportKind::automatic);
  };

  EXPECT_NO_THROW(build(2));
  EXPECT_THROW(build(0), Error);
  EXPECT_THROW(build(5), Error);  // more than the 4 points of the periodic x axis
  if (ranks > 1) {
    EXPECT_THROW(build(3), Error);  // more than the 2 points of a part in z
  } else {
    EXPECT_NO_THROW(build(3));
  }
}

TYPED_TEST(HaloExchangeTest, RefusesFieldsWithShallowHalos) {
  Grid const grid = make_grid(3, {8, 8, 64}, {0, 0, 0}, {1, 1, 1}, {true, true, true});
  Arrangement const arranged{grid, {1, 1, this->world_.size()}, 2, true, 1};
  Trial<TypeParam> trial(arranged, this->world_.rank(), this->queue_);
  HaloExchange<TypeParam> exchange(this->world_, trial.subdomain(), this->queue_, 2, true,
                                   TransportKind::automatic);

  EXPECT_THROW(exchange.begin(trial.view()), Error);
}

TYPED_TEST(HaloExchangeTest, RefusesCallsOutOfOrder) {
  Grid const grid = make_grid(3, {8, 8, 32}, {0, 0, 0}, {1, 1, 1}, {true, true, true});
  Arrangement const arranged{grid, {1, 1, this->world_.size()}, 1};
  Trial<TypeParam> trial(arranged, this->world_.rank(), this->queue_);
  HaloExchange<TypeParam> exchange(this->world_, trial.subdomain(), this->queue_, 1, true,
                                   TransportKind::automatic);

  EXPECT_THROW(exchange.finish(trial.view()), Error);
  exchange.begin(trial.view());
  EXPECT_THROW(exchange.begin(trial.view()), Error);
  exchange.finish(trial.view());
}

}  // namespace
}  // namespace isotherm::test
