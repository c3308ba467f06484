#include "decomposition/field/staging/field_copy.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <utility>
#include <vector>

#include "decomposition/field/staging/host_staging.hpp"
#include "kernels/core/error.hpp"
#include "kernels/faces/faces.hpp"
#include "tests/support/backends.hpp"

// Copies of a field to the host while the field changes.

namespace isotherm::test {
namespace {

class FieldCopyTest : public BackendTest {};

/// A copy taken before the field changes contains the old values, whoever completes it and when.
template <class Real>
void takes_before_it_changes(Queue& queue, Extent3 n) {
  Field<Real> field(queue, n, {1, 1, 1});
  auto const points = static_cast<std::size_t>(field.owned().point_count());
  std::vector<Real> numbers(points);
  for (std::size_t i = 0; i < points; ++i) numbers[i] = static_cast<Real>(i % 1000003);
  FieldCopy copy(queue, points * sizeof(Real));
  std::vector<Real> first(points), second(points);

  HostStaging<Real>(queue, n).write(queue, field.view(), field.owned(), numbers.data());
  copy.take<Real>(queue, std::as_const(field).view(), field.owned(), first);
  fill(queue, field.view(), field.owned(), Real{7});
  std::thread([&] { copy.move_to_host(); }).join();
  copy.take<Real>(queue, std::as_const(field).view(), field.owned(), second);
  copy.move_to_host();
  queue.wait();

  EXPECT_EQ(first, numbers);
  EXPECT_EQ(second, std::vector<Real>(points, Real{7}));
}

TEST_F(FieldCopyTest, ContainsTheFieldAtTheTimeOfTheCopy) {
  Queue queue = make_queue();

  takes_before_it_changes<float>(queue, {301, 140, 250});  // 40 MiB, copied in three pieces
  takes_before_it_changes<double>(queue, {5, 3, 1});
  takes_before_it_changes<double>(queue, {1 << 21, 2, 1});  // rows as long as a piece
}

TEST_F(FieldCopyTest, RefusesFieldsBeyondItsCapacity) {
  Queue queue = make_queue();
  if (queue.backend() == Backend::cpu) GTEST_SKIP() << "the CPU's copies need no room";
  Field<double> field(queue, {4, 4, 4}, {1, 1, 1});
  FieldCopy copy(queue, 63 * sizeof(double));
  std::vector<double> values(64);

  EXPECT_THROW(
      copy.take<double>(queue, std::as_const(field).view(), field.owned(), std::span(values)),
      Error);
}

TEST(FieldCopyFootprint, EqualsTheValuesOnDevicesOnly) {
  EXPECT_EQ(FieldCopy::footprint(Backend::cpu, 1000), 0U);
  EXPECT_GE(FieldCopy::footprint(Backend::cuda, 1000), 1000U);
}

}  // namespace
}  // namespace isotherm::test
