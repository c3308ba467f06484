#include "kernels/multigrid/fused_smoothing.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "kernels/core/error.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/fields.hpp"
#include "tests/support/oracles/sweep_oracle.hpp"
#include "tests/support/sweep_settings.hpp"

// Fused smoothing of corrections, which sweeps the residual, against plain loops that sweep the
// values.

namespace isotherm::test {
namespace {

constexpr std::array<double, 4> chebyshev = {4.2743, 1.2101, 0.6667, 0.5155};
constexpr int deepest = max_fused_sweeps;

template <class Real>
class Relaxing : public BackendTest {
 protected:
  void SetUp() override {
    BackendTest::SetUp();
    if (!has_fused_smoothing<Real>(queue_, 3, 1)) {
      GTEST_SKIP() << "this backend takes the sweeps of a correction by themselves";
    }
  }

  static Index3 halo(int dimension) { return {deepest, deepest, dimension == 3 ? deepest : 0}; }
  static StepCoefficients coefficients(int dimension) {
    return dimension == 3 ? StepCoefficients{0.0, 0.21, 0.13, 0.16}
                          : StepCoefficients{0.0, 0.27, 0.23, 0.0};
  }

  /// The random source and correction of a setting; zero at fixed points.
  struct Case {
    Setting setting;
    int dimension;
    LocalBox free;
    HostBox<Real> source, correction;
  };
  static Case case_of(Setting const& setting, int dimension, bool from_zero) {
    // One layer more than the field, because the reference residual needs it.
    LocalBox const box = LocalBox{{0, 0, 0}, setting.points}
                             .grown(halo(dimension))
                             .grown({1, 1, dimension == 3 ? 1 : 0});
    Case c{setting, dimension, free_points(setting, halo(dimension)), HostBox<Real>(box),
           HostBox<Real>(box)};
    LocalBox const inside = intersection(c.free, box);
    HostBox<Real> const source = random_points<Real>(box, 3);
    HostBox<Real> const correction = random_points<Real>(box, 5);
    for_each(inside, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
      c.source(i, j, k) = source(i, j, k);
      if (!from_zero) c.correction(i, j, k) = correction(i, j, k);
    });
    return c;
  }

  /// One plain Jacobi sweep of the correction e, in float64.
  static HostBox<double> jacobi(Case const& c, HostBox<double> const& e) {
    HostBox<double> source(c.source.box);
    source.values.assign(c.source.values.begin(), c.source.values.end());
    return step<double>(coefficients(c.dimension), e, &source, c.free, {}, c.dimension);
  }
  /// The correction after the sweeps and its residual, valid in the setting's region.
  static std::array<HostBox<double>, 2> expected(Case const& c, std::span<double const> weights) {
    HostBox<double> e(c.correction.box);
    e.values.assign(c.correction.values.begin(), c.correction.values.end());
    for (double const weight : weights) {
      HostBox<double> const relaxed = jacobi(c, e);
      for (std::size_t n = 0; n < e.values.size(); ++n) {
        e.values[n] += weight * (relaxed.values[n] - e.values[n]);
      }
    }
    HostBox<double> rest = jacobi(c, e);
    for (std::size_t n = 0; n < e.values.size(); ++n) rest.values[n] -= e.values[n];
    return {e, rest};
  }

  static void expect_near(HostBox<Real> const& found, HostBox<double> const& expected,
                          LocalBox region, std::string const& what) {
    double const tolerance = 200.0 * static_cast<double>(std::numeric_limits<Real>::epsilon());
    std::int64_t wrong = 0;
    std::string first;
    for_each(found.box, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
      double const is = found(i, j, k);
      double const want = region.contains(i, j, k) ? expected(i, j, k) : 17.0;
      if (std::abs(is - want) <= tolerance * (1.0 + std::abs(want))) return;
      if (wrong++ > 0) return;
      first = std::to_string(i) + "," + std::to_string(j) + "," + std::to_string(k) + " is " +
              std::to_string(is) + ", not " + std::to_string(want);
    });
    EXPECT_EQ(wrong, 0) << what << ": point " << first;
  }

  Field<Real> field(Case const& c, HostBox<Real> const& values) {
    Field<Real> made(queue_, c.setting.points, halo(c.dimension));
    write_points(queue_, made, part_of(values, made.layout().box()));
    return made;
  }
  Field<Real> untouched(Case const& c) {
    HostBox<Real> values(c.source.box);  // more points than the field has
    values.values.assign(values.values.size(), Real{17});
    return field(c, values);
  }

  void compare(Setting const& setting, int dimension, bool from_zero, std::size_t sweeps) {
    Case const c = case_of(setting, dimension, from_zero);
    std::span<double const> const weights(chebyshev.data(), sweeps);
    Field<Real> const correction = field(c, c.correction);
    Field<Real> const source = field(c, c.source);
    Field<Real> out = untouched(c);
    Field<Real> rest = untouched(c);
    StepCoefficients const w = coefficients(dimension);
    FusedSmoothing<Real> relaxation;
    relaxation.neighbours = {static_cast<Real>(w.x), static_cast<Real>(w.y),
                             static_cast<Real>(w.z)};
    relaxation.weights = weights;
    if (!from_zero) relaxation.correction = correction.view();
    relaxation.source = source.view();
    relaxation.out = out.view();
    if (from_zero) relaxation.rest = rest.view();
    relaxation.region = setting.region;
    relaxation.free = c.free;

    fused_smoothing(queue_, dimension, relaxation);

    auto const [e, r] = expected(c, weights);
    std::string const what = text(setting) + ", " + std::to_string(sweeps) + " sweeps";
    expect_near(read_points(queue_, out, out.layout().box()), e, setting.region, what);
    if (from_zero) {
      expect_near(read_points(queue_, rest, rest.layout().box()), r, setting.region, what);
    }
  }

  /// Grids large enough for the temporally blocked sweep of devices.
  static std::vector<Setting> large_settings() {
    std::vector<Setting> large;
    for (Extent3 const n : {Extent3{259, 131, 35}, Extent3{64, 129, 300}}) {
      large.push_back(whole(n, true, 3));
      large.push_back(whole(n, false, 3));
      large.push_back(mixed(n, 3));
      Setting part = mixed(n, 3);
      part.region = {{3, 1, 2}, {n.x, n.y, n.z - 1}};
      large.push_back(part);
    }
    return large;
  }

  Queue queue_ = backend_missing().empty() ? make_queue() : Queue(Backend::cpu);
};

using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(Relaxing, Reals);

TYPED_TEST(Relaxing, FromZeroMatchesPlainSweepsAndTheirResidual) {
  for (int const dimension : {2, 3}) {
    for (Setting const& setting : settings(dimension)) this->compare(setting, dimension, true, 4);
  }
  for (Setting const& setting : this->large_settings()) this->compare(setting, 3, true, 4);
}

TYPED_TEST(Relaxing, FromAnyCorrectionMatchesPlainSweeps) {
  for (int const dimension : {2, 3}) {
    for (Setting const& setting : settings(dimension)) this->compare(setting, dimension, false, 4);
  }
  for (Setting const& setting : this->large_settings()) this->compare(setting, 3, false, 4);
}

TYPED_TEST(Relaxing, SupportsFewerSweepsThanTheMaximum) {
  for (std::size_t const sweeps : {1, 2, 3}) {
    this->compare(mixed({37, 21, 13}, 3), 3, true, sweeps);
    this->compare(mixed({129, 65, 1}, 2), 2, false, sweeps);
    this->compare(this->large_settings().front(), 3, sweeps == 2, sweeps);
  }
}

TYPED_TEST(Relaxing, RefusesTooManySweepsIncompleteRequestsAndSmallFields) {
  Extent3 const n{20, 10, 1};
  Field<TypeParam> source(this->queue_, n, {4, 4, 0});
  Field<TypeParam> shallow(this->queue_, n, {3, 4, 0});
  Field<TypeParam> out(this->queue_, n, {0, 0, 0});
  Field<TypeParam> rest(this->queue_, n, {0, 0, 0});
  std::array<double, 5> const many{};
  FusedSmoothing<TypeParam> sound;
  sound.weights = std::span<double const>(many).first(4);
  sound.source = std::as_const(source).view();
  sound.out = out.view();
  sound.rest = rest.view();
  sound.region = out.owned();
  sound.free = out.owned().grown({4, 4, 0});
  EXPECT_NO_THROW(fused_smoothing(this->queue_, 2, sound));

  FusedSmoothing<TypeParam> wrong = sound;
  wrong.weights = many;
  EXPECT_THROW(fused_smoothing(this->queue_, 2, wrong), Error);
  wrong = sound;
  wrong.source = {};
  EXPECT_THROW(fused_smoothing(this->queue_, 2, wrong), Error);
  wrong = sound;
  wrong.source = std::as_const(shallow).view();
  EXPECT_THROW(fused_smoothing(this->queue_, 2, wrong), Error);
  wrong.free = out.owned().grown({-1, -1, 0});  // points beyond are not used
  EXPECT_NO_THROW(fused_smoothing(this->queue_, 2, wrong));
  this->queue_.wait();
}

}  // namespace
}  // namespace isotherm::test
