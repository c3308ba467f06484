#include "case/expressions/compile_expression.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <muParser.h>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "case/expressions/expression.hpp"
#include "case/expressions/expression_functions.hpp"
#include "solver/discretise/compiled_function.hpp"

// Compiled expressions, compared with muParser's evaluation of the same text.

namespace isotherm::test {
namespace {

/// An expression as muParser evaluates it.
class Reference {
 public:
  explicit Reference(std::string const& text) {
    parser_.ClearConst();
    parser_.DefineConst("pi", std::numbers::pi);
    define_functions(parser_);
    std::array<char const*, 4> const names{"x", "y", "z", "t"};
    for (std::size_t n = 0; n < names.size(); ++n) parser_.DefineVar(names[n], &values_[n]);
    parser_.SetExpr(text);
  }
  double operator()(std::array<double, 4> const& values) {
    values_ = values;
    return parser_.Eval();
  }

 private:
  mu::Parser parser_;
  std::array<double, 4> values_{};
};

/// Writes random expressions. Their values are of moderate size, and no comparison is likely to be
/// of equal values.
class Writer {
 public:
  explicit Writer(unsigned seed) : random_(seed) {}

  std::string expression(int depth) {
    if (depth == 0) return leaf();
    switch (pick(12)) {
      case 0:
        return expression(depth - 1) + " + " + expression(depth - 1);
      case 1:
        return expression(depth - 1) + " - " + expression(depth - 1);
      case 2:
        return factor(depth - 1) + '*' + factor(depth - 1);
      case 3:
        return factor(depth - 1) + "/(1.5 + abs(" + expression(depth - 1) + "))";
      case 4:
        return "-" + factor(depth - 1) + (pick(2) == 0 ? "^2" : "^3");
      case 5:
        return "(0.5 + abs(" + expression(depth - 1) + "))^-" + leaf() + "^2";
      case 6:
        return '(' + condition(depth - 1) + " ? " + expression(depth - 1) + " : " +
               expression(depth - 1) + ')';
      case 7:
        return '(' + condition(depth - 1) + ')';
      case 8:
        return bounded(depth);
      case 9:
        return "min(" + expression(depth - 1) + ", " + expression(depth - 1) + ", " + leaf() + ')';
      case 10:
        return "avg(" + leaf() + ", " + expression(depth - 1) + ")*sum(" + leaf() + ", 2, " +
               leaf() + ')';
      default:
        return of_two(depth);
    }
  }

  double place() { return std::uniform_real_distribution<double>(-2.0, 2.0)(random_); }

 private:
  int pick(int count) { return std::uniform_int_distribution<int>(0, count - 1)(random_); }
  std::string leaf() {
    static std::vector<std::string> const all{"x",    "y",  "z",     "t",   "0.7",
                                              "1e-1", "pi", "2.5e0", ".25", "3."};
    return all[static_cast<std::size_t>(pick(static_cast<int>(all.size())))];
  }
  std::string factor(int depth) { return '(' + expression(depth) + ')'; }
  std::string condition(int depth) {
    static std::vector<std::string> const all{" < ", " <= ", " > ", " >= ", " == ", " != "};
    std::string first = factor(depth) + all[static_cast<std::size_t>(pick(6))] + leaf();
    if (pick(2) == 0) return first;
    return first + (pick(2) == 0 ? " && " : " || ") + leaf() + " > " + leaf();
  }
  std::string bounded(int depth) {
    static std::vector<std::string> const all{"sin",  "cos",  "tanh",  "atan",  "erf",  "erfc",
                                              "step", "sign", "asinh", "floor", "ceil", "abs"};
    std::string const& name = all[static_cast<std::size_t>(pick(12))];
    std::string inner = name + '(' + expression(depth - 1) + ')';
    switch (pick(6)) {
      case 0:
        return "exp(-abs(" + inner + "))";
      case 1:
        return "log(1 + abs(" + inner + "))";
      case 2:
        return "sqrt(abs(" + inner + "))";
      case 3:
        return "acos(0.3*cos(" + inner + ")) + asin(0.2*sin(" + inner + "))";
      case 4:
        return "cosh(tan(0.5*sin(" + inner + "))) + sinh(0.1*atan(" + inner + "))";
      default:
        return inner;
    }
  }
  std::string of_two(int depth) {
    switch (pick(5)) {
      case 0:
        return "hypot(" + expression(depth - 1) + ", " + leaf() + ')';
      case 1:
        return "atan2(" + expression(depth - 1) + ", " + leaf() + ')';
      case 2:
        return "pow(1 + abs(" + expression(depth - 1) + "), " + leaf() + ')';
      case 3:
        return "clamp(" + expression(depth - 1) + ", -0.5, " + leaf() + ')';
      default:
        return "log2(1.5 + abs(" + leaf() + ")) + log10(2 + abs(" + leaf() + ")) - ln(3)";
    }
  }

  std::mt19937 random_;
};

/// Small differences of arguments may be amplified by steps and cancellations, so a few points of
/// an expression may differ.
TEST(CompiledExpressions, AgreeWithMuParserOnRandomExpressions) {
  Writer writer(17);
  int points = 0, different = 0;
  for (int number = 0; number < 600; ++number) {
    std::string const text = writer.expression(1 + number % 4);
    auto const compiled = compile_expression(text, {"x", "y", "z", "t"});
    ASSERT_NE(compiled.program, nullptr) << text;
    Reference reference(text);
    for (int trial = 0; trial < 20; ++trial) {
      std::array<double, 4> const at{writer.place(), writer.place(), writer.place(),
                                     writer.place()};
      double const expected = reference(at);
      double const value = compiled.program->evaluate({at[0], at[1], at[2], at[3], 0.0, 0.0});
      if (std::isnan(expected) && std::isnan(value)) continue;
      ++points;
      bool const is_near = std::abs(value - expected) <= 1e-14 * std::max(1.0, std::abs(expected));
      if (is_near || value == expected) continue;
      ++different;
      // Cancellation amplifies rounding, but not to another value.
      EXPECT_NEAR(value, expected, 1e-9 * std::max(1.0, std::abs(expected))) << text;
    }
  }
  EXPECT_GT(points, 11'000);
  EXPECT_LT(different, points / 100);
}

TEST(CompiledExpressions, HaveThePrecedenceOfMuParser) {
  for (std::string const text : {"-2^2",
                                 "2^3^2",
                                 "2^-2",
                                 "2^-3^2",
                                 "-x^-2",
                                 "2*-x^2",
                                 "x - -y",
                                 "-x*y/z",
                                 "x/-y*z",
                                 "1 - x - y",
                                 "x/y/z",
                                 "x < y == 1",
                                 "x || y && 0",
                                 "x && y || 0",
                                 "x ? y : z ? 1 : 2",
                                 "x < 0 ? y < 0 ? 1 : 2 : 3",
                                 "1 + 2 < 4 && 3 > 2",
                                 "+x",
                                 "-(x + y)^2",
                                 "2^x*3",
                                 "rint(2.5)",
                                 "rint(-2.5)",
                                 "rint(x)",
                                 "sign(x)",
                                 "mod(x, 3)",
                                 "mod(x, -y)",
                                 "x\n+ y",
                                 "x*1e5 - 1.e-3",
                                 "acosh(2 + x^2)",
                                 "atanh(0.3*sin(x))",
                                 "log(x^2)",
                                 "x^0",
                                 "x^1",
                                 "x^-1",
                                 "x^4",
                                 "x^-3",
                                 "x^2.5",
                                 "(x + 2)^0.5",
                                 "pow(x, 2)",
                                 "max(x)",
                                 "min(y, x)",
                                 "x == x",
                                 "0 != x"}) {
    auto const compiled = compile_expression(text, {"x", "y", "z", "t"});
    ASSERT_NE(compiled.program, nullptr) << text;
    Reference reference(text);
    for (double const x : {-1.7, -0.5, 0.0, 0.3, 2.0}) {
      std::array<double, 4> const at{x, 0.7, -1.3, 2.0};
      double const expected = reference(at);
      double const value = compiled.program->evaluate({x, 0.7, -1.3, 2.0, 0.0, 0.0});
      if (std::isnan(expected) && std::isnan(value)) continue;
      if (expected == value) continue;
      EXPECT_NEAR(value, expected, 1e-14 * std::abs(expected)) << text << " at " << x;
    }
  }
}

TEST(CompiledExpressions, ComputeEqualPartsOnce) {
  auto const once = compile_expression("exp(x*y)", {"x", "y"});
  auto const twice = compile_expression("exp(x*y) + exp(x*y)", {"x", "y"});
  EXPECT_EQ(twice.program->instructions().size(), once.program->instructions().size() + 1);
  EXPECT_EQ(compile_expression("2*3 + pi - pi", {}).number, 6.0);
  EXPECT_EQ(compile_expression("x", {"x"}).program->evaluate({-0.5, 0, 0, 0, 0, 0}), -0.5);
}

TEST(CompiledExpressions, LongAndNestedOnesAreCompiled) {
  std::string sum = "x", nested = "x";
  for (int n = 0; n < 2000; ++n) sum += " + " + std::to_string(n) + "*x";
  for (int n = 0; n < 60; ++n) nested.insert(0, "(").append(")*0.5 + 1");
  EXPECT_EQ(compile_expression(sum, {"x"}).program->evaluate({1.0, 0, 0, 0, 0, 0}), 1999001.0);
  EXPECT_NEAR(compile_expression(nested, {"x"}).program->evaluate({1.0, 0, 0, 0, 0, 0}), 2.0,
              1e-15);
  // Too many intermediate results.
  std::string right = "x";
  for (int n = 0; n < 60; ++n) right.insert(0, "(x + " + std::to_string(n) + ") - (").append(")");
  EXPECT_EQ(compile_expression(right, {"x"}).program, nullptr);
  // muParser evaluates it instead.
  EXPECT_EQ(parse_expression(right, false)(1.0, 0.0, 0.0, 0.0), 31.0);
  EXPECT_EQ(compiled(parse_expression(right, false)), nullptr);
}

TEST(CompiledExpressions, AreTheFunctionsOfCases) {
  ScalarFunction const function = parse_expression("q*sin(x)*exp(-t)", true, {{"q", -2.0}});
  ASSERT_NE(compiled(function), nullptr);
  EXPECT_NEAR(function(1.0, 0.0, 0.0, 0.5), -2.0 * std::sin(1.0) * std::exp(-0.5), 1e-15);
  ScalarFunction const of_u = parse_expression("1 + u^2 + x", false, {}, true);
  ASSERT_NE(compiled(of_u), nullptr);
  EXPECT_EQ(of_u(1.0, 0.0, 0.0, 3.0), 11.0);
  EXPECT_EQ(parse_field_expression("u*x + t", 2)(3.0, 2.0, 0.0, 0.0, 1.0), 7.0);
  EXPECT_EQ(parse_pair_expression("a - 10*b + y", 2)(5.0, 2.0, 0.0, 1.0, 0.0, 0.0), -14.0);
}

}  // namespace
}  // namespace isotherm::test
