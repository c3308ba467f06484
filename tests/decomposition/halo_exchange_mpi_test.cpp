#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>
#include <sstream>

#include "decomposition/halo_exchange.hpp"
#include "kernels/error.hpp"
#include "kernels/memory.hpp"
#include "tests/support/backends.hpp"

// Each test fills the owned points with a number that depends on the global index alone, everything
// else in the field's memory (halo, padding) with a marker, exchanges, and compares every element
// of the memory with what it must hold now.

namespace isotherm::test {
namespace {

constexpr int marker = -1;

/// A number that no other point has, and that changes from one round to the next.
template <class Real>
Real value_at(Grid const& grid, Index3 global, int round) {
  std::int64_t const number = global.x + grid.points.x * (global.y + grid.points.y * global.z);
  return static_cast<Real>(number + round * grid.point_count());
}

/// One way to exchange.
struct Arrangement {
  Grid grid;
  Extent3 parts;
  int depth = 1;
  bool corners = true;
  int halo = 3;  ///< of the field
};

std::ostream& operator<<(std::ostream& out, Arrangement const& s) {
  out << s.grid.points.x << "x" << s.grid.points.y << "x" << s.grid.points.z << " points in "
      << s.parts.x << "x" << s.parts.y << "x" << s.parts.z << " parts, depth " << s.depth
      << (s.corners ? " with corners" : " faces only") << ", periodic";
  for (bool const periodic : s.grid.periodic) out << ' ' << periodic;
  return out;
}

/// The value that a halo point must hold after the exchange; none: it must not be touched.
template <class Real>
std::optional<Real> halo_value(Arrangement const& arranged, Subdomain const& subdomain,
                               Index3 local, int round) {
  Index3 global = subdomain.to_global(local);
  int axes_left = 0;  // on which the point lies outside this rank's share
  for (int axis = 0; axis < 3; ++axis) {
    std::int64_t const last = subdomain.extent()[axis] - 1;
    std::int64_t const distance = std::max({-local[axis], local[axis] - last, std::int64_t{0}});
    axes_left += distance > 0 ? 1 : 0;
    std::int64_t const n = arranged.grid.points[axis];
    bool const outside = global[axis] < 0 || global[axis] >= n;
    if (distance > arranged.depth ||
        (outside && !arranged.grid.periodic[static_cast<std::size_t>(axis)])) {
      return std::nullopt;
    }
    global[axis] = (global[axis] + n) % n;
  }
  if (axes_left > 1 && !arranged.corners) {
    return std::nullopt;
  }
  return value_at<Real>(arranged.grid, global, round);
}

/// A field with its whole memory on the host.
template <class Real>
class Trial {
 public:
  Trial(Arrangement arranged, int rank, Queue& queue)
      : arranged_(std::move(arranged)),
        subdomain_(arranged_.grid, arranged_.parts, rank),
        queue_(queue),
        field_(
            queue, subdomain_.extent(),
            {arranged_.halo, arranged_.halo, arranged_.grid.dimension == 3 ? arranged_.halo : 0}),
        values_(field_.layout().elements) {}

  [[nodiscard]] Subdomain const& subdomain() const { return subdomain_; }
  FieldView<Real> view() { return field_.view(); }

  void fill(int round) {
    values_.assign(values_.size(), static_cast<Real>(marker));
    for_each_point(subdomain_.owned(), [&](Index3 p) {
      values_[element(p)] = value_at<Real>(arranged_.grid, subdomain_.to_global(p), round);
    });
    copy_bytes(queue_, memory(), values_.data(), field_.bytes());
    queue_.wait();
  }

  /// Points of the halo that an exchange fills, and elements that do not hold what they must.
  struct Verdict {
    std::int64_t filled = 0;
    std::int64_t mistakes = 0;
    std::string first{};
  };
  [[nodiscard]] Verdict judge(int round) {
    std::vector<Real> wanted = values_;
    Verdict verdict;
    for_each_point(field_.layout().box(), [&](Index3 p) {
      if (subdomain_.owned().contains(p.x, p.y, p.z)) return;
      if (auto const value = halo_value<Real>(arranged_, subdomain_, p, round)) {
        wanted[element(p)] = *value;
        ++verdict.filled;
      }
    });
    std::vector<Real> got(values_.size());
    copy_bytes(queue_, got.data(), memory(), field_.bytes());
    queue_.wait();
    for (std::size_t i = 0; i < got.size(); ++i) {
      if (got[i] != wanted[i]) count_mistake(verdict, i, got[i], wanted[i]);
    }
    return verdict;
  }

 private:
  template <class Visit>
  static void for_each_point(LocalBox box, Visit const& visit) {
    for (std::int64_t k = box.lower.z; k < box.upper.z; ++k) {
      for (std::int64_t j = box.lower.y; j < box.upper.y; ++j) {
        for (std::int64_t i = box.lower.x; i < box.upper.x; ++i) visit(Index3{i, j, k});
      }
    }
  }
  [[nodiscard]] std::size_t element(Index3 p) const {
    FieldLayout const& layout = field_.layout();
    return static_cast<std::size_t>(layout.origin + p.x + p.y * layout.row + p.z * layout.plane);
  }
  Real* memory() { return field_.view().origin - field_.layout().origin; }
  void count_mistake(Verdict& verdict, std::size_t element, Real got, Real wanted) const {
    if (verdict.mistakes++ > 0) return;
    std::ostringstream text;
    text << "element " << element << " (local point (0,0,0) is element " << field_.layout().origin
         << ", row " << field_.layout().row << ", plane " << field_.layout().plane << ") holds "
         << got << ", not " << wanted;
    verdict.first = text.str();
  }

  Arrangement arranged_;
  Subdomain subdomain_;
  Queue& queue_;
  Field<Real> field_;
  std::vector<Real> values_;
};

std::vector<Extent3> all_parts(int ranks) {
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
    bool const filled =
        arranged.parts[axis] > 1 || arranged.grid.periodic[static_cast<std::size_t>(axis)];
    if (fewest < 1 || (filled && fewest < arranged.depth)) return false;
  }
  return arranged.grid.dimension == 3 || arranged.parts.z == 1;
}

/// All splits, depths and kinds of exchange that a grid allows on this number of ranks.
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

  /// Exchanges `rounds` times with new values each time. Returns the points that one has filled.
  std::int64_t expect_halo(Arrangement const& arranged, int rounds) {
    Trial<Real> trial(arranged, world_.rank(), queue_);
    HaloExchange<Real> exchange(world_, trial.subdomain(), queue_, arranged.depth, arranged.corners,
                                TransportKind::automatic);
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

  /// Exchanges in every way. Returns the points filled in all, on all ranks.
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

TYPED_TEST(HaloExchangeTest, FillsEveryHaloPointOfAGridOfThreeAxes) {
  EXPECT_GT(this->expect_all(3, {9, 8, 7}), 0);
}

TYPED_TEST(HaloExchangeTest, FillsEveryHaloPointOfAGridOfTwoAxes) {
  EXPECT_GT(this->expect_all(2, {37, 26, 1}), 0);
}

TYPED_TEST(HaloExchangeTest, FillsThinPartsAsDeepAsTheyAre) {
  int const n = 3 * this->world_.size();
  for (Extent3 const parts :
       {Extent3{this->world_.size(), 1, 1}, Extent3{1, this->world_.size(), 1},
        Extent3{1, 1, this->world_.size()}}) {
    Grid const grid = make_grid(3, {n, n, n}, {0, 0, 0}, {1, 1, 1}, {true, true, true});

    EXPECT_GT(this->expect_halo({grid, parts, 3}, 1), 0);
  }
}

TYPED_TEST(HaloExchangeTest, AxisOfOnePeriodicPointIsItsOwnNeighbour) {
  Grid const grid = make_grid(3, {1, 24, 1}, {0, 0, 0}, {1, 1, 1}, {true, true, true});

  EXPECT_GT(this->expect_halo({grid, {1, this->world_.size(), 1}, 1}, 2), 0);
}

TYPED_TEST(HaloExchangeTest, MovesNewValuesEachTime) {
  Grid const grid = make_grid(3, {33, 34, 35}, {0, 0, 0}, {1, 1, 1}, {true, false, true});

  EXPECT_GT(this->expect_halo({grid, choose_decomposition(grid, this->world_.size(), 2), 2}, 6), 0);
}

TYPED_TEST(HaloExchangeTest, TakesTurnsBetweenFieldsOfOneLayout) {
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

TYPED_TEST(HaloExchangeTest, TwoExchangesMayBeUnderWayAtOnce) {
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

TYPED_TEST(HaloExchangeTest, CountsTheBytesThatLeaveTheRank) {
  int const ranks = this->world_.size();
  Grid const grid = make_grid(3, {10, 12, 4 * ranks}, {0, 0, 0}, {1, 1, 1}, {false, false, true});
  Subdomain const subdomain(grid, {1, 1, ranks}, this->world_.rank());

  HaloExchange<TypeParam> const exchange(this->world_, subdomain, this->queue_, 2, true,
                                         TransportKind::mpi_host);

  std::size_t const two_faces = 2 * 10 * 12 * 2 * sizeof(TypeParam);
  EXPECT_EQ(exchange.bytes_sent(), ranks == 1 ? 0 : two_faces);
  EXPECT_EQ(exchange.has_remote_neighbours(), ranks > 1);
  EXPECT_EQ(exchange.transport_name().starts_with("mpi"), ranks > 1) << exchange.transport_name();
}

TYPED_TEST(HaloExchangeTest, AccountsTheHostsTime) {
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

TYPED_TEST(HaloExchangeTest, RefusesDepthThatDoesNotFit) {
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

TYPED_TEST(HaloExchangeTest, RefusesFieldWithTooThinAHalo) {
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
