#include "app/run/report/timeline_file.hpp"

#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace isotherm::app {
namespace {

TEST(TimelineFileTest, AllRanksTogetherHaveABoundedNumberOfRanges) {
  EXPECT_EQ(maximum_ranges(1), 50'000);
  EXPECT_EQ(maximum_ranges(20), 50'000);
  EXPECT_EQ(maximum_ranges(1000), 1000);
  EXPECT_EQ(maximum_ranges(1'000'000), 100);
}

// A device has two lines, so that halo exchanges may overlap with sweeps.
TEST(TimelineFileTest, DeviceHasLinesOfItsOwn) {
  Timeline timeline;
  timeline.ranges = {{"pass", 0, 0.001, 0.002, true, 0.0015, 0.0045},
                     {"halo", 0, 0.0012, 0.0014, true, 0.004, 0.005},
                     {"output", 1, 0.003, 0.007}};
  std::string text = trace_events(3, "the \"host\"", timeline);
  ASSERT_TRUE(text.ends_with(",\n"));
  text.resize(text.size() - 2);
  nlohmann::json const events = nlohmann::json::parse("[" + text + "]");
  std::map<int, std::string> lines;
  std::map<std::string, std::vector<double>> times;
  for (auto const& event : events) {
    EXPECT_EQ(event["pid"], 3);
    if (event["name"] == "process_name") {
      EXPECT_EQ(event["args"]["name"], "rank 3 on the \"host\"");
    } else if (event["name"] == "thread_name") {
      lines[event["tid"]] = event["args"]["name"];
    }
  }
  for (auto const& event : events) {
    if (event["ph"] != "X") continue;
    std::string const name = event["name"];
    times[lines.at(event["tid"]) + ": " + name] = {event["ts"], event["dur"]};
  }
  std::map<std::string, std::vector<double>> const wanted{{"host: pass", {1000, 1000}},
                                                          {"GPU: pass", {1500, 3000}},
                                                          {"host: halo", {1200, 200}},
                                                          {"GPU, halo: halo", {4000, 1000}},
                                                          {"host, thread 1: output", {3000, 4000}}};
  EXPECT_EQ(times, wanted);
}

}  // namespace
}  // namespace isotherm::app
