#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "kernels/sweep/sweep.hpp"
#include "kernels/updates/rules.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/fields.hpp"
#include "tests/support/oracles/sweep_oracle.hpp"
#include "tests/support/sweep_settings.hpp"

// Smoothing sweeps in which each step has its own relaxation factor.

namespace isotherm::test {
namespace {

/// The relaxation factors of the steps of a pass: all different, the first as large as in a
/// Chebyshev iteration.
constexpr std::array<double, 8> step_weights = {4.2743, 1.2101, 0.6667, 0.5155,
                                                0.9,    1.3,    0.75,   1.05};
constexpr StepCoefficients in_2d{0.0, 0.27, 0.23, 0.0};
constexpr StepCoefficients in_3d{0.0, 0.21, 0.13, 0.16};

/// A selection of all settings; each extent has other faces and parts than the one before.
std::vector<Setting> some_settings(int dimension, std::size_t first) {
  constexpr std::int64_t maximum = 50'000;
  std::vector<Setting> const all = settings(dimension);
  std::vector<Setting> some;
  for (std::size_t n = first; n < all.size(); n += 7) {
    Extent3 const points = all[n].points;
    if (points.x * points.y * points.z <= maximum) some.push_back(all[n]);
  }
  return some;
}

template <class Rule>
class Smoothing : public BackendTest {
 protected:
  using Value = typename Rule::Real;
  static constexpr int axes = Rule::dimension;
  static constexpr int deepest = static_cast<int>(step_weights.size());
  static constexpr StepCoefficients coefficients = axes == 3 ? in_3d : in_2d;

  static Index3 halo_of(int steps) { return {steps, steps, axes == 3 ? steps : 0}; }
  static std::vector<SweepPlan> plans() {
    return smoothing_plans(tested_backend(), axes, precision_of<Value>);
  }

  /// The rule with the factors of the steps from `first` on.
  static Rule rule_from(int first) {
    Rule rule{{},
              {static_cast<Value>(coefficients.x), static_cast<Value>(coefficients.y),
               static_cast<Value>(coefficients.z)}};
    for (std::size_t n = static_cast<std::size_t>(first); n < step_weights.size(); ++n) {
      rule.weights[n - static_cast<std::size_t>(first)] = static_cast<Value>(step_weights[n]);
    }
    return rule;
  }

  /// The tolerated difference from the oracle. Builds with ISOTHERM_EXACT round identically. In
  /// others each step rounds a few times and amplifies earlier rounding errors by |1 − ω| + ω.
  static double tolerance(int steps) {
#if defined(ISOTHERM_EXACT)
    static_cast<void>(steps);
    return 0.0;
#else
    double growth = 1.0;
    for (int n = 0; n < steps; ++n) {
      double const weight = step_weights[static_cast<std::size_t>(n)];
      growth *= std::abs(1.0 - weight) + weight;
    }
    return 4.0 * steps * growth * static_cast<double>(std::numeric_limits<Value>::epsilon());
#endif
  }

  /// The random values of a setting, and the results of plain loops.
  struct Course {
    Setting setting;
    HostBox<Value> before, sources, untouched;
    bool with_source;
    std::map<int, std::pair<HostBox<Value>, Change>> after{};  ///< by number of steps
  };

  /// Computes u ← (1 − ω) u + ω (Σ w u_neighbour + source), in a field with the deepest halo of any
  /// plan.
  static Course course_of(Setting const& setting, bool with_source) {
    Index3 const halo = halo_of(deepest);
    LocalBox const box = LocalBox{{0, 0, 0}, setting.points}.grown(halo);
    Course course{setting, random_points<Value>(box, 7), random_points<Value>(box, 11),
                  random_points<Value>(box, 13), with_source};
    LocalBox const free = free_points(setting, halo);
    HostBox<Value> u = course.before;
    for (int n = 1; n <= deepest; ++n) {
      auto const weight = static_cast<Value>(step_weights[static_cast<std::size_t>(n - 1)]);
      HostBox<Value> const relaxed = step<Value>(coefficients, u, nullptr, free, {}, axes);
      HostBox<Value> after = u;
      Change change;
      LocalBox const inside = box.grown({-1, -1, axes == 3 ? -1 : 0});
      for_each(intersection(free, inside), [&](std::int64_t i, std::int64_t j, std::int64_t k) {
        Value const kept = (Value{1} - weight) * u(i, j, k);
        Value const gained = weight * relaxed(i, j, k);
        Value value = gained + kept;
        if (with_source) value = Value(weight * course.sources(i, j, k)) + value;
        after(i, j, k) = value;
        if (!setting.region.contains(i, j, k)) return;
        auto const by = static_cast<double>(std::abs(value - u(i, j, k)));
        change.largest = std::max(change.largest, by);
        change.sum_of_squares += by * by;
      });
      u = after;
      course.after.insert({n, {part_of(u, setting.region), change}});
    }
    return course;
  }

  /// The fields of a pass, with a halo of `steps` points.
  struct Fields {
    Field<Value> in, out, source;
  };
  Fields fields_of(Course const& course, int steps) {
    auto const field = [&](HostBox<Value> const& values) {
      Field<Value> made(queue_, course.setting.points, halo_of(steps));
      write_points(queue_, made, part_of(values, made.layout().box()));
      return made;
    };
    return {field(course.before), field(course.untouched), field(course.sources)};
  }

  Pass<Value> pass_of(Course const& course, Fields& fields, LocalBox region, int steps) {
    Pass<Value> pass{fields.in.view(),
                     fields.out.view(),
                     {},
                     region,
                     free_points(course.setting, halo_of(steps))};
    if (course.with_source) pass.source = fields.source.view();
    return pass;
  }

  /// Returns the whole output of one pass of `plan`.
  HostBox<Value> in_one_pass(Course const& course, SweepPlan const& plan, Change* change) {
    Fields fields = fields_of(course, plan.steps);
    ChangeReader reader(queue_);
    reader.clear(queue_);
    Pass<Value> pass = pass_of(course, fields, course.setting.region, plan.steps);
    if (change != nullptr) pass.change = reader.device();
    sweep(queue_, rule_from(0), pass, plan);
    reader.fetch(queue_);
    if (change != nullptr) *change = reader.read();
    return read_points(queue_, fields.out, fields.out.layout().box());
  }

  /// The region after as many single steps, each with the next factor and at all points that later
  /// steps need.
  HostBox<Value> in_plain_passes(Course const& course, int steps) {
    Fields fields = fields_of(course, steps);
    for (int n = 0; n < steps; ++n) {
      LocalBox const region = course.setting.region.grown(halo_of(steps - 1 - n));
      sweep(queue_, rule_from(n), pass_of(course, fields, region, steps), plans().front());
      std::swap(fields.in, fields.out);
    }
    return read_points(queue_, fields.in, course.setting.region);
  }

  void expect_written(HostBox<Value> const& found, Course const& course, SweepPlan const& plan) {
    HostBox<Value> const& expected = course.after.at(plan.steps).first;
    std::int64_t wrong = 0;
    std::string first;
    for_each(found.box, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
      bool const written = course.setting.region.contains(i, j, k);
      double const want = written ? expected(i, j, k) : course.untouched(i, j, k);
      double const is = found(i, j, k);
      if (std::abs(is - want) <= (written ? tolerance(plan.steps) : 0.0)) return;
      if (wrong++ > 0) return;
      first = std::to_string(i) + "," + std::to_string(j) + "," + std::to_string(k) + " is " +
              std::to_string(is) + ", not " + std::to_string(want);
    });
    EXPECT_EQ(wrong, 0) << plan.name << ": " << text(course.setting) << ": point " << first;
  }

  void compare(Setting const& setting, bool with_source) {
    Course const course = course_of(setting, with_source);
    std::map<int, HostBox<Value>> plain;  // by number of steps
    for (SweepPlan const& plan : plans()) {
      Change change;
      HostBox<Value> const found = in_one_pass(course, plan, nullptr);
      HostBox<Value> const measured = in_one_pass(course, plan, &change);

      expect_written(found, course, plan);
      EXPECT_EQ(measured.values, found.values) << plan.name << ": " << text(setting);
      Change const& expected = course.after.at(plan.steps).second;
      double const bound = 2.0 * tolerance(plan.steps);
      EXPECT_NEAR(change.largest, expected.largest, bound) << plan.name << ": " << text(setting);
      double const growth = 1.0 + expected.largest;
      auto const points = static_cast<double>(setting.region.point_count());
      EXPECT_NEAR(change.sum_of_squares, expected.sum_of_squares,
                  points * growth * (2.0 * bound + 1e-13 * growth))
          << plan.name << ": " << text(setting);

      if (!plain.contains(plan.steps)) {
        plain.insert({plan.steps, in_plain_passes(course, plan.steps)});
      }
      EXPECT_EQ(part_of(found, setting.region).values, plain.at(plan.steps).values)
          << plan.name << " has other bits than plain passes: " << text(setting);
    }
  }

  Queue queue_ = backend_missing().empty() ? make_queue() : Queue(Backend::cpu);
};

using Rules = testing::Types<Smoothing2D<float>, Smoothing2D<double>, Smoothing3D<float>,
                             Smoothing3D<double>>;
TYPED_TEST_SUITE(Smoothing, Rules);

TYPED_TEST(Smoothing, EveryPlanAppliesTheFactorOfEachStep) {
  for (Setting const& setting : some_settings(TypeParam::dimension, 0)) {
    this->compare(setting, false);
  }
}

TYPED_TEST(Smoothing, EveryPlanAddsTheSource) {
  for (Setting const& setting : some_settings(TypeParam::dimension, 3)) {
    this->compare(setting, true);
  }
}

TYPED_TEST(Smoothing, FactorOneIsJacobi) {
  using Real = typename TypeParam::Real;
  constexpr int dimension = TypeParam::dimension;
  Setting const setting =
      mixed(dimension == 3 ? Extent3{37, 21, 13} : Extent3{129, 65, 1}, dimension);
  auto const course = this->course_of(setting, true);
  TypeParam rule = this->rule_from(0);
  rule.weights.fill(Real{1});
  JacobiRule<Real, dimension> const jacobi{{}, {rule.wx, rule.wy, rule.wz}};
  for (SweepPlan const& plan : this->plans()) {
    auto smoothed = this->fields_of(course, plan.steps);
    auto relaxed = this->fields_of(course, plan.steps);

    sweep(this->queue_, rule, this->pass_of(course, smoothed, setting.region, plan.steps), plan);
    sweep(this->queue_, jacobi, this->pass_of(course, relaxed, setting.region, plan.steps), plan);

    EXPECT_EQ(read_points(this->queue_, smoothed.out, setting.region).values,
              read_points(this->queue_, relaxed.out, setting.region).values)
        << plan.name;
  }
}

TYPED_TEST(Smoothing, PassesAreLimitedByTheNumberOfFactors) {
  auto const plans = this->plans();
  EXPECT_EQ(plans.front().name, "plain");
  for (SweepPlan const& plan : plans) {
    EXPECT_LE(plan.steps, WeightedRelax<typename TypeParam::Real>::max_steps) << plan.name;
  }
}

}  // namespace
}  // namespace isotherm::test
