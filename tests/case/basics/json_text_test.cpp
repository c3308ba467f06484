#include "case/basics/text/json_text.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

// Parsing JSON of limited depth.

namespace isotherm {
namespace {

std::string nested(int depth, std::string const& open, std::string const& close) {
  std::string begin;
  std::string end;
  for (int i = 0; i < depth; ++i) {
    begin += open;
    end += close;
  }
  return begin + end;
}

TEST(JsonText, IsParsed) {
  nlohmann::json const json = parse_json(R"({"a": [1, {"b": "]]}[[["}], "c\"[": 2})");

  EXPECT_EQ(json.at("a").at(1).at("b"), "]]}[[[");
  EXPECT_EQ(json.at("c\"["), 2);
}

TEST(JsonText, InvalidTextIsNull) {
  for (char const* const text : {"", "[1", "{\"a\": }", "no json", "\"\\", "\"\xff\"", "[1]]"}) {
    EXPECT_TRUE(parse_json(text).is_null()) << text;
  }
}

TEST(JsonText, DeeplyNestedTextIsNull) {
  EXPECT_FALSE(parse_json(nested(deepest_json, "[", "]")).is_null());
  for (int const depth : {deepest_json + 1, 300'000}) {
    EXPECT_TRUE(parse_json(nested(depth, "[", "]")).is_null());
    EXPECT_TRUE(parse_json(nested(depth, "{\"a\":[", "]}")).is_null());
    EXPECT_TRUE(parse_json(nested(depth, "[", "")).is_null());
  }
}

}  // namespace
}  // namespace isotherm
