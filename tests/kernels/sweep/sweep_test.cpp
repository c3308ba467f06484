#include "kernels/sweep/sweep.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "kernels/core/error.hpp"
#include "kernels/sweep/shaped_plans.hpp"
#include "kernels/updates/rules.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/fields.hpp"
#include "tests/support/oracles/sweep_oracle.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/sweep_settings.hpp"

// Every sweep plan against the sweep oracle, and against plain steps.

namespace isotherm::test {
namespace {

template <class Rule>
constexpr StepCoefficients coefficients = {0.0, 0.21, 0.13, Rule::dimension == 3 ? 0.16 : 0.0};
template <class Real, int dimension>
constexpr StepCoefficients coefficients<FtcsRule<Real, dimension>> = {0.17, 0.14, 0.09, 0.11};

template <class Real, int dimension>
JacobiRule<Real, dimension> make_rule(JacobiRule<Real, dimension>*) {
  auto const c = coefficients<JacobiRule<Real, dimension>>;
  return {{}, {static_cast<Real>(c.x), static_cast<Real>(c.y), static_cast<Real>(c.z)}};
}
template <class Real, int dimension>
FtcsRule<Real, dimension> make_rule(FtcsRule<Real, dimension>*) {
  auto const c = coefficients<FtcsRule<Real, dimension>>;
  return {{static_cast<Real>(c.centre)},
          {static_cast<Real>(c.x), static_cast<Real>(c.y), static_cast<Real>(c.z)}};
}

/// Oracle and product agree to the last bit in builds with ISOTHERM_EXACT, otherwise to one
/// rounding per operation and step.
template <class Real>
double tolerance(int steps) {
#if defined(ISOTHERM_EXACT)
  static_cast<void>(steps);
  return 0.0;
#else
  return 3.0 * steps * static_cast<double>(std::numeric_limits<Real>::epsilon());
#endif
}

template <class Rule>
class Sweep : public BackendTest {
 protected:
  using Value = typename Rule::Real;
  static constexpr int axes = Rule::dimension;

  static Index3 halo_of(int steps) { return {steps, steps, axes == 3 ? steps : 0}; }

  /// The random values of a setting, and the oracle's results in the region.
  struct Course {
    Setting setting;
    HostBox<Value> before, sources, untouched;
    bool with_source;
    std::map<int, std::pair<HostBox<Value>, Change>> after;  ///< by number of steps of a pass
  };

  /// The oracle runs once for all plans, in a field with the deepest halo of any. After n steps the
  /// region depends on points up to n points away only.
  Course course_of(Setting const& setting, bool with_source, int max_steps = 1000) {
    std::set<int> wanted;
    for (SweepPlan const& plan : plans()) {
      if (plan.steps <= max_steps) wanted.insert(plan.steps);
    }
    int const deepest = *wanted.rbegin();
    LocalBox const box = LocalBox{{0, 0, 0}, setting.points}.grown(halo_of(deepest));
    Course course{setting,
                  random_points<Value>(box, 7),
                  random_points<Value>(box, 11),
                  random_points<Value>(box, 13),
                  with_source,
                  {}};
    HostBox<Value> u = course.before;
    for (int n = 1; n <= deepest; ++n) {
      Change change;
      u = step<Value>(coefficients<Rule>, u, with_source ? &course.sources : nullptr,
                      free_points(setting, halo_of(deepest)), setting.region, axes, &change);
      if (wanted.contains(n)) course.after.insert({n, {part_of(u, setting.region), change}});
    }
    return course;
  }

  /// Compares one pass of `plan` with as many steps of the oracle.
  void compare(Course const& course, SweepPlan const& plan, bool checked) {
    Setting const& setting = course.setting;
    Index3 const halo = halo_of(plan.steps);
    Field<Value> in(queue_, setting.points, halo);
    Field<Value> out(queue_, setting.points, halo);
    Field<Value> source(queue_, setting.points, halo);
    LocalBox const box = in.layout().box();
    HostBox<Value> const untouched = part_of(course.untouched, box);
    write_points(queue_, in, part_of(course.before, box));
    write_points(queue_, out, untouched);
    write_points(queue_, source, part_of(course.sources, box));
    ChangeReader change(queue_);
    change.clear(queue_);

    sweep(queue_, make_rule(static_cast<Rule*>(nullptr)),
          Pass<Value>{in.view(), out.view(),
                      course.with_source ? source.view() : FieldView<Value const>{}, setting.region,
                      free_points(setting, halo), checked ? change.device() : nullptr},
          plan);
    change.fetch(queue_);

    auto const& [expected, expected_change] = course.after.at(plan.steps);
    expect_written(read_points(queue_, out, box), expected, untouched, setting, plan);
    if (checked) expect_change(change.read(), expected_change, setting, plan);
  }

  void expect_written(HostBox<Value> const& found, HostBox<Value> const& expected,
                      HostBox<Value> const& untouched, Setting const& setting,
                      SweepPlan const& plan) {
    std::int64_t wrong = 0;
    std::string first;
    for_each(found.box, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
      bool const written = setting.region.contains(i, j, k);
      double const want = written ? expected(i, j, k) : untouched(i, j, k);
      double const bound = written ? tolerance<Value>(plan.steps) : 0.0;
      if (std::abs(found(i, j, k) - want) <= bound) return;
      if (wrong++ == 0) {
        first = std::to_string(i) + "," + std::to_string(j) + "," + std::to_string(k) + " is " +
                std::to_string(found(i, j, k)) + ", not " + std::to_string(want);
      }
    });
    EXPECT_EQ(wrong, 0) << plan.name << ": " << text(setting) << ": point " << first;
  }

  void expect_change(Change found, Change expected, Setting const& setting, SweepPlan const& plan) {
    double const bound = tolerance<Value>(plan.steps + 1);
    EXPECT_NEAR(found.largest, expected.largest, bound) << plan.name << ": " << text(setting);
    // The order of summation differs.
    double const of_sum = 1e-12 + 1e-18 * static_cast<double>(setting.region.point_count());
    EXPECT_NEAR(found.sum_of_squares, expected.sum_of_squares,
                (4 * bound + of_sum) * (expected.sum_of_squares + 1.0))
        << plan.name << ": " << text(setting);
  }

  /// Compares one pass of `plan`, with and without measuring, with as many plain steps.
  void compare_with_plain(Extent3 n, SweepPlan const& plan) {
    auto const rule = make_rule(static_cast<Rule*>(nullptr));
    Index3 const halo{plan.steps, plan.steps, axes == 3 ? plan.steps : 0};
    Setting const setting = whole(n, true, axes);
    LocalBox const free = free_points(setting, halo);
    Field<Value> in(queue_, n, halo);
    Field<Value> fast(queue_, n, halo);
    Field<Value> measured(queue_, n, halo);
    Field<Value> even(queue_, n, halo);
    Field<Value> odd(queue_, n, halo);
    auto const before = random_points<Value>(in.layout().box(), 3);
    write_points(queue_, in, before);
    write_points(queue_, even, before);
    ChangeReader change(queue_);
    ChangeReader plain_change(queue_);
    change.clear(queue_);
    plain_change.clear(queue_);
    auto const pass = [&](Field<Value>& from, Field<Value>& to, Change* measure = nullptr) {
      return Pass<Value>{from.view(), to.view(), {}, setting.region, free, measure};
    };

    sweep(queue_, rule, pass(in, fast), plan);
    sweep(queue_, rule, pass(in, measured, change.device()), plan);
    for (int s = 1; s <= plan.steps; ++s) {
      sweep(queue_, rule, pass(even, odd, s == plan.steps ? plain_change.device() : nullptr),
            SweepPlan{"plain", 1});
      std::swap(even, odd);
    }
    change.fetch(queue_);
    plain_change.fetch(queue_);

    auto const expected = read_points(queue_, even, even.owned()).values;
    EXPECT_EQ(read_points(queue_, fast, fast.owned()).values, expected) << plan.name;
    EXPECT_EQ(read_points(queue_, measured, measured.owned()).values, expected) << plan.name;
    expect_change(change.read(), plain_change.read(), setting, plan);
  }

  /// All plans, and some with a block shape.
  static std::vector<SweepPlan> plans() {
    std::vector<SweepPlan> all = sweep_plans(tested_backend(), axes, precision_of<Value>);
    for (std::string const kernel : {"plain", "march", "shared"}) {
      for (std::string const shape : {"16x16", "5x3", "32x2x4"}) {
        if (axes == 2 && shape == "32x2x4") continue;
        auto const plan =
            shaped_plan(tested_backend(), axes, precision_of<Value>, kernel + " " + shape);
        if (plan) all.push_back(*plan);
      }
    }
    return all;
  }

  Queue queue_ = backend_missing().empty() ? make_queue() : Queue(Backend::cpu);
};

using Rules = testing::Types<Jacobi2D<float>, Jacobi2D<double>, Jacobi3D<float>, Jacobi3D<double>,
                             Ftcs2D<float>, Ftcs2D<double>, Ftcs3D<float>, Ftcs3D<double>>;
TYPED_TEST_SUITE(Sweep, Rules);

TYPED_TEST(Sweep, EveryPlanMatchesTheOracleAndMeasuresTheChange) {
  for (Setting const& setting : settings(TypeParam::dimension)) {
    auto const course = this->course_of(setting, false);
    for (SweepPlan const& plan : this->plans()) {
      for (bool const checked : {false, true}) this->compare(course, plan, checked);
    }
  }
}

TYPED_TEST(Sweep, EveryPlanAddsTheSource) {
  for (Setting const& setting : settings(TypeParam::dimension)) {
    auto const course = this->course_of(setting, true);
    for (SweepPlan const& plan : this->plans()) this->compare(course, plan, false);
  }
}

TYPED_TEST(Sweep, EveryPlanMeasuresTheChangeWithASource) {
  Extent3 const n = TypeParam::dimension == 3 ? Extent3{129, 17, 9} : Extent3{129, 65, 1};
  auto const course = this->course_of(mixed(n, TypeParam::dimension), true);
  for (SweepPlan const& plan : this->plans()) this->compare(course, plan, true);
}

/// CPUs write large fields with non-temporal stores.
TYPED_TEST(Sweep, FieldsLargerThanTheCacheAreComplete) {
  constexpr int dimension = TypeParam::dimension;
  constexpr std::int64_t per_float = sizeof(typename TypeParam::Real) / sizeof(float);
  if (is_sanitized && (dimension == 3) == (per_float == 1)) return;  // of each kind one dimension
  Setting setting = whole(
      dimension == 3 ? Extent3{391, 132, 131 / per_float} : Extent3{2611, 2707 / per_float, 1},
      false, dimension);
  setting.fixed_upper[0] = setting.fixed_lower[1] = true;
  setting.region.lower.x = 5;
  auto const course = this->course_of(setting, false, 2);
  for (SweepPlan const& plan : this->plans()) {
    if (plan.steps <= 2) this->compare(course, plan, true);
  }
}

/// Requires the order of operations and the use of fused multiply-add to be fixed.
TYPED_TEST(Sweep, EveryPlanGivesTheBitsOfPlainSteps) {
  Extent3 const n = TypeParam::dimension == 3 ? Extent3{261, 67, 53} : Extent3{1033, 211, 1};
  for (SweepPlan const& plan : this->plans()) this->compare_with_plain(n, plan);
}

/// Grids so large that on a GPU a block continues in a second tile. On CPUs this adds nothing.
TYPED_TEST(Sweep, BlocksThatSpanTilesGiveTheBitsOfPlainSteps) {
  Extent3 n = TypeParam::dimension == 3 ? Extent3{521, 267, 61} : Extent3{2611, 707, 1};
  if (tested_backend() == Backend::cpu) n = {n.x / 8, n.y / 8, (n.z + 7) / 8};
  for (SweepPlan const& plan : this->plans()) this->compare_with_plain(n, plan);
}

/// The end planes of the region (in z; in 2D in y) are written to two places, all other points to
/// one.
TYPED_TEST(Sweep, EveryPlanForwardsTheEndsOfItsRegion) {
  using Real = typename TypeParam::Real;
  constexpr int axis = TypeParam::dimension - 1;
  auto const rule = make_rule(static_cast<TypeParam*>(nullptr));
  for (SweepPlan const& plan : this->plans()) {
    bool checked = false;
    for (Setting const& setting : settings(TypeParam::dimension)) {
      LocalBox lower = setting.region;
      LocalBox upper = setting.region;
      std::int64_t const length = setting.region.extent()[axis];
      lower.upper[axis] = lower.lower[axis] + std::min<std::int64_t>(plan.steps, length / 2);
      upper.lower[axis] = upper.upper[axis] - std::min<std::int64_t>(plan.steps + 1, length / 2);
      checked = !checked;

      Index3 const halo{plan.steps, plan.steps, axis == 2 ? plan.steps : 0};
      Field<Real> in(this->queue_, setting.points, halo);
      Field<Real> out(this->queue_, setting.points, halo);
      Field<Real> below(this->queue_, setting.points, halo);
      Field<Real> above(this->queue_, setting.points, halo);
      write_points(this->queue_, in, random_points<Real>(in.layout().box(), 3));
      auto const untouched = random_points<Real>(in.layout().box(), 5);
      write_points(this->queue_, below, untouched);
      write_points(this->queue_, above, untouched);
      ChangeReader change(this->queue_);
      change.clear(this->queue_);
      Pass<Real> pass{in.view(), out.view(), {}, setting.region, free_points(setting, halo)};
      pass.change = checked ? change.device() : nullptr;
      pass.forwards = {{{lower, below.view()}, {upper, above.view()}}};

      sweep(this->queue_, rule, pass, plan);

      auto const result = read_points(this->queue_, out, out.layout().box());
      for (auto const& [box, field] : {std::pair(lower, &below), std::pair(upper, &above)}) {
        auto expected = untouched;
        for_each(box, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
          expected(i, j, k) = result(i, j, k);
        });
        EXPECT_EQ(read_points(this->queue_, *field, field->layout().box()).values, expected.values)
            << plan.name << ": " << text(setting);
      }
    }
  }
}

TYPED_TEST(Sweep, RefusesToForwardInnerPlanes) {
  using Real = typename TypeParam::Real;
  constexpr int axis = TypeParam::dimension - 1;
  auto const rule = make_rule(static_cast<TypeParam*>(nullptr));
  Setting const setting =
      whole(axis == 2 ? Extent3{12, 11, 10} : Extent3{12, 10, 1}, true, TypeParam::dimension);
  Index3 const halo{1, 1, axis == 2 ? 1 : 0};
  Field<Real> in(this->queue_, setting.points, halo);
  Field<Real> out(this->queue_, setting.points, halo);
  Field<Real> narrow(this->queue_, {200, 11, 10}, halo);
  auto const forwarding = [&](LocalBox lower, LocalBox upper, FieldView<Real> to) {
    Pass<Real> pass{in.view(), out.view(), {}, setting.region, free_points(setting, halo)};
    pass.forwards = {{{lower, to}, {upper, to}}};
    sweep(this->queue_, rule, pass, {"plain", 1});
  };
  LocalBox lower = setting.region;
  lower.upper[axis] = 5;
  LocalBox upper = setting.region;
  upper.lower[axis] = 5;
  LocalBox overlapping = upper;
  overlapping.lower[axis] = 4;
  LocalBox in_the_middle = lower;
  in_the_middle.lower[axis] = 1;

  EXPECT_NO_THROW(forwarding(lower, upper, in.view()));
  EXPECT_THROW(forwarding(lower, overlapping, in.view()), Error);
  EXPECT_THROW(forwarding(in_the_middle, upper, in.view()), Error);
  EXPECT_THROW(forwarding(lower, {}, narrow.view()), Error);
}

TYPED_TEST(Sweep, NaNPropagatesToTheNorms) {
  using Real = typename TypeParam::Real;
  constexpr int dimension = TypeParam::dimension;
  Setting const setting =
      whole(dimension == 3 ? Extent3{40, 30, 20} : Extent3{140, 90, 1}, true, dimension);
  for (SweepPlan const& plan : this->plans()) {
    Index3 const halo{plan.steps, plan.steps, dimension == 3 ? plan.steps : 0};
    Field<Real> in(this->queue_, setting.points, halo);
    Field<Real> out(this->queue_, setting.points, halo);
    auto values = random_points<Real>(in.layout().box(), 3);
    values(20, 15, dimension == 3 ? 10 : 0) = std::numeric_limits<Real>::quiet_NaN();
    write_points(this->queue_, in, values);
    ChangeReader change(this->queue_);
    change.clear(this->queue_);

    sweep(
        this->queue_, make_rule(static_cast<TypeParam*>(nullptr)),
        Pass<Real>{
            in.view(), out.view(), {}, setting.region, free_points(setting, halo), change.device()},
        plan);
    change.fetch(this->queue_);

    EXPECT_TRUE(std::isnan(change.read().sum_of_squares)) << plan.name;
  }
}

TYPED_TEST(Sweep, RefusesBoxesBeyondTheField) {
  using Real = typename TypeParam::Real;
  Extent3 const n{8, 8, TypeParam::dimension == 3 ? 8 : 1};
  Field<Real> in(this->queue_, n, {1, 1, TypeParam::dimension == 3 ? 1 : 0});
  Field<Real> out(this->queue_, n, {1, 1, TypeParam::dimension == 3 ? 1 : 0});
  LocalBox const beyond = in.layout().box();

  EXPECT_THROW(sweep(this->queue_, make_rule(static_cast<TypeParam*>(nullptr)),
                     Pass<Real>{in.view(), out.view(), {}, beyond, beyond}, SweepPlan{"plain", 1}),
               Error);
}

TYPED_TEST(Sweep, RefusesAnUnknownPlan) {
  using Real = typename TypeParam::Real;
  Extent3 const n{8, 8, 1};
  Field<Real> in(this->queue_, n, {1, 1, 1});
  Field<Real> out(this->queue_, n, {1, 1, 1});

  EXPECT_THROW(
      sweep(this->queue_, make_rule(static_cast<TypeParam*>(nullptr)),
            Pass<Real>{in.view(), out.view(), {}, in.owned(), in.owned()}, SweepPlan{"magic", 1}),
      Error);
}

TEST(SweepPlans, PlainPlanIsFirstAndNamesAreUnique) {
  for (int dimension : {2, 3}) {
    for (Precision const precision : {Precision::float32, Precision::float64}) {
      auto const plans = sweep_plans(Backend::cpu, dimension, precision);
      EXPECT_EQ(plans.front().name, "plain");
      EXPECT_EQ(plans.front().steps, 1);
      for (std::size_t n = 0; n < plans.size(); ++n) {
        for (std::size_t m = 0; m < n; ++m) EXPECT_NE(plans[n].name, plans[m].name);
      }
    }
  }
}

}  // namespace
}  // namespace isotherm::test
