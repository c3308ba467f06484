#include <gtest/gtest.h>

#include "case/toml/toml_document.hpp"
#include "case/toml/toml_overrides.hpp"
#include "kernels/core/error.hpp"

// The limit on the nesting of TOML texts.

namespace isotherm {
namespace {

std::string repeated(std::string const& word, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += word;
  return text;
}

std::string refusal_of(std::string const& text) {
  try {
    (void)parse_toml(text, "case.toml");
  } catch (InputError const& error) {
    return error.what();
  }
  return "";
}

void expect_refusal(std::string const& text, std::string const& beginning) {
  std::string const message = refusal_of(text);
  EXPECT_TRUE(message.starts_with(beginning)) << message.substr(0, 200);
  EXPECT_LT(message.size(), 200U);
}

constexpr int far = 10000;

TEST(TomlDepth, RefusesDeeplyDottedKeys) {
  for (std::string const part : {"a.", "12.", "\"a\" . ", "\"=\".", "','."}) {
    std::string const key = repeated(part, far) + "a";
    std::string const dots = "more than 100 dots in a line";
    expect_refusal("x = 1\n" + key + " = 1\n", "case.toml:2: " + dots);
    expect_refusal("[" + key + "]\n", "case.toml:1: " + dots);
    expect_refusal("[[" + key + "]]\n", "case.toml:1: " + dots);
    expect_refusal("x = { " + key + " = 1 }\n", "case.toml:1: " + dots);
  }
  expect_refusal(repeated("a.", 16) + "a = 1\n", "case.toml:1: a value has more than 16 levels");
  EXPECT_EQ(refusal_of(repeated("a.", 15) + "a = 1\n"), "") << "16 levels";
}

TEST(TomlDepth, RefusesDeeplyNestedBrackets) {
  expect_refusal("\n\nx = " + repeated("[", 20) + repeated("]", 20),
                 "case.toml:3: a value has more than 16 levels");
  expect_refusal("\n\nx = " + repeated("[", far) + repeated("]", far), "case.toml:3: not valid");
  expect_refusal("x = " + repeated("{ a = ", far) + "1" + repeated("}", far),
                 "case.toml:1: not valid");
  expect_refusal(
      "x = " + repeated("[\n{" + repeated("a.", 99) + "a =", 120) + repeated("}\n]", 120),
      "case.toml:");
}

TEST(TomlDepth, AcceptsManyDecimalsAndTables) {
  EXPECT_EQ(refusal_of("x = [" + repeated("[1.5, 22.5, 3.25e-5], ", 500) + "]\n"), "");
  EXPECT_EQ(refusal_of("x = { a.b = 1.5, c.d = 2.5 }\n" + repeated("[[a.b]]\nc.d = 1.5\n", 100)),
            "");
  EXPECT_EQ(refusal_of("x = \"" + repeated("0.5*x + ", 500) + "[[[[[[[[[[[[[[[[[[\" # [{\n"), "");
}

TEST(TomlDepth, LimitsOverrides) {
  TomlTable root = parse_toml("title = 'a'", "case.toml");

  EXPECT_THROW(apply_override(root, repeated("a.", far) + "a=1"), InputError);
  apply_override(root, "title=" + repeated("[", far));  // not TOML, hence a text

  EXPECT_EQ(root.find("title")->value.get<std::string>(), repeated("[", far));
}

}  // namespace
}  // namespace isotherm
