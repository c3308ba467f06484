#include "kernels/resident.hpp"

#include <gtest/gtest.h>

#include <array>

#include "kernels/error.hpp"
#include "kernels/rules.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/fields.hpp"

namespace isotherm::test {
namespace {

struct Setting {
  Extent3 points;
  std::array<bool, 2> periodic;
  std::int64_t steps;
};

/// One block, many blocks; one point past a quad, primes, thin; fewer steps than between two
/// exchanges, a multiple of them, one more; closed and open axes.
std::vector<Setting> settings() {
  std::vector<Extent3> extents = {{33, 29, 1}, {200, 64, 1}, {317, 331, 1}, {64, 700, 1}};
  if (tested_backend() == Backend::cuda) {  // what a device has the room for
    extents.insert(extents.end(), {{960, 960, 1}, {1021, 40, 1}, {1024, 1000, 1}});
  }
  std::vector<Setting> all;
  for (Extent3 const n : extents) {
    for (auto const periodic : {std::array{true, true}, std::array{false, false},
                                std::array{true, false}, std::array{false, true}}) {
      for (std::int64_t const steps : {1, 3, 16, 37}) all.push_back({n, periodic, steps});
    }
  }
  return all;
}

std::string text(Setting const& s) {
  return std::to_string(s.points.x) + " x " + std::to_string(s.points.y) + ", " +
         std::to_string(s.steps) + " steps" + (s.periodic[0] ? ", closed in x" : "") +
         (s.periodic[1] ? ", closed in y" : "");
}

template <class Real>
JacobiRule<Real, 2> make_rule(JacobiRule<Real, 2>*) {
  return {Real(0.21), Real(0.29), Real(0)};
}
template <class Real>
FtcsRule<Real, 2> make_rule(FtcsRule<Real, 2>*) {
  return {Real(0.32), Real(0.21), Real(0.13), Real(0)};
}

template <class Rule>
class Resident : public BackendTest {
 protected:
  using Value = typename Rule::Real;

  ResidentGrid<Value> grid_of(Field<Value>& field, Setting const& s) {
    ResidentGrid<Value> grid;
    grid.field = field.view();
    grid.points = field.owned();
    grid.free = field.owned();
    grid.periodic = s.periodic;
    for (int axis = 0; axis < 2; ++axis) {
      if (s.periodic[static_cast<std::size_t>(axis)]) continue;
      grid.free.lower[axis] = 1;
      grid.free.upper[axis] = s.points[axis] - 1;
    }
    return grid;
  }

  /// The plain sweep of the same backend, whose own test compares it with the oracle.
  Change step_plainly(ResidentGrid<Value> const& grid, Field<Value>& field) {
    Field<Value> after(queue_, grid.points.extent(), {1, 1, 0});
    LocalBox free = grid.free;
    for (int axis = 0; axis < 2; ++axis) {
      if (!grid.periodic[static_cast<std::size_t>(axis)]) continue;
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

  void compare(Setting const& s, bool with_source, bool checked) {
    if (!resident_fits(tested_backend(), queue_.device(), sizeof(Value), s.points, with_source)) {
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
    ChangeReader change(queue_);
    change.clear(queue_);

    advance_resident(queue_, rule_, grid, s.steps, checked ? change.device() : nullptr);
    change.fetch(queue_);

    Change expected;
    for (std::int64_t n = 0; n < s.steps; ++n) expected = step_plainly(grid, plain);
    EXPECT_EQ(read_points(queue_, fast, fast.owned()).values,
              read_points(queue_, plain, plain.owned()).values)
        << text(s);
    Change const found = change.read();
    if (!checked) expected = Change{};
    EXPECT_EQ(found.largest, expected.largest) << text(s);
    EXPECT_NEAR(found.sum_of_squares, expected.sum_of_squares, 1e-9 * expected.sum_of_squares)
        << text(s);
  }

  Queue queue_ = backend_missing().empty() ? make_queue() : Queue(Backend::cpu);
  Rule rule_ = make_rule(static_cast<Rule*>(nullptr));
  int compared_ = 0;
};

using Rules = testing::Types<Jacobi2D<float>, Jacobi2D<double>, Ftcs2D<float>, Ftcs2D<double>>;
TYPED_TEST_SUITE(Resident, Rules);

TYPED_TEST(Resident, HasTheBitsOfPlainSteps) {
  for (Setting const& s : settings()) this->compare(s, false, false);
  EXPECT_GT(this->compared_, 40);
}

TYPED_TEST(Resident, AddsTheSource) {
  for (Setting const& s : settings()) this->compare(s, true, false);
  EXPECT_GT(this->compared_, 40);
}

TYPED_TEST(Resident, MeasuresTheLastStepsChange) {
  for (Setting const& s : settings()) {
    this->compare(s, false, true);
    this->compare(s, true, true);
  }
}

TYPED_TEST(Resident, TakesNoStepsToo) {
  this->compare({{64, 48, 1}, {true, false}, 0}, false, false);
}

TEST(ResidentGrids, AreTwoDimensional) {
  EXPECT_FALSE(resident_fits(Backend::cpu, 0, sizeof(float), {64, 64, 64}, false));
}

}  // namespace
}  // namespace isotherm::test
