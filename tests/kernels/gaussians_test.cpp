#include "kernels/gaussians/gaussians.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "kernels/gaussians/gaussian_sum.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/fields.hpp"

// Sums of Gaussians.

namespace isotherm::test {
namespace {

TEST(Exponential, MatchesTheStandardLibraryWithinTwoUlp) {
  for (double x = 0.0; x > -708.0; x -= 0.0173) {
    double const expected = std::exp(x);
    EXPECT_NEAR(exponential_of_negative(x), expected, 4.5e-16 * expected) << x;
  }
  EXPECT_EQ(exponential_of_negative(0.0), 1.0);
  EXPECT_EQ(exponential_of_negative(-1e9), 0.0);
}

std::vector<GaussianTerm> terms(int count) {
  std::vector<GaussianTerm> all;
  for (int n = 0; n < count; ++n) {
    all.push_back({std::sin(n), std::cos(2.0 * n), std::sin(3.0 * n), 0.2 + 0.1 * (n % 3), 0.1});
  }
  return all;
}

class Gaussians : public BackendTest, public testing::WithParamInterface<int> {};

TEST_P(Gaussians, SumMatchesPlainLoops) {
  Queue queue = make_queue();
  Extent3 const n{13, 11, 7};
  Field<double> field(queue, n, {1, 1, 1});
  PointFrame const frame{{-1.0, -1.0, -1.0}, {0.1, 0.12, 0.2}, {3, 2, 1}};
  auto const all = terms(GetParam());
  fill(queue, field.view(), field.owned(), 0.5);

  add_gaussians(queue, field.view(), field.owned(), frame, 3, all);

  auto const found = read_points(queue, field, field.owned());
  for_each(field.owned(), [&](std::int64_t i, std::int64_t j, std::int64_t k) {
    double expected = 0.5;
    for (GaussianTerm const& g : all) {
      double const x = -1.0 + 0.1 * static_cast<double>(3 + i) - g.x;
      double const y = -1.0 + 0.12 * static_cast<double>(2 + j) - g.y;
      double const z = -1.0 + 0.2 * static_cast<double>(1 + k) - g.z;
      expected += g.height * std::exp(-(x * x + y * y + z * z) / (2.0 * g.width * g.width));
    }
    EXPECT_NEAR(found(i, j, k), expected, 1e-12 * expected);
  });
}

TEST_P(Gaussians, SameBitsOnEveryBackend) {
  Queue queue = make_queue();
  Queue host(Backend::cpu);
  Extent3 const n{33, 9, 1};
  PointFrame const frame{{-1.0, -1.0, 0.0}, {0.06, 0.2, 1.0}, {0, 0, 0}};
  Field<float> here(host, n, {1, 1, 0});
  add_gaussians(host, here.view(), here.owned(), frame, 2, terms(GetParam()));
  auto const expected = read_points(host, here, here.owned());

  Field<float> there(queue, n, {1, 1, 0});
  add_gaussians(queue, there.view(), there.owned(), frame, 2, terms(GetParam()));
  EXPECT_EQ(read_points(queue, there, there.owned()).values, expected.values);
}

TEST_P(Gaussians, ChangesOnlyPointsOfTheBox) {
  Queue queue = make_queue();
  Queue host(Backend::cpu);
  Extent3 const n{17, 9, 5};
  LocalBox const part{{2, 1, 1}, {15, 8, 4}};
  PointFrame const frame{{-1.0, -1.0, -1.0}, {0.1, 0.2, 0.3}, {3, 2, 1}};
  Field<double> here(host, n, {1, 1, 1});
  fill(host, here.view(), here.layout().box(), 0.1);
  add_gaussians(host, here.view(), part, frame, 3, terms(GetParam()));
  auto const expected = read_points(host, here, here.layout().box());

  Field<double> there(queue, n, {1, 1, 1});
  fill(queue, there.view(), there.layout().box(), 0.1);
  add_gaussians(queue, there.view(), part, frame, 3, terms(GetParam()));
  EXPECT_EQ(read_points(queue, there, there.layout().box()).values, expected.values);
}

INSTANTIATE_TEST_SUITE_P(FewAndMany, Gaussians, testing::Values(1, 500));

}  // namespace
}  // namespace isotherm::test
