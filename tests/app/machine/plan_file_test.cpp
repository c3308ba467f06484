#include "app/machine/plan_file.hpp"

#include <gtest/gtest.h>

#include <ostream>
#include <string>

#include "kernels/core/error.hpp"
#include "tests/case/case_texts.hpp"

// Reading, writing and checking the user's table of sweep plans.

namespace isotherm::test {
using namespace app;
namespace {

constexpr std::string_view one_row = R"toml([[plan]]
backend = "cuda"
device = "NVIDIA H200"
least_capability = 90
dimension = 3
precision = "float32"
fixed = true
source = false
least_points = 1000000
least_extent = 64
plan = "tile"
)toml";

std::vector<PlanFileRow> parsed(std::string const& text) {
  return parse_plan_table(text, "plans.toml");
}

TEST(PlanFile, ReadsEveryKeyOfARow) {
  auto const rows = parsed(std::string(one_row));

  ASSERT_EQ(rows.size(), 1U);
  PlanRow const& row = rows[0].row;
  EXPECT_EQ(row.backend, Backend::cuda);
  EXPECT_EQ(row.device, "NVIDIA H200");
  EXPECT_EQ(row.min_capability, 90);
  EXPECT_EQ(row.dimension, 3);
  EXPECT_EQ(row.precision, Precision::float32);
  EXPECT_EQ(row.fixed, std::optional(true));
  EXPECT_EQ(row.source, std::optional(false));
  EXPECT_EQ(row.min_points, 1000000);
  EXPECT_EQ(row.min_extent, 64);
  EXPECT_EQ(row.plan, "tile");
  EXPECT_EQ(rows[0].where, "plans.toml:11");
}

TEST(PlanFile, OmittedKeysMatchAnything) {
  auto const rows = parsed("[[plan]]\nbackend = \"cpu\"\ndimension = 2\nplan = \"plain\"\n");

  ASSERT_EQ(rows.size(), 1U);
  EXPECT_TRUE(rows[0].row.device.empty());
  EXPECT_FALSE(rows[0].row.precision);
  EXPECT_FALSE(rows[0].row.fixed.has_value());
  EXPECT_FALSE(rows[0].row.source.has_value());
  EXPECT_EQ(rows[0].row.min_points, 0);
}

TEST(PlanFile, KeepsTheOrderOfRows) {
  std::string const other(with(one_row, "\"tile\"", "\"plain\""));

  auto const rows = parsed(other + std::string(one_row) + other);

  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].row.plan, "plain");
  EXPECT_EQ(rows[1].row.plan, "tile");
  EXPECT_EQ(rows[2].row.plan, "plain");
}

TEST(PlanFile, MayBeEmpty) {
  EXPECT_TRUE(parsed("").empty());
  EXPECT_TRUE(parsed("# none yet\n").empty());
}

TEST(PlanFile, ReadsBackWhatItWrote) {
  PlanRow row = parsed(std::string(one_row))[0].row;
  EXPECT_EQ(to_toml(row, ""), one_row);

  row.device = "a \"quoted\" name";
  auto const again = parsed(to_toml(row, "1 GCell/s\nplan = 3"));

  ASSERT_EQ(again.size(), 1U);
  EXPECT_EQ(again[0].row.device, row.device);
  EXPECT_EQ(again[0].row.plan, "tile");
}

/// A refused text; the message begins with `start` and contains `advice`.
struct Refusal {
  std::string text;
  std::string start;
  std::string advice;
};

std::ostream& operator<<(std::ostream& stream, Refusal const& refusal) {
  return stream << refusal.start;
}

Refusal row(std::string_view from, std::string_view to, std::string const& start,
            std::string const& advice) {
  return {with(one_row, from, to), "plans.toml:" + start, advice};
}

class PlanFileRefusal : public testing::TestWithParam<Refusal> {};

TEST_P(PlanFileRefusal, NamesPlaceKeyAndRemedy) {
  ASSERT_FALSE(GetParam().text.empty());
  std::string message;
  try {
    parsed(GetParam().text);
  } catch (InputError const& error) {
    message = error.what();
  }
  EXPECT_TRUE(message.starts_with(GetParam().start)) << message;
  EXPECT_NE(message.find(GetParam().advice), std::string::npos) << message;
  EXPECT_EQ(message.find('\n'), std::string::npos) << message;
}

INSTANTIATE_TEST_SUITE_P(
    Mistakes, PlanFileRefusal,
    testing::Values(
        row("plan = \"tile\"", "plan = \"tile", "11: not valid TOML", ""),
        row("[[plan]]", "[[plans]]", "1: plans is not a key", "did you mean plan?"),
        row("[[plan]]", "[plan]", "1: plan is a table", "write [[plan]] on a line of its own"),
        Refusal{"backend = \"cpu\"\n", "plans.toml:1: backend is not a key",
                "it belongs in [[plan]]"},
        row("least_points", "last_points", "9: [plan] last_points is not a key",
            "did you mean least_points?"),
        row("fixed", "colour", "7: [plan] colour is not a key", "valid keys are backend, device"),
        row("\"cuda\"", "\"gpu\"", "2: [plan] backend is \"gpu\"", "\"cpu\", \"cuda\""),
        row("backend = \"cuda\"\n", "", "1: [plan] backend is missing", "\"cpu\" or \"cuda\""),
        row("backend = \"cuda\"", "backend = \"cpu\"", "4: [plan] least_capability does not apply",
            "leave it out"),
        row("= 90", "= 9", "4: [plan] least_capability is 9", "90 for 9.0"),
        row("dimension = 3", "dimension = 4", "5: [plan] dimension is 4", "2 or 3"),
        row("dimension = 3\n", "", "1: [plan] dimension is missing", "2 or 3"),
        row("\"float32\"", "\"single\"", "6: [plan] precision is \"single\"", "\"float64\""),
        row("fixed = true", "fixed = 1", "7: [plan] fixed is 1", "true or false"),
        row("1000000", "1e6", "9: [plan] least_points is 1e+06", "write 1000000"),
        row("= 64", "= -1", "10: [plan] least_extent is -1", "at least 0"),
        row("plan = \"tile\"\n", "", "1: [plan] plan is missing", "a string in quotes"),
        row("\"tile\"", "\"\"", "11: [plan] plan is empty", "")));

PlanFileRow cpu_row(std::string const& plan, int dimension = 3) {
  PlanFileRow one;
  one.row.backend = Backend::cpu;
  one.row.dimension = dimension;
  one.row.plan = plan;
  one.where = "plans.toml:4";
  return one;
}

std::string complaint(PlanFileRow const& row) {
  return unknown_plan(row, Backend::cpu, device_info(Backend::cpu));
}

TEST(UnknownPlan, RefusalListsTheKnownPlans) {
  std::string const message = complaint(cpu_row("wavefrnt-4"));

  EXPECT_TRUE(message.starts_with("plans.toml:4: [plan] plan is \"wavefrnt-4\"")) << message;
  EXPECT_NE(message.find("did you mean \"wavefront-4\"?"), std::string::npos) << message;
  EXPECT_NE(message.find("valid plans are \"plain\", \"wavefront-2\""), std::string::npos)
      << message;
}

TEST(UnknownPlan, AcceptsPlansOfTheBackend) {
  EXPECT_EQ(complaint(cpu_row("plain")), "");
  EXPECT_EQ(complaint(cpu_row("resident", 2)), "");
  EXPECT_NE(complaint(cpu_row("resident", 3)), "");
}

TEST(UnknownPlan, IgnoresRowsForOtherDevices) {
  PlanFileRow other_backend = cpu_row("none such");
  other_backend.row.backend = Backend::cuda;
  PlanFileRow other_device = cpu_row("none such");
  other_device.row.device = "an abacus";
  PlanFileRow capable = cpu_row("none such");
  capable.row.min_capability = 90;

  EXPECT_EQ(complaint(other_backend), "");
  EXPECT_EQ(complaint(other_device), "");
  EXPECT_EQ(complaint(capable), "");
}

}  // namespace
}  // namespace isotherm::test
