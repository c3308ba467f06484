#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>

#include "decomposition/field/distributed_field.hpp"
#include "kernels/core/error.hpp"
#include "kernels/faces/faces.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/face_names.hpp"

// In an MPI test, use EXPECT_*, not ASSERT_*: a rank that leaves early leaves the others waiting in
// their next collective call.

namespace isotherm::test {
namespace {

/// A 2D grid that is periodic in x and mirrored below y, on all ranks.
class DistributedFieldTest : public BackendTest {
 protected:
  static constexpr int depth = 2;
  static constexpr std::int64_t nx = 13;
  static constexpr std::int64_t ny = 17;

  void SetUp() override {
    BackendTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    queue_.emplace(make_queue(ranks_.local_rank()));
    space_.emplace(ranks_, subdomain_, *queue_, shape(), TransportKind::automatic);
  }

  static HaloShape shape() {
    HaloShape halo_shape;
    halo_shape.depth = depth;
    halo_shape.mirrored[y_lower] = true;
    return halo_shape;
  }
  static double value(Index3 global) {
    return static_cast<double>(global.x) + 100.0 * static_cast<double>(global.y);
  }
  [[nodiscard]] std::size_t points() const {
    return static_cast<std::size_t>(subdomain_.owned().point_count());
  }

  mpi::Communicator ranks_{MPI_COMM_WORLD};
  Grid grid_ = make_grid(2, {nx, ny, 1}, {0, 0, 0}, {1, 2, 0}, {true, false, false});
  Subdomain subdomain_{grid_, choose_decomposition(grid_, ranks_.size(), depth + 1), ranks_.rank()};
  std::optional<Queue> queue_{};
  std::optional<FieldSpace<double>> space_{};
};

TEST_F(DistributedFieldTest, InitialValuesAreZero) {
  DistributedField<double> const field(*space_);
  std::vector<double> values(points(), 7.0);

  field.read(values);

  EXPECT_EQ(values, std::vector<double>(points(), 0.0));
}

TEST_F(DistributedFieldTest, ValuesRoundTrip) {
  DistributedField<double> field(*space_);
  std::vector<double> values(points());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = 0.5 * static_cast<double>(i);
  std::vector<double> found(points());

  field.write(values);
  field.read(found);

  EXPECT_EQ(found, values);
}

TEST_F(DistributedFieldTest, RefusesArraysOfAnotherSize) {
  DistributedField<double> field(*space_);
  std::vector<double> one_too_many(points() + 1);

  EXPECT_THROW(field.write(one_too_many), Error);
  EXPECT_THROW(field.read(one_too_many), Error);
}

TEST_F(DistributedFieldTest, FillsItsHaloFromNeighboursPeriodicAndMirrorImages) {
  DistributedField<double> field(*space_);
  field.evaluate(field.owned(), [&](Index3 p) { return value(subdomain_.to_global(p)); });

  FieldView<double const> const filled = field.with_halo();

  // Each row of the halo is read by copying it to owned points of a second field.
  LocalBox const owned = field.owned();
  DistributedField<double> copy(*space_);
  for (std::int64_t const shift : {-1, 1}) {
    LocalBox const from{{owned.lower.x + shift, owned.lower.y, 0},
                        {owned.upper.x + shift, owned.upper.y, 1}};
    Buffer const dense(*queue_, Space::device, points() * sizeof(double));
    pack(*queue_, filled, from, dense.as<double>());
    unpack(*queue_, dense.as<double const>(), copy.writable(), owned);
    std::vector<double> found(points());
    copy.read(found);
    std::size_t number = 0;
    for (std::int64_t j = 0; j < owned.upper.y; ++j)
      for (std::int64_t i = 0; i < owned.upper.x; ++i, ++number) {
        Index3 global = subdomain_.to_global(Index3{i + shift, j, 0});
        global.x = (global.x + nx) % nx;
        EXPECT_EQ(found[number], value(global)) << i << ' ' << j << " shift " << shift;
      }
  }
  if (!subdomain_.on_physical_face({1, false})) return;
  Buffer const row(*queue_, Space::device,
                   static_cast<std::size_t>(owned.upper.x) * sizeof(double));
  LocalBox const below{{0, -depth, 0}, {owned.upper.x, 1 - depth, 1}};
  pack(*queue_, filled, below, row.as<double>());
  std::vector<double> mirrored(static_cast<std::size_t>(owned.upper.x));
  copy_bytes(*queue_, mirrored.data(), row.data(), row.bytes());
  queue_->wait();
  for (std::int64_t i = 0; i < owned.upper.x; ++i) {
    EXPECT_EQ(mirrored[static_cast<std::size_t>(i)],
              value(subdomain_.to_global(Index3{i, depth, 0})));
  }
}

TEST_F(DistributedFieldTest, HaloIsExchangedOnlyAfterAWrite) {
  DistributedField<double> field(*space_);
  DistributedField<double> other(*space_);
  std::vector<double> const values(points(), 1.0);
  // The number of exchanges for reading both fields with their halos, one of them twice.
  auto const exchanges = [&] {
    std::int64_t const before = space_->halo().exchange_count();
    (void)field.with_halo();
    (void)other.with_halo();
    (void)field.with_halo();
    return space_->halo().exchange_count() - before;
  };
  EXPECT_EQ(exchanges(), 2) << "of both fields, at first";

  EXPECT_EQ(exchanges(), 0);
  field.fill(field.owned(), 1.0);
  EXPECT_EQ(exchanges(), 1) << "fill";
  field.evaluate({}, [](Index3) { return 0.0; });
  EXPECT_EQ(exchanges(), 1) << "evaluate, even of no point: other ranks may have some";
  field.change(field.owned(), [](LocalBox, double*) {});
  EXPECT_EQ(exchanges(), 1) << "change";
  field.write(values);
  EXPECT_EQ(exchanges(), 1) << "write";
  (void)field.writable();
  EXPECT_EQ(exchanges(), 1) << "writable";

  std::swap(field, other);
  (void)field.writable();
  EXPECT_EQ(exchanges(), 1) << "the state moves with the values";
  static_assert(std::is_same_v<decltype(field.view()), FieldView<double const>>);
}

TEST_F(DistributedFieldTest, NonFiniteValueIsReportedOnEveryRankWithItsPoint) {
  DistributedField<double> field(*space_);
  field.evaluate(field.owned(), [&](Index3 p) {
    Index3 const global = subdomain_.to_global(p);
    return global == Index3{0, 8, 0} ? std::numeric_limits<double>::infinity() : 1.0;
  });

  auto const fault = [&](Index3 local) {
    Index3 const global = subdomain_.to_global(local);
    return ValueFault{"initial.value", "point " + std::to_string(global.y)};
  };

  try {
    field.check_evaluated(fault);
    ADD_FAILURE() << "a value that is not finite was taken";
  } catch (ValueRefusal const& error) {
    EXPECT_STREQ(error.what(), "point 8");
    EXPECT_EQ(error.key(), "initial.value");
  }
  EXPECT_NO_THROW(field.check_evaluated(fault)) << "it was named once";
}

}  // namespace
}  // namespace isotherm::test
