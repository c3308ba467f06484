#include "case/expressions/expression.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "case/expressions/expression_bounds.hpp"
#include "kernels/core/error.hpp"

// Expressions of coordinates and time: syntax, functions, constants and errors.

namespace isotherm::test {
namespace {

std::string refusal_of(std::string const& text, bool allow_time = true) {
  try {
    parse_expression(text, allow_time);
  } catch (InputError const& error) {
    return error.what();
  }
  return "";
}

double value_of(std::string const& text, double x = 0.0, double y = 0.0, double z = 0.0,
                double t = 0.0) {
  return parse_expression(text, true)(x, y, z, t);
}

TEST(Expression, KnowsCoordinatesTimeAndPi) {
  EXPECT_EQ(value_of("x + 10*y + 100*z + 1000*t", 1, 2, 3, 4), 4321.0);
  EXPECT_EQ(value_of("pi"), std::numbers::pi);
  EXPECT_EQ(value_of("sin(pi*x)", 0.25), std::sin(std::numbers::pi * 0.25));
}

TEST(Expression, SupportsTheConditionalOperator) {
  std::string const text = "x < 0.5 && y >= 1 || z == 3 ? 7 : -1";

  EXPECT_EQ(value_of(text, 0.4, 1.0), 7.0);
  EXPECT_EQ(value_of(text, 0.5, 1.0), -1.0);
  EXPECT_EQ(value_of(text, 0.5, 0.0, 3.0), 7.0);
  EXPECT_EQ(value_of("x != 1 ? 2 : 3", 1.0), 3.0);
}

TEST(Expression, PowersAreRightAssociativeAndBindTighterThanSigns) {
  EXPECT_EQ(value_of("2^3^2"), 512.0);
  EXPECT_EQ(value_of("-2^2"), -4.0);
  EXPECT_EQ(value_of("2*x^2", 3.0), 18.0);
}

TEST(Expression, IgnoresLineBreaks) { EXPECT_EQ(value_of("x\n  + 1", 1.0), 2.0); }

TEST(Expression, ConstantWithoutVariables) {
  ScalarFunction const function = parse_expression("2*pi", false);

  EXPECT_TRUE(function.is_constant());
  EXPECT_EQ(function.constant, 2.0 * std::numbers::pi);
  EXPECT_EQ(function.text, "2*pi");
}

TEST(Expression, ListsItsVariables) {
  ExpressionVariables const found = expression_variables("x*exp(-t) + pi");

  EXPECT_TRUE(found.x);
  EXPECT_FALSE(found.y);
  EXPECT_FALSE(found.z);
  EXPECT_TRUE(found.t);
  EXPECT_FALSE(expression_variables("1 + 1").any());
}

TEST(Expression, FindsVariablesInUntakenBranches) {
  EXPECT_TRUE(expression_variables("1 < 2 ? 3 : z").z);
  EXPECT_TRUE(parse_expression("x > -1 ? 1 : t", true).varies_in_time);
}

TEST(Expression, VariesInTimeOnlyIfItContainsT) {
  EXPECT_TRUE(parse_expression("sin(t)", true).varies_in_time);
  EXPECT_FALSE(parse_expression("sin(x)", true).varies_in_time);
  EXPECT_FALSE(parse_expression("tan(x)", false).varies_in_time);
}

/// Expressions of t, of u and of both have the same bits, which do not depend on libraries.
TEST(Expression, OfFieldAndTimeIsEvaluatedLikeOthers) {
  std::string const text = "tan(1 + x/3) + erfc(2 + x)";
  auto const of_t = parse_expression(text + " + 0*t", true);
  auto const of_both = parse_expression(text + " + u*t", true, {}, true);
  ASSERT_TRUE(of_both.depends_on_u && of_both.varies_in_time);
  EXPECT_EQ(of_both.at(0.0, 0.0, 0.0, 3.0, 5.0) - of_both.at(0.0, 0.0, 0.0, 0.0, 5.0), 15.0);
  for (int n = 0; n < 200; ++n) {
    double const x = 0.013 * n;
    EXPECT_EQ(of_both.at(x, 0.0, 0.0, 7.0, 0.0), of_t(x, 0.0, 0.0, 7.0)) << x;
  }
}

TEST(Expression, RefusesTimeInSteadyExpressions) {
  EXPECT_NE(refusal_of("x*t", false).find("depends on t"), std::string::npos);
  EXPECT_EQ(refusal_of("x*t", true), "");
}

TEST(Expression, SupportsFunctionsOfOtherLanguages) {
  EXPECT_EQ(value_of("pow(2, 3)"), 8.0);
  EXPECT_EQ(value_of("pow(x, y)", 2.0, 0.5), std::sqrt(2.0));
  EXPECT_EQ(value_of("floor(-1.5)"), -2.0);
  EXPECT_EQ(value_of("ceil(-1.5)"), -1.0);
  EXPECT_EQ(value_of("floor(x)", 2.0), 2.0);
  EXPECT_EQ(value_of("erf(x)", 0.3), std::erf(0.3));
  EXPECT_EQ(value_of("erfc(x)", 0.3), std::erfc(0.3));
  EXPECT_EQ(value_of("hypot(3, 4)"), 5.0);
  EXPECT_EQ(value_of("clamp(x, -1, 2)", -3.0), -1.0);
  EXPECT_EQ(value_of("clamp(x, -1, 2)", 0.5), 0.5);
  EXPECT_EQ(value_of("clamp(x, -1, 2)", 3.0), 2.0);
  EXPECT_EQ(value_of("atan2(1, -1)"), 0.75 * std::numbers::pi);
}

TEST(Expression, StepFunctionIsOneAtZero) {
  EXPECT_EQ(value_of("step(x)", -1e-300), 0.0);
  EXPECT_EQ(value_of("step(x)", 0.0), 1.0);
  EXPECT_EQ(value_of("step(x)", -0.0), 1.0);
  EXPECT_EQ(value_of("step(x)", 2.0), 1.0);
  EXPECT_TRUE(std::isnan(value_of("step(x)", std::nan(""))));
}

TEST(Expression, ModuloHasTheSignOfTheDivisor) {
  EXPECT_EQ(value_of("mod(x, 3)", 7.0), 1.0);
  EXPECT_EQ(value_of("mod(x, 3)", -7.0), 2.0);
  EXPECT_EQ(value_of("mod(x, -3)", 7.0), -2.0);
  EXPECT_EQ(value_of("mod(x, -3)", -7.0), -1.0);
  EXPECT_EQ(value_of("mod(x, 3)", -6.0), 0.0);
  EXPECT_EQ(value_of("mod(x, 0.5)", 1.25), 0.25);
  EXPECT_TRUE(std::isnan(value_of("mod(x, 0)", 1.0)));
}

TEST(Expression, SubstitutesConstants) {
  Constants const constants{{"k", 3.0}, {"kk", 5.0}, {"e3", 7.0}, {"R_1", -2.0}};

  EXPECT_EQ(parse_expression("k*x + kk*R_1^2", false, constants)(2, 0, 0, 0), 26.0);
  EXPECT_EQ(parse_expression("2e3*x + e3", false, constants)(1, 0, 0, 0), 2007.0);
  EXPECT_EQ(parse_expression("k + 1", false, constants).constant, 4.0);
  EXPECT_EQ(constant_value("kk - k", constants), 2.0);
  EXPECT_TRUE(expression_variables("k*z", constants).z);
  EXPECT_NE(refusal_of("k*x").find("\"k\" is not known"), std::string::npos);
}

TEST(Expression, TextContainsTheValuesOfConstants) {
  Constants const constants{{"k", 0.1}, {"e3", 7.0}, {"low", -2.0}, {"nothing", -0.0}};

  EXPECT_EQ(parse_expression("k*x+2e3 - e3", false, constants).text, "0.1*x+2e3 - 7");
  EXPECT_EQ(parse_expression("x^low", false, constants).text, "x^(-2)");
  EXPECT_EQ(parse_expression("x + nothing", false, constants).text, "x + 0");
  EXPECT_EQ(parse_expression("sin( x )", false, constants).text, "sin( x )");
}

TEST(Expression, OutlivesItsConstants) {
  ScalarFunction function;
  {
    Constants const constants{{"k", 3.0}};
    function = parse_expression("k*x", false, constants);
  }
  std::thread([&] { EXPECT_EQ(function(2, 0, 0, 0), 6.0); }).join();
}

TEST(Expression, SuggestsTheNearestConstant) {
  Constants const constants{{"conductivity", 1.0}, {"K", 2.0}};
  for (auto const& [text, says] :
       {std::pair{"conductivty*x", "(did you mean conductivity?), at character 1"},
        std::pair{"k*x", "(did you mean K?)"},
        std::pair{"what*x", "(known are x, y, z, pi, K, conductivity, and functions"},
        std::pair{"K(x)", "(did you mean K*(...)?)"}}) {
    try {
      parse_expression(text, false, constants);
      ADD_FAILURE() << text;
    } catch (InputError const& error) {
      EXPECT_NE(std::string(error.what()).find(says), std::string::npos) << error.what();
    }
  }
}

struct BadText {
  char const* text;
  char const* says;
};

TEST(Expression, ReportsErrorsInOneLineWithTheirPlace) {
  for (auto const& [text, says] :
       {BadText{"sin(q)", "\"q\" is not known"},
        BadText{"sin(q)", "at character 5"},
        BadText{"sn(x)", "(did you mean sin?), at character 1"},
        BadText{"1 + srqt (x)", "(did you mean sqrt?), at character 5"},
        BadText{"2*PI", "(did you mean pi?)"},
        BadText{"q + 1", "known are x, y, z, t, pi"},
        BadText{"siin(x)", "\"siin\" is not known"},
        BadText{"_pi", "\"_pi\" is not known"},
        BadText{"1 $ 2", "\"$\" is not known"},
        BadText{"2*", "is incomplete, at character 3"},
        BadText{"", "is empty"},
        BadText{"  ", "is empty"},
        BadText{"(x", "parenthesis is missing"},
        BadText{"x)", "one closing parenthesis too many, at character 2"},
        BadText{"sin()", "\"sin\" has too few arguments"},
        BadText{"sin(x, y)", "\"sin\" has too many arguments"},
        BadText{"2x", "\"x\" is not allowed there (did you mean 2*x?), at character 2"},
        BadText{"1.5 sin(x)", "(did you mean 1.5*sin?), at character 5"},
        BadText{"2(x+1)", "\"(\" is not allowed there (did you mean 2*(...)?), at character 2"},
        BadText{"(x+1)(y+1)", "(did you mean )*(...)?), at character 6"},
        BadText{"x > 1 ? 1", "the part after : is missing"},
        BadText{"x : 1", "there is a : without a ? before it"},
        BadText{"3.5.2", "\".\" is not allowed there, at character 4"},
        BadText{"x y + 1", "(did you mean x*y?), at character 3"},
        BadText{"2 + x**2", "(write ^ for powers: x^2), at character 6"},
        BadText{"(x+1)**2", "\"**\" is not an operator (write ^ for powers, as in x^2)"},
        BadText{"1 + sin x", "(did you mean sin(x)?), at character 5"},
        BadText{"2*sin", "\"sin\" is a function"},
        BadText{"sin(X)", "(did you mean x?), at character 5"},
        BadText{"Sin(x)", "(did you mean sin?), at character 1"},
        BadText{"Sin x", "(did you mean sin(...)?), at character 1"},
        BadText{"powr(x, 2)", "(did you mean pow?)"},
        BadText{"arctan(x)", "(did you mean atan?)"},
        BadText{"Log(x)", "(ln and log have base e, log10 has base 10, log2 has base 2)"},
        BadText{"lg(x)", "(ln and log have base e"},
        BadText{"log(x, 10)", "\"log\" has too many arguments (ln and log have base e"},
        BadText{"e^x", "(write exp(1), and exp(x) for a power of it)"},
        BadText{"x % 2", "\"%\" is not known (write mod(a, b)), at character 3"},
        BadText{"round(x)", "(did you mean rint?"},
        BadText{"x < 1 ? True : 0", "\"True\" is not known (write 1)"},
        BadText{"False", "(write 0)"},
        BadText{"2·x", "\"·\" is not known (write *), at character 2"},
        BadText{"x²", "\"²\" is not known (write ^2)"},
        BadText{"pow(x)", "\"pow\" has too few arguments"},
        BadText{"u + x", "\"u\" is not known"},
        BadText{"T", "not on the solution u"},
        BadText{"2*u", "not on the solution u"},
        BadText{"temperature", "not on the solution u"},
        BadText{"x = 1", "write =="},
        BadText{"x < 1 ? y = 2 : 3", "at character 11"},
        BadText{"x, y", "2 expressions"},
        BadText{"1/0", "not finite"},
        BadText{"sqrt(-1)", "not finite"},
        BadText{"x\n+ q", "\"x + q\""}}) {
    std::string const message = refusal_of(text);
    EXPECT_NE(message.find(says), std::string::npos) << text << " -> " << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  }
}

TEST(Expression, RefusesChainedComparisons) {
  for (auto const& [text, says] :
       {BadText{"0.4 < x < 0.6", "(write 0.4 < x && x < 0.6), at character 9"},
        BadText{"0 < t < 100 ? 1 : 0", "(write 0 < t && t < 100)"},
        BadText{"x == 1 || (sin(x) <= y+1 > 0.5)*2", "(write sin(x) <= y+1 && y+1 > 0.5)"},
        BadText{"x == y == z", "(write x == y && y == z)"},
        BadText{"x != y\n!= z", "(write x != y && y != z)"},
        BadText{"x < y ==\nz", "(write a < b && b < c)"}}) {
    std::string const message = refusal_of(text, true);
    EXPECT_NE(message.find(says), std::string::npos) << text << " -> " << message;
  }
  for (char const* const text :
       {"(x < y) == (y < 1)", "0.4 < x && x < 0.6", "x < 1 ? y > 2 : z < 3", "min(x < 1, y < 2)"}) {
    EXPECT_EQ(refusal_of(text), "") << text;
  }
}

TEST(Expression, RefusesControlCharactersWithTheirPlace) {
  for (char const letter : {'\0', '\1', '\v', '\f', '\x1b', '\x7f'}) {
    std::string const message = refusal_of(std::string("x*y") + letter + " nonsense");
    EXPECT_NE(message.find("a control character"), std::string::npos) << int{letter};
    EXPECT_NE(message.find("at character 4"), std::string::npos) << message;
  }
  EXPECT_EQ(value_of("x\t+\r\n1", 1.0), 2.0);
}

TEST(Expression, ReportsWhereItIsTooLong) {
  std::string text = "x";
  while (text.size() < 30000) {
    text += " + x";
  }

  EXPECT_NE(refusal_of(text).find("30001 characters (at most 20000"), std::string::npos)
      << refusal_of(text);
}

/// The values of `function` for many x, computed by one thread.
std::vector<double> walk(ScalarFunction const& function, double shift) {
  std::vector<double> values;
  for (int i = 0; i < 20000; ++i) {
    values.push_back(function(i + shift, 2.0 * i, 0.0, shift));
  }
  return values;
}

TEST(Expression, SupportsConcurrentCalls) {
  ScalarFunction const function = parse_expression("x + y/7 + t", true);
  constexpr int threads = 4;
  std::vector<std::vector<double>> found(threads);

  std::vector<std::thread> running;
  for (int i = 0; i < threads; ++i) {
    running.emplace_back([&, i] { found[static_cast<std::size_t>(i)] = walk(function, i); });
  }
  for (std::thread& thread : running) {
    thread.join();
  }

  for (int i = 0; i < threads; ++i) {
    for (int k = 0; k < 20000; ++k) {
      ASSERT_EQ(found[static_cast<std::size_t>(i)][static_cast<std::size_t>(k)],
                (k + static_cast<double>(i)) + 2.0 * k / 7 + i);
    }
  }
}

TEST(Expression, CopyOutlivesTheOriginal) {
  ScalarFunction copy;
  {
    ScalarFunction const original = parse_expression("3*x", false);
    copy = original;
    EXPECT_EQ(original(1, 0, 0, 0), 3.0);
  }
  ScalarFunction const other = parse_expression("5*x", false);

  EXPECT_EQ(copy(2, 0, 0, 0), 6.0);
  EXPECT_EQ(other(2, 0, 0, 0), 10.0);
}

/// Values at random places of random boxes lie within the bounds of the boxes.
TEST(ExpressionBounds, ContainAllValues) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> place(-2.0, 2.0), width(0.0, 0.4), share(0.0, 1.0);
  int known = 0;
  for (std::string const text :
       {"x + 2*y - z/4", "-x^2 + (y - 0.3)^3*z", "2 - -3*x", "-2^2 + x", "2^-1*y", "x/(3 + y)",
        "abs(x - y) - sqrt(z + 2)", "hypot(x, y - 1) < 0.7 && z <= 0.5", "x > 0.2 || y == 0.5",
        "min(x, y, z)*max(x, 1)", "exp(-x)*sin(3*y) + cos(z*pi)", "x > 0 ? y : z", "pow(x, 2) != z",
        "(x - 0.1)^2 + (y - .2)^2 + (z + 3e-1)^2 < 0.25", "1/x", "sqrt(x) > 0.5", "x >= y"}) {
    auto const bounds = ExpressionBounds::of(text);
    ASSERT_NE(bounds, nullptr) << text;
    ScalarFunction const function = parse_expression(text, false);
    for (int trial = 0; trial < 2000; ++trial) {
      PerAxis<Interval> part;
      PerAxis<double> at;
      for (int axis = 0; axis < 3; ++axis) {
        double const lower = place(random);
        part[axis] = {lower, lower + width(random)};
        at[axis] = lower + share(random) * part[axis].length();
      }
      auto const values = bounds->within(part);
      if (!values) continue;
      ++known;
      ASSERT_TRUE(values->contains(function(at[0], at[1], at[2], 0.0))) << text;
    }
  }
  EXPECT_GT(known, 25000);
}

PerAxis<Interval> box(Interval x, Interval y, Interval z) {
  PerAxis<Interval> box;
  box[0] = x;
  box[1] = y;
  box[2] = z;
  return box;
}

TEST(ExpressionBounds, DecideComparisonsAwayFromSurfaces) {
  auto const ball = ExpressionBounds::of("x^2 + y^2 + z^2 < 0.25");
  EXPECT_EQ(ball->within(box({0.0, 0.2}, {0.0, 0.2}, {0.0, 0.2})), (Interval{1.0, 1.0}));
  EXPECT_EQ(ball->within(box({0.3, 0.6}, {0.3, 0.5}, {0.1, 0.2})), (Interval{0.0, 1.0}));
  EXPECT_EQ(ball->within(box({0.6, 0.7}, {0.0, 0.1}, {-0.1, 0.1})), (Interval{0.0, 0.0}));
}

TEST(ExpressionBounds, AreUnknownForOtherFunctionsAndSyntax) {
  PerAxis<Interval> const unit = box({0.0, 1.0}, {0.0, 1.0}, {0.0, 1.0});
  EXPECT_EQ(ExpressionBounds::of("erf(x)")->within(unit), std::nullopt);
  // What is false in any case needs no bounds of the rest.
  EXPECT_EQ(ExpressionBounds::of("x > 2 && erf(x) > 0")->within(unit), (Interval{0.0, 0.0}));
  EXPECT_EQ(ExpressionBounds::of(std::string(5000, '(') + "x" + std::string(5000, ')')), nullptr);
  for (std::string const text : {"x & y", "a*x", "x +", "0x10*y"}) {
    EXPECT_EQ(ExpressionBounds::of(text), nullptr) << text;
  }
}

}  // namespace
}  // namespace isotherm::test
