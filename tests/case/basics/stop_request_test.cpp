#include "case/basics/stop_request.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <thread>

// Signals that ask a run to stop.

namespace isotherm {
namespace {

class StopRequestSignal : public testing::TestWithParam<std::pair<int, char const*>> {};

TEST_P(StopRequestSignal, IsRecordedWithoutEndingTheProcess) {
  std::signal(GetParam().first, SIG_DFL);  // the tests may run under nohup, which ignores SIGHUP
  StopRequest const request;
  EXPECT_FALSE(StopRequest::made());

  std::raise(GetParam().first);

  EXPECT_TRUE(StopRequest::made());
  EXPECT_EQ(StopRequest::signal_name(), GetParam().second);
}

INSTANTIATE_TEST_SUITE_P(All, StopRequestSignal,
                         testing::Values(std::pair(SIGUSR1, "SIGUSR1"),
                                         std::pair(SIGTERM, "SIGTERM"), std::pair(SIGINT, "SIGINT"),
                                         std::pair(SIGHUP, "SIGHUP"),
                                         std::pair(SIGXCPU, "SIGXCPU")));

TEST(StopRequest, SecondInterruptEndsTheProcess) {
  EXPECT_EXIT(
      {
        StopRequest const request;
        // The first of those that are later than a simultaneous one.
        for (int i = 0; i < 100'000; ++i) {
          std::raise(SIGINT);
          std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
      },
      testing::ExitedWithCode(130), "");
}

TEST(StopRequest, SimultaneousInterruptsCountAsOne) {
  EXPECT_FALSE(is_second_request(7000, 7000));
  EXPECT_FALSE(is_second_request(7000, 7100));
  EXPECT_TRUE(is_second_request(7000, 7101));
}

TEST(StopRequest, RestoresFormerHandlers) {
  EXPECT_EXIT(
      {
        { StopRequest const request; }
        std::raise(SIGTERM);
      },
      testing::KilledBySignal(SIGTERM), "");
}

TEST(StopRequest, BrokenPipeDoesNotStopTheRun) {
  StopRequest const request;

  std::raise(SIGPIPE);

  EXPECT_FALSE(StopRequest::made());
}

TEST(StopRequest, KeepsSIGHUPIgnored) {
  std::signal(SIGHUP, SIG_IGN);  // like nohup
  {
    StopRequest const request;
    std::raise(SIGHUP);
    EXPECT_FALSE(StopRequest::made());
  }
  EXPECT_EQ(std::signal(SIGHUP, SIG_DFL), SIG_IGN);
}

TEST(StopRequest, ReceivesPendingSignals) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::raise(SIGUSR1);

  StopRequest const request;

  EXPECT_EQ(StopRequest::signal_name(), "SIGUSR1");
}

TEST(StopRequest, KeepsASignalOfAnEarlierRequest) {
  StopRequest const early;
  std::raise(SIGUSR1);
  std::signal(SIGTERM, SIG_DFL);  // like a library that starts
  {
    StopRequest const again;
    EXPECT_EQ(StopRequest::signal_name(), "SIGUSR1");
    std::raise(SIGTERM);
    EXPECT_EQ(StopRequest::signal_name(), "SIGUSR1") << "the first is the one to name";
  }
  std::raise(SIGUSR1);  // still handled
}

TEST(StopRequest, AcknowledgesTheFirstSignalIfAsked) {
  testing::internal::CaptureStderr();
  {
    StopRequest const request(true);
    StopRequest::promise_checkpoint(true);
    std::raise(SIGTERM);
    std::raise(SIGUSR1);
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "isotherm: SIGTERM: stopping after the current iterations, with a checkpoint\n");
}

TEST(StopRequest, PromisesNoCheckpointBeforeTheIterations) {
  testing::internal::CaptureStderr();
  {
    StopRequest const request(true);
    std::raise(SIGTERM);
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "isotherm: SIGTERM: stopping; nothing has been written\n");
}

TEST(StopRequest, OtherRanksAreSilent) {
  testing::internal::CaptureStderr();
  {
    StopRequest const request;
    std::raise(SIGTERM);
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
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
