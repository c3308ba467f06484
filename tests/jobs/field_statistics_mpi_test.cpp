#include <gtest/gtest.h>

#include <vector>

#include "jobs/run/field_statistics.hpp"

namespace isotherm {
namespace {

/// 0 … 9 on rank 0, 10 … 19 on rank 1 and so on; one value more on the last rank.
template <class Real>
std::vector<Real> own_values(mpi::Communicator const& ranks) {
  std::vector<Real> values;
  for (int i = 0; i < 10; ++i) {
    values.push_back(static_cast<Real>(10 * ranks.rank() + i));
  }
  if (ranks.rank() + 1 == ranks.size()) {
    values.push_back(static_cast<Real>(-5));
  }
  return values;
}

template <class Real>
void expect_those_of_all_ranks() {
  mpi::Communicator const world(MPI_COMM_WORLD);
  auto const values = own_values<Real>(world);
  double const count = 10.0 * world.size();

  auto const found = field_statistics(world, std::span(values));

  EXPECT_EQ(found.least, -5.0);
  EXPECT_EQ(found.largest, count - 1.0);
  EXPECT_NEAR(found.mean, (count * (count - 1.0) / 2.0 - 5.0) / (count + 1.0), 1e-12);
}

TEST(FieldStatistics, AreThoseOfAllRanks) {
  expect_those_of_all_ranks<double>();
  expect_those_of_all_ranks<float>();
}

TEST(FieldStatistics, SumUpInFloat64) {
  mpi::Communicator const world(MPI_COMM_WORLD);
  std::vector<float> const values(1'000'000, 16777217.0F / 16.0F);  // float32 would lose the count

  auto const found = field_statistics(world, std::span(values));

  EXPECT_EQ(found.mean, static_cast<double>(values[0]));
}

}  // namespace
}  // namespace isotherm
