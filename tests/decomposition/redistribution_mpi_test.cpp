#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "decomposition/field/regrid/redistribution.hpp"
#include "decomposition/field/regrid/transposition.hpp"
#include "kernels/core/error.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/fields.hpp"

// Moving fields from one decomposition of a grid to another.

namespace isotherm::test {
namespace {

template <class Real>
class RedistributionTest : public BackendTest {
 protected:
  static Real value(Index3 global) {
    return static_cast<Real>(1 + global.x + 100 * global.y + 10'000 * global.z);
  }
  /// Moves a field there and back, and checks all points including halos.
  void check(Subdomain const& one, Subdomain const& other, std::int64_t max_bytes) {
    Queue queue = make_queue(ranks_.local_rank());
    Redistribution<Real> const way(ranks_, one, other, max_bytes);
    Field<Real> from(queue, one.extent(), halo);
    Field<Real> to(queue, other.extent(), halo);
    Field<Real> back(queue, one.extent(), halo);
    HostStaging<Real> staging(queue, one.extent());
    for (auto* field : {&to, &back}) write_points(queue, *field, nothing(*field));
    write_points(queue, from, wanted(from, one));

    way.move(queue, staging, std::as_const(from).view(), to.view());
    way.move_back(queue, staging, std::as_const(to).view(), back.view());

    EXPECT_EQ(read_points(queue, to, to.view().box).values, wanted(to, other).values);
    EXPECT_EQ(read_points(queue, back, back.view().box).values, wanted(back, one).values);
  }

  /// Moves fields there and back by a transport, more often than it has buffers.
  void check_transposition(Subdomain const& one, Subdomain const& other, TransportKind kind) {
    Queue queue = make_queue(ranks_.local_rank());
    Transposition<Real> turn(ranks_, one, other, queue, kind);
    for (int round = 0; round < 3; ++round) {
      Field<Real> from(queue, one.extent(), halo);
      Field<Real> to(queue, other.extent(), halo);
      Field<Real> back(queue, one.extent(), halo);
      for (auto* field : {&to, &back}) write_points(queue, *field, nothing(*field));
      write_points(queue, from, wanted(from, one));

      turn.move(std::as_const(from).view(), to.view());
      turn.move_back(std::as_const(to).view(), back.view());

      EXPECT_EQ(read_points(queue, to, to.view().box).values, wanted(to, other).values);
      EXPECT_EQ(read_points(queue, back, back.view().box).values, wanted(back, one).values);
    }
  }

  mpi::Communicator ranks_{MPI_COMM_WORLD};

 private:
  static constexpr Index3 halo{2, 1, 0};

  static HostBox<Real> nothing(Field<Real> const& field) {
    HostBox<Real> values(field.view().box);
    values.values.assign(values.values.size(), Real{-1});
    return values;
  }
  static HostBox<Real> wanted(Field<Real> const& field, Subdomain const& part) {
    HostBox<Real> values = nothing(field);
    for_each(part.owned(), [&](std::int64_t i, std::int64_t j, std::int64_t k) {
      values(i, j, k) = value(part.to_global(Index3{i, j, k}));
    });
    return values;
  }
};

using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(RedistributionTest, Reals);

/// Uneven cuts: rank r of n has all remaining points except n - 1 - r.
AxisCuts uneven(std::int64_t points, int ranks) {
  AxisCuts cuts{0};
  for (int rank = 1; rank <= ranks; ++rank) cuts.push_back(points - ranks + rank);
  return cuts;
}

TYPED_TEST(RedistributionTest, MovesEveryPointThereAndBack) {
  int const size = this->ranks_.size();
  int const rank = this->ranks_.rank();
  Grid grid;
  // Messages of all values, of some, and of one or two on a small grid: each is a collective call.
  for (auto const& [points, max_bytes] : {std::pair{Extent3{13, 9, 21}, 1 << 20},
                                          {Extent3{13, 9, 21}, 1000},
                                          {Extent3{6, 5, 7}, 8}}) {
    grid.points = points;
    for (int axis = 0; axis < 3; ++axis) {
      Extent3 parts{1, 1, 1};
      parts[axis] = size;
      PerAxis<AxisCuts> cuts;
      cuts[axis] = uneven(grid.points[axis], size);
      Subdomain const even(grid, parts, rank);
      Subdomain const other(grid, parts, rank, cuts);
      Extent3 const across{axis == 0 ? 1 : size, axis == 0 ? size : 1, 1};
      this->check(even, other, max_bytes);
      this->check(other, even, max_bytes);
      this->check(other, Subdomain(grid, across, rank), max_bytes);
    }
  }
}

TYPED_TEST(RedistributionTest, TransposesByATransport) {
  int const size = this->ranks_.size();
  int const rank = this->ranks_.rank();
  Grid grid;
  grid.points = {13, 9, 21};
  Subdomain const across_z(grid, {1, 1, size}, rank);
  Subdomain const across_y(grid, {1, size, 1}, rank);
  PerAxis<AxisCuts> cuts;
  cuts[1] = uneven(grid.points.y, size);
  Subdomain const unevenly(grid, {1, size, 1}, rank, cuts);
  for (TransportKind const kind : {TransportKind::automatic, TransportKind::staged}) {
    this->check_transposition(across_z, across_y, kind);
    this->check_transposition(across_z, unevenly, kind);
    // Parts that do not overlap send no messages.
    this->check_transposition(across_y, unevenly, kind);
    this->check_transposition(across_y, across_y, kind);
  }
}

TYPED_TEST(RedistributionTest, RefusesDifferentGrids) {
  Grid grid;
  grid.points = {13, 9, 21};
  Extent3 const parts{1, 1, this->ranks_.size()};
  Subdomain const part(grid, parts, this->ranks_.rank());
  ++grid.points.x;
  Subdomain const other(grid, parts, this->ranks_.rank());
  EXPECT_THROW(Redistribution<TypeParam>(this->ranks_, part, other), Error);
  Queue queue = make_queue(this->ranks_.local_rank());
  EXPECT_THROW(Transposition<TypeParam>(this->ranks_, part, other, queue, TransportKind::automatic),
               Error);
}

}  // namespace
}  // namespace isotherm::test
