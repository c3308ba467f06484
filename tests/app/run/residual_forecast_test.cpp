#include "app/run/schedule/residual_forecast.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "app/run/report/progress.hpp"

// Forecasts of the iteration that reaches the tolerance, and the progress line.

namespace isotherm::app {
namespace {

/// One residual every `every` iterations, up to `last`.
std::vector<Residual> history(std::function<double(double)> const& residual, std::int64_t last,
                              std::int64_t every = 100) {
  std::vector<Residual> all;
  for (std::int64_t i = 0; i <= last; i += every) {
    all.push_back({i, 0.0, residual(static_cast<double>(i))});
  }
  return all;
}

double halving_every_1000(double iteration) { return 8.0 * std::exp2(-iteration / 1000.0); }

TEST(ResidualForecast, ExtrapolatesExponentialDecay) {
  auto const at = forecast_iteration(history(halving_every_1000, 2000), 8.0 / 1024.0);
  ASSERT_TRUE(at.has_value());
  EXPECT_NEAR(*at, 10000.0, 1.0);
}

TEST(ResidualForecast, IgnoresOutliers) {
  auto all = history(halving_every_1000, 4000);
  all.back().value *= 1.5;
  all[all.size() - 4].value *= 0.1;
  auto const at = forecast_iteration(all, 8.0 / 1024.0);
  ASSERT_TRUE(at.has_value());
  EXPECT_NEAR(*at, 10000.0, 100.0);
}

TEST(ResidualForecast, IsStableForAlternatingResiduals) {
  // Residuals fall in steps: every other one is hardly smaller than its predecessor.
  auto const steps = [](double i) {
    return halving_every_1000(i) * (std::fmod(i, 200.0) == 0.0 ? 1.03 : 0.97);
  };
  for (std::int64_t last = 3000; last <= 6000; last += 100) {
    auto const at = forecast_iteration(history(steps, last), 8.0 / 1024.0);
    ASSERT_TRUE(at.has_value());
    EXPECT_NEAR(*at, 10000.0, 700.0) << last;
  }
}

TEST(ResidualForecast, ConvergesWhileTheDecaySlowsDown) {
  // As with Jacobi: many modes at first, and finally one that halves every 1000 iterations.
  auto const slowing = [](double i) {
    return halving_every_1000(i) + 40.0 * std::exp2(-i / 200.0) + 200.0 * std::exp2(-i / 30.0);
  };
  double before = 0.0;
  for (std::int64_t last = 500; last <= 9500; last += 500) {
    auto const at = forecast_iteration(history(slowing, last), 8.0 / 1024.0);
    ASSERT_TRUE(at.has_value());
    EXPECT_LT(*at, 10100.0);
    EXPECT_GT(*at, 0.99 * before) << "it comes nearer step by step";
    before = *at;
  }
  EXPECT_NEAR(before, 10000.0, 20.0);
}

TEST(ResidualForecast, NoneWithoutDecay) {
  EXPECT_FALSE(forecast_iteration({}, 1.0));
  EXPECT_FALSE(forecast_iteration(history(halving_every_1000, 200), 1e-3));
  EXPECT_FALSE(forecast_iteration(history([](double) { return 1.0; }, 2000), 1e-3));
  EXPECT_FALSE(forecast_iteration(history([](double i) { return 1.0 + i; }, 2000), 1e-3));
  EXPECT_FALSE(forecast_iteration(history([](double) { return 0.0; }, 2000), 1e-3));
  EXPECT_FALSE(forecast_iteration(history(halving_every_1000, 2000), 0.0));
}

TEST(ResidualHistory, ThinsOutLongRuns) {
  ResidualHistory kept;
  std::int64_t const last = 1'000'000;
  for (Residual const& one :
       history([](double i) { return std::exp2(-i / 200'000.0); }, last, 100)) {
    kept.add({one});
  }
  EXPECT_LE(kept.residuals().size(), 512U);
  EXPECT_GT(kept.residuals().back().iteration, last - 10'000);
  auto const at = forecast_iteration(kept.residuals(), std::exp2(-10.0));
  ASSERT_TRUE(at.has_value());
  EXPECT_NEAR(*at, 2e6, 10.0);
}

ProgressState standing_at(std::int64_t iteration) {
  ProgressState state;
  state.iteration = iteration;
  state.reference = 8.0;
  state.residual = Residual{iteration - 100, 0.0, 1.0};
  state.points_per_second = 1.2345e9;
  return state;
}

TEST(IterationsLeft, ReachTheLimitWithoutATolerance) {
  auto const left = iterations_left(standing_at(300), {1000, 0.0}, {});
  EXPECT_EQ(left.count, 700.0);
  EXPECT_EQ(left.known, IterationsLeft::Known::exactly);
}

TEST(IterationsLeft, AreBoundedByTheLimit) {
  auto const all = history(halving_every_1000, 2000);
  auto const far = iterations_left(standing_at(2000), {3000, 1.0 / 1024.0, RelativeTo::rhs}, all);
  EXPECT_EQ(far.count, 1000.0);
  auto const near =
      iterations_left(standing_at(2000), {300000, 1.0 / 1024.0, RelativeTo::rhs}, all);
  EXPECT_NEAR(near.count, 8000.0, 1.0);
  EXPECT_EQ(near.known, IterationsLeft::Known::about);
  auto const over =
      iterations_left(standing_at(12000), {300000, 1.0 / 1024.0, RelativeTo::rhs}, all);
  EXPECT_EQ(over.count, 0.0);
}

TEST(IterationsLeft, AreAtMostTheLimitWithoutAForecast) {
  auto const left = iterations_left(standing_at(300), {1000, 1e-3}, {});
  EXPECT_EQ(left.count, 700.0);
  EXPECT_EQ(left.known, IterationsLeft::Known::at_most);
}

TEST(IterationsLeft, AreAtMostTheLimitIfTheRunMayStop) {
  Goal const goal{1000, 0.0, RelativeTo::field, true};
  auto const left = iterations_left(standing_at(300), goal, {});
  EXPECT_EQ(left.count, 700.0);
  EXPECT_EQ(left.known, IterationsLeft::Known::at_most);
  EXPECT_TRUE(progress_text(standing_at(300), goal, left, 2.0)
                  .starts_with("at most 2 s left, 1.23 GCell/s, iteration 300 of at most 1000"));
}

TEST(ProgressText, BeginsWithRemainingTimeAndRate) {
  Goal const goal{400000, 1e-5};
  EXPECT_EQ(progress_text(standing_at(12345), goal, {1.0, IterationsLeft::Known::about}, 139.0),
            "about 2:19 min left, 1.23 GCell/s, iteration 12345 of at most 400000, residual "
            "1.000e+00, relative 1.25e-01");
  EXPECT_TRUE(progress_text(standing_at(5), {9, 0.0}, {4.0}, 2.0)
                  .starts_with("2 s left, 1.23 GCell/s, iteration 5 of 9"));
}

}  // namespace
}  // namespace isotherm::app
