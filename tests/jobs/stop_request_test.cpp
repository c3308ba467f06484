#include "jobs/stop_request.hpp"

#include <gtest/gtest.h>

#include <csignal>

namespace isotherm {
namespace {

class StopRequestSignal : public testing::TestWithParam<std::pair<int, char const*>> {};

TEST_P(StopRequestSignal, IsRememberedAndDoesNotEndTheProcess) {
  StopRequest const request;
  EXPECT_FALSE(StopRequest::made());

  std::raise(GetParam().first);

  EXPECT_TRUE(StopRequest::made());
  EXPECT_STREQ(StopRequest::signal_name(), GetParam().second);
}

INSTANTIATE_TEST_SUITE_P(All, StopRequestSignal,
                         testing::Values(std::pair(SIGUSR1, "SIGUSR1"),
                                         std::pair(SIGTERM, "SIGTERM"),
                                         std::pair(SIGINT, "SIGINT")));

TEST(StopRequest, ASecondInterruptEndsTheProcess) {
  EXPECT_EXIT(
      {
        StopRequest const request;
        std::raise(SIGINT);
        std::raise(SIGINT);
      },
      testing::ExitedWithCode(130), "");
}

TEST(StopRequest, PutsTheFormerEffectBack) {
  EXPECT_EXIT(
      {
        { StopRequest const request; }
        std::raise(SIGTERM);
      },
      testing::KilledBySignal(SIGTERM), "");
}

TEST(StopRequest, LetsARunGoOnWhereItsReaderIsGone) {
  StopRequest const request;

  std::raise(SIGPIPE);

  EXPECT_FALSE(StopRequest::made());
}

TEST(StopRequest, ForgetsAnEarlierSignal) {
  {
    StopRequest const request;
    std::raise(SIGUSR1);
  }
  StopRequest const again;

  EXPECT_FALSE(StopRequest::made());
}

}  // namespace
}  // namespace isotherm
