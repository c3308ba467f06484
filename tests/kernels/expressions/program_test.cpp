#include "kernels/expressions/program.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "kernels/core/error.hpp"

// Programs: the instructions of compiled expressions.

namespace isotherm::test {
namespace {

using expressions::Operation;
using expressions::Program;
using expressions::Variables;

std::vector<double> some_values(std::size_t count) {
  std::vector<double> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = -3.0 + 6.0 * static_cast<double>(i) / static_cast<double>(count);
  }
  return values;
}

/// True if two values have the same bits, or are both NaN.
bool are_same(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
}

TEST(Program, EvaluatesItsInstructions) {
  // exp(-t)·x + 3
  Program const program({3.0}, {{Operation::negate, 7, {3}},
                                {Operation::exponential, 7, {7}},
                                {Operation::multiply, 8, {7, 0}},
                                {Operation::add, 7, {8, 6}}});
  std::vector<double> const x{0.0, 0.5, 1.0};
  std::vector<double> values(3);
  Variables variables{};
  variables[0].values = x.data();
  variables[3].value = 2.0;

  program.evaluate(variables, values);

  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(values[i], std::exp(-2.0) * x[i] + 3.0, 1e-15);
    EXPECT_EQ(values[i], program.evaluate({x[i], 0.0, 0.0, 2.0, 0.0, 0.0}));
  }
  EXPECT_TRUE(program.reads(0));
  EXPECT_FALSE(program.reads(1));
}

/// Any number of points give the bits of single points, also with angles that need an exact
/// reduction, for every operation.
TEST(Program, HasTheSameBitsInBlocksAndAtSinglePoints) {
  std::vector<double> x = some_values(1000);
  x[300] = 1e9;
  x[301] = INFINITY;
  x[302] = NAN;
  x[303] = -0.0;
  x[304] = 5e-324;
  std::vector<double> const y = some_values(1000);
  for (int n = 0; n <= static_cast<int>(Operation::error_complement); ++n) {
    auto const operation = static_cast<Operation>(n);
    Program const program({0.7}, {{operation, 7, {0, 1, 6}}});
    for (std::size_t const count : {1, 2, 7, 256, 257, 1000}) {
      std::vector<double> values(count);
      Variables variables{};
      variables[0].values = x.data();
      variables[1].values = y.data();
      program.evaluate(variables, values);
      for (std::size_t i = 0; i < count; ++i) {
        double const single = program.evaluate({x[i], y[i], 0.0, 0.0, 0.0, 0.0});
        ASSERT_TRUE(are_same(values[i], single))
            << "operation " << n << " at " << x[i] << ": " << values[i] << ", not " << single;
      }
    }
  }
}

TEST(Program, SpreadsUniformVariables) {
  // A result of constants and uniform variables alone is uniform, too.
  Program const program({2.0}, {{Operation::multiply, 7, {1, 6}}});
  std::vector<double> values(600);
  Variables variables{};
  variables[1].value = 1.5;
  program.evaluate(variables, values);
  for (double const value : values) ASSERT_EQ(value, 3.0);
}

/// Rows begin anywhere, and registers are used again for results of other kinds.
TEST(RowProgram, HasTheBitsOfTheProgram) {
  std::vector<Program> const programs{
      // sin(x)·exp(-t)
      Program({}, {{Operation::sine, 6, {0}},
                   {Operation::negate, 7, {3}},
                   {Operation::exponential, 7, {7}},
                   {Operation::multiply, 6, {6, 7}}}),
      // sin(3x)·cos(y)·exp(-t) + cos(x·t), in as few registers as possible
      Program({3.0}, {{Operation::multiply, 7, {0, 6}},
                      {Operation::sine, 7, {7}},
                      {Operation::cosine, 8, {1}},
                      {Operation::multiply, 7, {7, 8}},
                      {Operation::negate, 8, {3}},
                      {Operation::exponential, 8, {8}},
                      {Operation::multiply, 7, {7, 8}},
                      {Operation::multiply, 8, {0, 3}},
                      {Operation::cosine, 8, {8}},
                      {Operation::add, 7, {7, 8}}}),
      Program({}, {{Operation::exponential, 6, {0}}}),                             // exp(x)
      Program({}, {{Operation::add, 6, {1, 3}}, {Operation::sine, 6, {6}}}),       // sin(y + t)
      Program({}, {{Operation::multiply, 6, {0, 3}}, {Operation::sine, 6, {6}}}),  // sin(x t)
      Program({}, {{Operation::maximum, 6, {0, 0}}}),                              // x
      Program({2.0}, {{Operation::choose, 7, {3, 0, 6}}}),                         // t ? x : 2
  };
  std::vector<double> const x = some_values(1000);
  for (std::size_t n = 0; n < programs.size(); ++n) {
    expressions::RowProgram const rows(programs[n], x);
    for (std::size_t const first : {0, 1, 255, 700}) {
      for (double const t : {0.0, 1.7}) {
        std::vector<double> values(300);
        Variables uniform{};
        uniform[1].value = 0.4;
        uniform[2].value = -2.0;
        uniform[3].value = t;
        rows.evaluate(first, uniform, values);
        for (std::size_t i = 0; i < values.size(); ++i) {
          double const wanted = programs[n].evaluate({x[first + i], 0.4, -2.0, t, 0.0, 0.0});
          ASSERT_TRUE(are_same(values[i], wanted)) << n << ", " << first + i;
        }
      }
    }
  }
}

TEST(Program, RefusesRegistersThatDoNotExist) {
  EXPECT_THROW(Program({}, {}), Error);
  EXPECT_THROW(Program({}, {{Operation::negate, 3, {0}}}), Error);     // a variable
  EXPECT_THROW(Program({1.0}, {{Operation::negate, 6, {0}}}), Error);  // a constant
  EXPECT_THROW(Program({}, {{Operation::negate, 6, {300}}}), Error);
  EXPECT_THROW(Program({}, {{Operation::negate, 300, {0}}}), Error);
}

}  // namespace
}  // namespace isotherm::test
