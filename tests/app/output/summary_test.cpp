#include "app/run/report/summary.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

// The contents of summary.json, and the exit codes of outcomes.

namespace isotherm::app {
namespace {

struct Example {
  Case chosen;
  RunPlan plan;
  Summary summary;

  Example() {
    chosen.title = "a \"quoted\" title";
    chosen.problem.grid = make_grid(2, {32, 16, 1}, {0, 0, 0}, {1, 1, 1}, {false, false, false});
    chosen.method.iterations = 200;
    chosen.method.tolerance = 1e-6;
    plan.execution.parts = {2, 1, 1};
    plan.largest_part = {16, 16, 1};
    summary.outcome = Outcome::not_converged;
    summary.state = {200, 4.0, Residual{100, 0.0, 0.5}};
    summary.ranks = 2;
    summary.final_file = "u_000200.vtkhdf";
    summary.checksum = 0x00ffee;
    summary.field = FieldStatistics{-1.0, 3.0, 0.5, Index3{0, 0, 0}, Index3{31, 5, 0}};
    summary.files = {"summary.json", "u_000200.vtkhdf"};
  }
  [[nodiscard]] nlohmann::json json() const {
    return nlohmann::json::parse(to_json(chosen, plan, summary));
  }
};

TEST(SummaryJson, ContainsTheOutcome) {
  auto const json = Example().json();

  EXPECT_EQ(json["status"], "not-converged");
  EXPECT_EQ(json["exit_code"], 3);
  EXPECT_EQ(json["result"]["iterations"], 200);
  EXPECT_EQ(json["result"]["residual"]["first"], 4.0);
  EXPECT_EQ(json["result"]["residual"]["last"], 0.5);
  EXPECT_EQ(json["result"]["residual"]["last_iteration"], 100);
  EXPECT_EQ(json["result"]["checksum"], "000000000000ffee");
  EXPECT_EQ(json["result"]["field"], nlohmann::json({{"min", -1.0},
                                                     {"min_at", {0.0, 0.0}},
                                                     {"max", 3.0},
                                                     {"max_at", {1.0, 1.0 / 3.0}},
                                                     {"mean", 0.5}}));
  EXPECT_EQ(json["result"]["files"].size(), 2U);
}

TEST(SummaryJson, DescribesCaseAndExecution) {
  auto const json = Example().json();

  EXPECT_EQ(json["case"]["title"], "a \"quoted\" title");
  EXPECT_EQ(json["case"]["points"], nlohmann::json({32, 16}));
  EXPECT_EQ(json["execution"]["decomposition"], nlohmann::json({2, 1}));
  EXPECT_EQ(json["execution"]["ranks"], 2);
  EXPECT_EQ(json["execution"]["backend"], "cpu");
}

TEST(SummaryJson, MissingValuesAreNull) {
  Example example;
  example.summary.state = {};
  example.summary.checksum.reset();
  example.summary.field.reset();
  auto const json = example.json();

  EXPECT_TRUE(json["resumed_from"].is_null());
  EXPECT_TRUE(json["performance"].is_null());
  EXPECT_TRUE(json["result"]["residual"]["first"].is_null());
  EXPECT_TRUE(json["result"]["checksum"].is_null());
  EXPECT_TRUE(json["result"]["field"].is_null());
}

TEST(SummaryJson, ListsOverrides) {
  Example example;
  EXPECT_FALSE(example.json().contains("overrides"));
  example.summary.overrides = {"method.iterations=5"};
  EXPECT_EQ(example.json()["overrides"][0], "method.iterations=5");
}

TEST(SummaryJson, ContainsTheHeatBalanceOfSteadyFields) {
  Example example;
  EXPECT_TRUE(example.json()["result"]["heat_balance"].is_null());
  example.summary.heat_balance = HeatBalance{3.0, 3.25, -0.25, 1e-9, 1e-3};
  auto const json = example.json()["result"]["heat_balance"];
  EXPECT_EQ(json["in"], 3.0);
  EXPECT_EQ(json["out"], 3.25);
  EXPECT_EQ(json["net"], -0.25);
  EXPECT_EQ(json["rounding"], 1e-9);
  EXPECT_EQ(json["allowed"], 1e-3);
}

TEST(Summary, FieldsOfNaNHaveNoValues) {
  Summary summary = Example().summary;
  EXPECT_TRUE(has_values(summary));
  summary.field->largest = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(has_values(summary));
  summary.field.reset();  // nothing is known
  EXPECT_TRUE(has_values(summary));
}

TEST(HeatBalance, ClosesWithinToleranceOrRounding) {
  EXPECT_FALSE((HeatBalance{3.0, 3.25, -0.25, 1e-9, 1e-3}.closes()));
  EXPECT_TRUE((HeatBalance{3.0, 3.25, -0.25, 1e-9, 0.3}.closes()));
  EXPECT_TRUE((HeatBalance{3.0, 3.25, -0.25, 0.3, 1e-3}.closes()));
  EXPECT_TRUE((HeatBalance{0.0, 0.0, 0.0, 0.0, 0.0}.closes()));
}

TEST(SummaryJson, NamesTheResumedFile) {
  Example example;
  example.summary.resumed_from = ResumePoint{"out/u_000100.vtkhdf", {100, {}, {}}};
  auto const json = example.json();

  EXPECT_EQ(json["resumed_from"]["file"], "out/u_000100.vtkhdf");
  EXPECT_EQ(json["resumed_from"]["iteration"], 100);
}

TEST(SummaryJson, ContainsRatesAndTimes) {
  Example example;
  Performance performance;
  performance.time = {7.0, 6.0, 3.0, 2.0, 1.0, 0.5};
  performance.points_per_second = 2e9;
  performance.bytes_per_second = 16e9;
  performance.copy_bytes_per_second = 20e9;
  example.summary.performance = performance;
  auto const json = example.json();

  EXPECT_DOUBLE_EQ(json["performance"]["gcells_per_second"], 2.0);
  EXPECT_DOUBLE_EQ(json["performance"]["share_of_copy"], 0.8);
  example.summary.performance->copy_bytes_per_second.reset();  // a small field
  EXPECT_TRUE(example.json()["performance"]["share_of_copy"].is_null());
  std::vector<double> times;
  for (char const* const name : {"wall", "solve", "compute", "halo", "reduction", "output"}) {
    times.push_back(json["performance"][std::string(name) + "_s"]);
  }
  EXPECT_EQ(times, (std::vector{7.0, 6.0, 3.0, 2.0, 1.0, 0.5}));
}

TEST(ExitCodes, MatchTheDocumentation) {
  EXPECT_EQ(exit_code_of(Outcome::done), 0);
  EXPECT_EQ(exit_code_of(Outcome::failed), 1);
  EXPECT_EQ(exit_code_of(Outcome::not_converged), 3);
  EXPECT_EQ(exit_code_of(Outcome::stopped), 75);
}

}  // namespace
}  // namespace isotherm::app
