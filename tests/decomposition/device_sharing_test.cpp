#include "decomposition/ranks/device_sharing.hpp"

#include <gtest/gtest.h>

// Which ranks compute on the same device.

namespace isotherm {
namespace {

using Pair = std::pair<int, int>;

std::vector<int> sharers_of_all(std::vector<RankDevice> const& devices) {
  std::vector<int> sharers;
  for (std::size_t rank = 0; rank < devices.size(); ++rank) {
    sharers.push_back(count_sharers(devices, static_cast<int>(rank)));
  }
  return sharers;
}

// With --gpus-per-task each rank sees its GPU as number 0, regardless of CUDA_VISIBLE_DEVICES.
TEST(DeviceSharing, FourRanksOnFourGpusDoNotShare) {
  std::vector<RankDevice> const devices{{"a", "01"}, {"a", "02"}, {"a", "03"}, {"a", "04"}};

  EXPECT_EQ(sharers_of_all(devices), (std::vector<int>{1, 1, 1, 1}));
  EXPECT_EQ(first_sharers(devices), std::nullopt);
}

TEST(DeviceSharing, CountsRanksPerGpu) {
  std::vector<RankDevice> const devices{{"a", "01"}, {"a", "02"}, {"a", "01"},
                                        {"a", "02"}, {"a", "01"}, {"a", "03"}};

  EXPECT_EQ(sharers_of_all(devices), (std::vector<int>{3, 2, 3, 2, 3, 1}));
  EXPECT_EQ(first_sharers(devices), Pair(0, 2));
}

TEST(DeviceSharing, NamesTheFirstSharingPair) {
  std::vector<RankDevice> const devices{{"a", "01"}, {"a", "02"}, {"a", "02"}, {"a", "01"}};

  EXPECT_EQ(first_sharers(devices), Pair(1, 2));
}

TEST(DeviceSharing, DistinguishesInstancesOfAPartitionedGpu) {
  std::string const gpu = "5a0c1e8d";
  std::vector<RankDevice> const devices{{"a", gpu + "-1"}, {"a", gpu + "-2"}, {"a", gpu}};

  EXPECT_EQ(sharers_of_all(devices), (std::vector<int>{1, 1, 1}));
}

TEST(DeviceSharing, DistinguishesHosts) {
  std::vector<RankDevice> const devices{{"a", "01"}, {"b", "01"}, {"a", "01"}};

  EXPECT_EQ(sharers_of_all(devices), (std::vector<int>{2, 1, 2}));
  EXPECT_EQ(first_sharers(devices), Pair(0, 2));
}

TEST(DeviceSharing, RanksOnCpusShareTheirHost) {
  std::vector<RankDevice> const devices{{"a", ""}, {"a", ""}, {"b", ""}};

  EXPECT_EQ(sharers_of_all(devices), (std::vector<int>{2, 2, 1}));
}

}  // namespace
}  // namespace isotherm
