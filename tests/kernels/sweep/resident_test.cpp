#include "kernels/sweep/resident.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "kernels/core/error.hpp"
#include "kernels/updates/rules.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/fields.hpp"
#include "tests/support/oracles/sweep_oracle.hpp"
#include "tests/support/rounding.hpp"
#include "tests/support/sanitized.hpp"

// Many steps of a grid that remains in the memory of the chip.

namespace isotherm::test {
namespace {

struct Trial {
  Extent3 points;
  PerAxis<bool> periodic;
  std::int64_t steps;
};

/// One and many blocks; one point past a group of four, prime and thin extents; fewer steps than
/// between two exchanges, a multiple of them, and one more; closed and open axes.
std::vector<Trial> trials() {
  std::vector<Extent3> extents = {{33, 29, 1}, {200, 64, 1}, {61, 71, 1}};
  if (tested_backend() == Backend::cuda) {  // larger grids, which devices have room for
    extents = {{33, 29, 1},   {200, 64, 1},  {317, 331, 1},  {64, 700, 1},
               {960, 960, 1}, {1021, 40, 1}, {1024, 1000, 1}};
  }
  std::vector<Trial> all;
  for (Extent3 const n : extents) {
    for (auto const periodic : {PerAxis<bool>{true, true}, PerAxis<bool>{},
                                PerAxis<bool>{true, false}, PerAxis<bool>{false, true}}) {
      for (std::int64_t const steps : {1, 3, 16, 37}) {
        if (!is_sanitized || steps == 3 || n.x == 33) all.push_back({n, periodic, steps});
      }
    }
  }
  return all;
}

std::string text(Trial const& s) {
  return std::to_string(s.points.x) + " x " + std::to_string(s.points.y) + ", " +
         std::to_string(s.steps) + " steps" + (s.periodic[0] ? ", closed in x" : "") +
         (s.periodic[1] ? ", closed in y" : "");
}

template <class Real>
JacobiRule<Real, 2> make_rule(JacobiRule<Real, 2>*) {
  return {{}, {Real(0.21), Real(0.29), Real(0)}};
}
template <class Real>
FtcsRule<Real, 2> make_rule(FtcsRule<Real, 2>*) {
  return {{Real(0.32)}, {Real(0.21), Real(0.13), Real(0)}};
}

template <class Real>
StepCoefficients coefficients(JacobiRule<Real, 2> const& rule) {
  return {0.0, rule.wx, rule.wy, 0.0};
}
template <class Real>
StepCoefficients coefficients(FtcsRule<Real, 2> const& rule) {
  return {rule.centre, rule.wx, rule.wy, 0.0};
}

template <class Rule>
class Resident : public BackendTest {
 protected:
  using Value = typename Rule::Real;

  ResidentGrid<Value> grid_of(Field<Value>& field, Trial const& s) {
    ResidentGrid<Value> grid;
    grid.field = field.view();
    grid.points = field.owned();
    grid.free = field.owned();
    grid.periodic = s.periodic;
    for (int axis = 0; axis < 2; ++axis) {
      if (s.periodic[axis]) continue;
      grid.free.lower[axis] = 1;
      grid.free.upper[axis] = s.points[axis] - 1;
    }
    return grid;
  }

  /// Takes one step by the plain sweep of the same backend, which its own test compares with the
  /// oracle.
  Change step_plainly(ResidentGrid<Value> const& grid, Field<Value>& field) {
    Field<Value> after(queue_, grid.points.extent(), {1, 1, 0});
    LocalBox free = grid.free;
    for (int axis = 0; axis < 2; ++axis) {
      if (!grid.periodic[axis]) continue;
      close(field, axis);
      free.lower[axis] -= 1;
      free.upper[axis] += 1;
    }
    ChangeReader change(queue_);
    change.clear(queue_);
    sweep(queue_, rule_,
          Pass<Value>{field.view(), after.view(), grid.source, grid.points, free, change.device()},
          SweepPlan{});
    change.fetch(queue_);
    std::swap(field, after);
    return change.read();
  }

  void close(Field<Value>& field, int axis) {
    std::int64_t const n = field.owned().upper[axis];
    std::array<LocalBox, 2> beyond{field.owned(), field.owned()};
    beyond[0].lower[axis] = -1;
    beyond[0].upper[axis] = 0;
    beyond[1].lower[axis] = n;
    beyond[1].upper[axis] = n + 1;
    wrap(queue_, field.view(), beyond, field.owned());
  }

  /// Takes `steps` steps from `u` by the sweep oracle, on a grid that may be periodic.
  HostBox<Value> stepped(HostBox<Value> u, HostBox<Value> const& source,
                         ResidentGrid<Value> const& grid, std::int64_t steps) {
    LocalBox const points = grid.points;
    for (std::int64_t step = 0; step < steps; ++step) {
      for_each(u.box, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
        if (points.contains(i, j, k)) return;
        Index3 const opposite = wrapped(Index3{i, j, k}, points);
        u(i, j, k) = u(opposite.x, opposite.y, opposite.z);
      });
      u = test::step<Value>(coefficients(rule_), u, &source, grid.free, points, 2);
    }
    return u;
  }

  static constexpr int max_measured = 5;

  void compare(Trial const& s, bool with_source, MeasuredSteps measured) {
    if (!resident_fits(tested_backend(), queue_.device(), precision_of<Value>, s.points,
                       with_source)) {
      return;
    }
    ++compared_;
    Field<Value> fast(queue_, s.points, {1, 1, 0});
    Field<Value> plain(queue_, s.points, {1, 1, 0});
    Field<Value> source(queue_, s.points, {1, 1, 0});
    auto const before = random_points<Value>(fast.owned(), 5);
    write_points(queue_, fast, before);
    write_points(queue_, plain, before);
    write_points(queue_, source, random_points<Value>(fast.layout().box(), 6));
    ResidentGrid<Value> grid = grid_of(fast, s);
    if (with_source) grid.source = std::as_const(source).view();
    ChangeReader changes(queue_, max_measured);
    changes.clear(queue_, max_measured);
    measured.changes = changes.device();

    advance_resident(queue_, rule_, grid, s.steps, measured);
    changes.fetch(queue_, max_measured);

    std::vector<Change> expected;
    for (std::int64_t step = 1; step <= s.steps; ++step) {
      Change const change = step_plainly(grid, plain);
      auto const known = static_cast<int>(expected.size());
      if (known < measured.count && step == measured.first + known * measured.every) {
        expected.push_back(change);
      }
    }
    EXPECT_EQ(read_points(queue_, fast, fast.owned()).values,
              read_points(queue_, plain, plain.owned()).values)
        << text(s);
    expected.resize(max_measured);  // unmeasured steps remain zero
    for (int i = 0; i < max_measured; ++i) {
      Change const found = changes.read(i);
      Change const wanted = expected[static_cast<std::size_t>(i)];
      EXPECT_EQ(found.largest, wanted.largest) << text(s) << ", measured step " << i;
      EXPECT_NEAR(found.sum_of_squares, wanted.sum_of_squares, 1e-9 * wanted.sum_of_squares)
          << text(s) << ", measured step " << i;
    }
  }

  Queue queue_ = backend_missing().empty() ? make_queue() : Queue(Backend::cpu);
  Rule rule_ = make_rule(static_cast<Rule*>(nullptr));
  int compared_ = 0;
};

using Rules = testing::Types<Jacobi2D<float>, Jacobi2D<double>, Ftcs2D<float>, Ftcs2D<double>>;
TYPED_TEST_SUITE(Resident, Rules);

TYPED_TEST(Resident, SameBitsAsPlainSteps) {
  for (Trial const& s : trials()) this->compare(s, false, {});
  EXPECT_GT(this->compared_, is_sanitized ? 20 : 40);
}

TYPED_TEST(Resident, AddsTheSource) {
  for (Trial const& s : trials()) this->compare(s, true, {});
  EXPECT_GT(this->compared_, is_sanitized ? 20 : 40);
}

TYPED_TEST(Resident, MatchesTheOracle) {
  using Real = typename TestFixture::Value;
  for (Trial const& s : trials()) {
    if (s.points.x > 100 || s.points.y > 100) continue;  // one small grid of each kind suffices
    ++this->compared_;
    SCOPED_TRACE(text(s));
    Field<Real> field(this->queue_, s.points, {1, 1, 0});
    Field<Real> source(this->queue_, s.points, {1, 1, 0});
    auto const before = random_points<Real>(field.layout().box(), 5);
    auto const sources = random_points<Real>(field.layout().box(), 6);
    write_points(this->queue_, field, before);
    write_points(this->queue_, source, sources);
    ResidentGrid<Real> grid = this->grid_of(field, s);
    grid.source = std::as_const(source).view();
    ASSERT_TRUE(
        resident_fits(tested_backend(), this->queue_.device(), precision_of<Real>, s.points, true));

    advance_resident(this->queue_, this->rule_, grid, s.steps);

    auto const found = read_points(this->queue_, field, field.owned());
    auto const wanted = this->stepped(before, sources, grid, s.steps);
    double largest = 0.0;
    double error = 0.0;
    for_each(found.box, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
      double const value = wanted(i, j, k);
      largest = std::max(largest, std::abs(value));
      double const here = std::abs(found(i, j, k) - value);
      error = here <= error ? error : here;  // keeps NaN
    });
    EXPECT_LE(error, rounding_tolerance<Real>(largest, static_cast<double>(s.steps)));
  }
  EXPECT_GE(this->compared_, 16);  // all combinations of faces and steps
}

TYPED_TEST(Resident, MeasuresTheLastStepsChange) {
  for (Trial const& s : trials()) {
    if (s.steps == 0) continue;
    this->compare(s, false, {nullptr, s.steps, 1, 1});
    this->compare(s, true, {nullptr, s.steps, 1, 1});
  }
}

TYPED_TEST(Resident, MeasuresIntermediateSteps) {
  for (Trial const& s : trials()) {
    for (std::int64_t const every : {1, 3, 8, 17}) {
      std::int64_t const first = 1 + every / 2;
      if (first > s.steps) continue;
      auto const fitting = static_cast<int>((s.steps - first) / every) + 1;
      this->compare(s, every == 8, {nullptr, first, every, std::min(fitting, this->max_measured)});
    }
  }
}

TYPED_TEST(Resident, RefusesToMeasureStepsThatAreNotTaken) {
  Field<typename TestFixture::Value> field(this->queue_, {64, 48, 1}, {1, 1, 0});
  auto const grid = this->grid_of(field, {{64, 48, 1}, {true, true}, 5});
  ChangeReader changes(this->queue_, 2);

  EXPECT_THROW(advance_resident(this->queue_, this->rule_, grid, 5, {changes.device(), 3, 3, 2}),
               Error);
  EXPECT_THROW(advance_resident(this->queue_, this->rule_, grid, 5, {changes.device(), 0, 1, 1}),
               Error);
}

TYPED_TEST(Resident, ZeroStepsChangeNothing) {
  this->compare({{64, 48, 1}, {true, false}, 0}, false, {});
}

TEST(ResidentGrids, MustBeTwoDimensional) {
  EXPECT_FALSE(resident_fits(Backend::cpu, 0, Precision::float32, {64, 64, 64}, false));
}

}  // namespace
}  // namespace isotherm::test
