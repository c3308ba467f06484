#include "case/toml/toml_depth.hpp"

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
  std::string const key = repeated("a.", far) + "a";
  expect_refusal("x = 1\n" + key + " = 1\n", "case.toml:2: a key has more than 16 levels");
  expect_refusal("[" + key + "]\n", "case.toml:1: a key has more than 16 levels");
  expect_refusal("[[" + key + "]]\n", "case.toml:1: a key has more than 16 levels");
  expect_refusal("x = { " + key + " = 1 }\n", "case.toml:1: a key has more than 16 levels");
  expect_refusal(repeated("\"a\" . ", far) + "a = 1\n", "case.toml:1: a key has more");
}

TEST(TomlDepth, RefusesDeeplyNestedBrackets) {
  expect_refusal("\n\nx = " + repeated("[", far) + repeated("]", far), "case.toml:3: more than 16");
  expect_refusal("x = " + repeated("{ a = ", far) + "1" + repeated("}", far),
                 "case.toml:1: more than 16");
  expect_refusal("x = " + repeated("[\n", far), "case.toml:17: more than 16");
}

TEST(TomlDepth, CountsOpenBracketsOnly) {
  EXPECT_EQ(refusal_of("x = [" + repeated("[1.5, 2.5],\n", 100) + "]\n"), "");
  EXPECT_EQ(refusal_of("x = { a.b = 1.5, c.d = 2.5 }\n" + repeated("[[a.b]]\nc.d = 1.5\n", 100)),
            "");
  EXPECT_EQ(refusal_of(repeated("a.", 15) + "a = 1\n"), "") << "16 levels";
}

TEST(TomlDepth, IgnoresTextsAndComments) {
  std::string const deep = repeated("[{a.", 100);
  EXPECT_EQ(refusal_of("x = 1 # " + deep + "\"\n# '''" + deep + "\ny = 1\n"), "");
  EXPECT_EQ(refusal_of("x = \"\\\"" + deep + "\\\\\" # \"" + deep + "\ny = '" + deep + "\\'\n"),
            "");
  EXPECT_EQ(refusal_of("x = \"\"\"\n" + deep + "\\\"\"\"" + deep + "\"\"\"\"\"\ny = 1\n"), "");
  EXPECT_EQ(refusal_of("x = '''\n" + deep + "''" + deep + "\\'''\ny = 1\n"), "");
  EXPECT_EQ(refusal_of("\"" + deep + "\" = ''\n'" + deep + "b' = \"\"\n"), "");
}

TEST(TomlDepth, FindsBracketsAfterTextsAndComments) {
  std::string const deep = "x = " + repeated("[", far);
  for (std::string const before :
       {"y = \"#\"\n", "y = '\\' #'\n", "y = \"\\\\\" #\"\n", "y = \"\"\"\"\"\" # \"\"\"\n",
        "y = '''a''''' # '''\n", "y = \"\"\"\\\"\"\"\" # \"\n", "# \"\"\"\n", "y = '\"'\n"}) {
    expect_refusal(before + deep, "case.toml:2: more than 16");
  }
}

TEST(TomlDepth, LeavesInvalidTomlToTheParser) {
  for (std::string const text : {"x = \"", "x = '", "x = \"\"\"", "x = \"\\", "x = \"\"\"\\",
                                 "]]]]", "x = 'a\n[", "x = [[["}) {
    expect_refusal(text, "case.toml:");
    EXPECT_NE(refusal_of(text).find("not valid TOML"), std::string::npos) << text;
  }
}

TEST(TomlDepth, LimitsOverrides) {
  TomlTable root = parse_toml("title = 'a'", "case.toml");

  EXPECT_THROW(apply_override(root, repeated("a.", far) + "a=1"), InputError);
  apply_override(root, "title=" + repeated("[", far));  // not TOML, hence a text

  EXPECT_EQ(root.find("title")->value.get<std::string>(), repeated("[", far));
}

}  // namespace
}  // namespace isotherm
