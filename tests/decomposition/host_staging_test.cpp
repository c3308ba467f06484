#include "decomposition/field/staging/host_staging.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <limits>
#include <numeric>
#include <span>
#include <stdexcept>

#include "tests/support/backends.hpp"
#include "tests/support/fields.hpp"

// Evaluating, writing and reading fields of devices through the host.

namespace isotherm::test {
namespace {

double numbered(Index3 p) { return static_cast<double>(p.x + 1000 * p.y + 1000000 * p.z); }

TEST(Chunks, AreConsecutiveWholeRows) {
  LocalBox const box{{-1, 2, 3}, {6, 11, 8}};
  for (std::int64_t const maximum : {1, 7, 8, 20, 63, 64, 130, 10000}) {
    std::int64_t expected_row = 0;
    for (LocalBox const chunk : chunks(box, maximum)) {
      EXPECT_TRUE(chunk.point_count() <= maximum || chunk.point_count() == 7) << maximum;
      for_each(chunk, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
        if (i != box.lower.x) return;
        EXPECT_EQ((k - 3) * 9 + (j - 2), expected_row++);
      });
    }
    EXPECT_EQ(expected_row, 9 * 5) << maximum;
  }
  EXPECT_TRUE(chunks(LocalBox{{0, 0, 0}, {3, 0, 2}}, 10).empty());
}

class HostStagingTest : public BackendTest {};

TEST_F(HostStagingTest, EvaluatesBoxesOfSeveralChunks) {
  Queue queue = make_queue();
  Extent3 const n{257, 129, 131};  // 33 MiB of float64: three chunks
  Field<double> field(queue, n, {1, 1, 1});
  HostStaging<double> staging(queue, n);
  LocalBox const box{{1, 0, 1}, {257, 128, 131}};

  staging.evaluate(queue, field.view(), box, numbered);

  HostBox<double> const found = read_points(queue, field, field.owned());
  std::int64_t wrong = 0;
  for_each(field.owned(), [&](std::int64_t i, std::int64_t j, std::int64_t k) {
    double const wanted = box.contains(i, j, k) ? numbered({i, j, k}) : 0.0;
    if (found(i, j, k) != wanted) ++wrong;
  });
  EXPECT_EQ(wrong, 0);
  EXPECT_FALSE(staging.take_not_finite().has_value());
}

/// Rows that exceed the maximum number of values of one call.
TEST_F(HostStagingTest, DividesLongRows) {
  Queue queue = make_queue();
  Extent3 const n{2 * static_cast<std::int64_t>(PointFunction::maximum) + 77, 3, 2};
  Field<float> field(queue, n, {1, 1, 1});
  HostStaging<float> staging(queue, n);
  Index3 const wrong{static_cast<std::int64_t>(PointFunction::maximum) + 5, 2, 1};
  std::atomic<bool> whole = false, longer = false;
  auto const along_row = [&](Index3 first, std::span<double> values) {
    if (values.size() == PointFunction::maximum) whole = true;
    if (values.size() > PointFunction::maximum) longer = true;
    for (double& value : values) {
      value = first == wrong ? 1e300 : numbered(first);
      ++first.x;
    }
  };

  LocalBox const box{{-1, 0, 0}, n};
  staging.evaluate(queue, field.view(), box, along_row);

  EXPECT_TRUE(whole);
  EXPECT_FALSE(longer);
  EXPECT_EQ(staging.take_not_finite(), wrong);
  HostBox<float> const found = read_points(queue, field, box);
  for_each(box, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
    if (Index3{i, j, k} == wrong) return;
    EXPECT_EQ(found(i, j, k), static_cast<float>(numbered({i, j, k})));
  });
}

TEST_F(HostStagingTest, DenseValuesRoundTrip) {
  Queue queue = make_queue();
  Extent3 const n{301, 140, 120};  // 19 MiB of float32: two chunks
  Field<float> field(queue, n, {2, 2, 2});
  HostStaging<float> staging(queue, n);
  std::vector<float> values(static_cast<std::size_t>(field.owned().point_count()));
  std::iota(values.begin(), values.end(), 1.0F);
  std::vector<float> found(values.size());

  staging.write(queue, field.view(), field.owned(), values.data());
  staging.read(queue, std::as_const(field).view(), field.owned(), found.data());

  EXPECT_TRUE(found == values);
}

TEST_F(HostStagingTest, FindsNonFiniteValues) {
  Queue queue = make_queue();
  Field<float> field(queue, {9, 8, 7}, {0, 0, 0});
  HostStaging<float> staging(queue, {9, 8, 7});

  staging.evaluate(queue, field.view(), field.owned(), [](Index3 p) {
    return p == Index3{4, 3, 2} ? 1e300 : 1.0;  // beyond float32
  });

  EXPECT_EQ(staging.take_not_finite(), (Index3{4, 3, 2}));
  EXPECT_FALSE(staging.take_not_finite().has_value());
}

TEST_F(HostStagingTest, PropagatesExceptionsOfFunctions) {
  Queue queue = make_queue();
  Field<double> field(queue, {9, 8, 7}, {0, 0, 0});
  HostStaging<double> staging(queue, {9, 8, 7});
  auto const fails = [](Index3 p) -> double {
    if (p.z == 5) throw std::domain_error("no value");
    return 0.0;
  };

  EXPECT_THROW(staging.evaluate(queue, field.view(), field.owned(), fails), std::domain_error);
}

}  // namespace
}  // namespace isotherm::test
