#include "kernels/expressions/grid_program.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/support/backends.hpp"
#include "tests/support/fields.hpp"

// Programs that a backend evaluates at the points of a grid.

namespace isotherm::test {
namespace {

using expressions::GridProgram;
using expressions::Operation;
using expressions::Program;

class GridPrograms : public BackendTest {};

/// The coordinates of an axis, and as many widths.
std::vector<double> coordinates(std::int64_t count, double first, double step) {
  std::vector<double> all;
  for (std::int64_t i = 0; i < count; ++i) all.push_back(first + static_cast<double>(i) * step);
  return all;
}

/// A program that applies each operation once: r = operation(r, y, t) from r = x on, with an
/// addition of z between, so that NaN does not hide the rest.
Program program_of(Operation operation) {
  return Program(
      {0.25},
      {{operation, 8, {0, 1, 3}}, {Operation::multiply, 7, {2, 6}}, {Operation::add, 7, {8, 7}}});
}

TEST_F(GridPrograms, HaveTheBitsOfTheHost) {
  Queue queue = make_queue();
  Extent3 const n{37, 9, 5};
  Field<double> field(queue, n, {1, 1, 1});
  GridProgram::Axes const axes{
      {coordinates(n.x, -3.1, 0.17), coordinates(n.y, -2.0, 0.51), coordinates(n.z, 0.1, 1e7)}, {}};
  for (int number = 0; number <= static_cast<int>(Operation::error_complement); ++number) {
    Program const program = program_of(static_cast<Operation>(number));
    GridProgram on_backend(queue, program, axes);
    on_backend.evaluate(queue, field.view(), field.owned(), 0.7, {});
    auto const found = read_points(queue, field, field.owned());
    for_each(field.owned(), [&](std::int64_t i, std::int64_t j, std::int64_t k) {
      auto const at = [](auto const& axis, std::int64_t place) {
        return axis[static_cast<std::size_t>(place)];
      };
      double const expected =
          program.evaluate({at(axes.coordinate[0], i), at(axes.coordinate[1], j),
                            at(axes.coordinate[2], k), 0.7, 0.0, 0.0});
      double const value = found(i, j, k);
      ASSERT_TRUE(value == expected || (std::isnan(value) && std::isnan(expected)))
          << "operation " << number << " at " << i << ' ' << j << ' ' << k << ": " << value
          << ", not " << expected;
    });
    (void)on_backend.take_fault(queue);
  }
}

TEST_F(GridPrograms, ScaleByAFactorOrByTheVolume) {
  Queue queue = make_queue();
  Extent3 const n{4, 3, 2};
  Field<float> field(queue, n, {0, 0, 0});
  Program const program({}, {{Operation::multiply, 6, {0, 3}}});
  GridProgram on_backend(
      queue, program,
      {{coordinates(n.x, 1.0, 1.0), coordinates(n.y, 0.0, 1.0), coordinates(n.z, 0.0, 1.0)},
       {coordinates(n.x, 0.5, 0.5), coordinates(n.y, 2.0, 0.0), coordinates(n.z, 3.0, 1.0)}});
  on_backend.evaluate(queue, field.view(), field.owned(), 2.0, {.factor = 0.125});
  EXPECT_EQ(read_points(queue, field, field.owned())(3, 0, 0), 1.0F);  // 4·2/8
  on_backend.evaluate(queue, field.view(), field.owned(), 2.0, {.divisor = 4.0, .by_volume = true});
  // At (3, 0, 1): 4·2/4·(2·2·4)
  EXPECT_EQ(read_points(queue, field, field.owned())(3, 0, 1), 32.0F);
}

TEST_F(GridPrograms, ReportTheFirstTimeOfAValueThatIsNotFinite) {
  Queue queue = make_queue();
  Extent3 const n{5, 4, 3};
  Field<double> field(queue, n, {0, 0, 0});
  // 1/(x - t)
  Program const program({1.0}, {{Operation::subtract, 7, {0, 3}}, {Operation::divide, 7, {6, 7}}});
  GridProgram on_backend(
      queue, program,
      {{coordinates(n.x, 0.0, 1.0), coordinates(n.y, 0.0, 1.0), coordinates(n.z, 0.0, 1.0)}, {}});
  on_backend.evaluate(queue, field.view(), field.owned(), 0.5, {});
  EXPECT_FALSE(on_backend.take_fault(queue));
  for (double const t : {3.0, 1.0, 0.5}) {
    on_backend.evaluate(queue, field.view(), field.owned(), t, {});
  }
  auto const fault = on_backend.take_fault(queue);
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->time, 3.0);
  EXPECT_EQ(fault->point.x, 3);
  EXPECT_FALSE(on_backend.take_fault(queue));
}

}  // namespace
}  // namespace isotherm::test
