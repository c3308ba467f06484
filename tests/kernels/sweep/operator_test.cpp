#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "kernels/sweep/cpu/plans.hpp"
#include "kernels/updates/rules.hpp"

// Sweeps accept operators whose weights vary from point to point.

namespace isotherm::test {
namespace {

/// Weights that vary from point to point: arrays along x, and functions of y and z.
struct VaryingWeights {
  using Real = double;
  static constexpr int dimension = 3;
  static constexpr int radius = 1;

  std::vector<double> const* along_x;

  struct Point {
    using Real = double;
    static constexpr int dimension = 3;
    double wx, wy, wz;
    template <class At>
    double neighbours(At const& at) const {
      return neighbour_sum<3>(wx, wy, wz, at);
    }
    [[nodiscard]] double share_of(double source) const { return source; }
  };
  struct Row {
    using Real = double;
    static constexpr int dimension = 3;
    double const* wx;
    double wy, wz;
    [[nodiscard]] Point point(std::int64_t i) const { return {wx[i], wy, wz}; }
  };

  [[nodiscard]] Row row(std::int64_t j, std::int64_t k) const {
    return {along_x->data(), 0.1 + 0.01 * static_cast<double>(j),
            0.2 - 0.01 * static_cast<double>(k)};
  }
};

/// A cube with an odd number of points per axis, and steps of a rule on it, by a sweep plan or by
/// hand.
class VaryingOperator : public testing::Test {
 protected:
  static constexpr std::int64_t n = 19;

  VaryingOperator() {
    for (std::int64_t i = 0; i < n; ++i) weights_.push_back(0.15 + 0.005 * std::sin(double(i)));
    start([](std::int64_t i, std::int64_t j, std::int64_t k) {
      return std::cos(0.3 * double(i)) + 0.1 * double(j * k);
    });
  }

  template <class Function>
  void start(Function const& value) {
    for (std::int64_t k = 0; k < n; ++k)
      for (std::int64_t j = 0; j < n; ++j)
        for (std::int64_t i = 0; i < n; ++i) in_.view()(i, j, k) = value(i, j, k);
  }

  template <class Rule>
  void sweep_by(SweepPlan const& plan, Rule const& rule) {
    Pass<double> pass{in_.view(), out_.view(), {}, box_, box_.grown({-1, -1, -1})};
    cpu::sweep(scratch_, rule, pass, plan);
  }

  /// Takes `steps` steps point by point, with the formula as one would write it down.
  template <class Formula>
  std::vector<double> by_hand(int steps, Formula const& formula) {
    auto const at = [](std::int64_t i, std::int64_t j, std::int64_t k) {
      return static_cast<std::size_t>((k * n + j) * n + i);
    };
    std::vector<double> u(static_cast<std::size_t>(n * n * n));
    for (std::int64_t k = 0; k < n; ++k)
      for (std::int64_t j = 0; j < n; ++j)
        for (std::int64_t i = 0; i < n; ++i) u[at(i, j, k)] = in_.view()(i, j, k);
    for (int step = 0; step < steps; ++step) {
      std::vector<double> const before = u;
      for (std::int64_t k = 1; k < n - 1; ++k)
        for (std::int64_t j = 1; j < n - 1; ++j)
          for (std::int64_t i = 1; i < n - 1; ++i) {
            double const wy = 0.1 + 0.01 * double(j);
            double const wz = 0.2 - 0.01 * double(k);
            double const sum =
                weights_[std::size_t(i)] * (before[at(i - 1, j, k)] + before[at(i + 1, j, k)]) +
                wy * (before[at(i, j - 1, k)] + before[at(i, j + 1, k)]) +
                wz * (before[at(i, j, k - 1)] + before[at(i, j, k + 1)]);
            u[at(i, j, k)] = formula(before[at(i, j, k)], sum);
          }
    }
    return u;
  }

  void expect(std::vector<double> const& wanted) {
    std::size_t number = 0;
    for (std::int64_t k = 0; k < n; ++k)
      for (std::int64_t j = 0; j < n; ++j)
        for (std::int64_t i = 0; i < n; ++i, ++number)
          ASSERT_NEAR(out_.view()(i, j, k), wanted[number], 1e-12 * (1 + std::abs(wanted[number])))
              << i << ' ' << j << ' ' << k;
  }

  Queue queue_{Backend::cpu};
  cpu::Scratch scratch_{};
  LocalBox box_{{0, 0, 0}, {n, n, n}};
  std::vector<double> weights_;
  Field<double> in_{queue_, {n, n, n}, {4, 4, 4}};
  Field<double> out_{queue_, {n, n, n}, {4, 4, 4}};
};

TEST_F(VaryingOperator, RelaxesWithTheWeightsOfEachPoint) {
  StencilRule<Relax, VaryingWeights> const rule{{}, {&weights_}};

  sweep_by({"plain", 1}, rule);

  expect(by_hand(1, [](double, double sum) { return sum; }));
}

TEST_F(VaryingOperator, EveryCpuPlanTakesTimeSteps) {
  StencilRule<Euler<double>, VaryingWeights> const rule{{0.25}, {&weights_}};

  for (SweepPlan const& plan : cpu::plans<std::remove_const_t<decltype(rule)>>()) {
    if (plan.steps > 4) continue;  // the halo is four points deep
    SCOPED_TRACE(plan.name);
    sweep_by(plan, rule);
    expect(by_hand(plan.steps, [](double u, double sum) { return 0.25 * u + sum; }));
  }
}

}  // namespace
}  // namespace isotherm::test
