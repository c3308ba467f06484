#include "jobs/watch.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <sys/wait.h>
#include <unistd.h>

namespace isotherm {
namespace {

/// A process that does nothing, for the life of the object.
class Child {
 public:
  Child() : pid_(fork()) {
    while (pid_ == 0) {
      pause();
    }
  }
  ~Child() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  Child(Child const&) = delete;
  Child& operator=(Child const&) = delete;
  [[nodiscard]] int pid() const { return pid_; }

 private:
  int pid_;
};

TEST(ProcessState, OfThisProcessIsRunning) {
  auto const state = process_state(getpid());

  ASSERT_TRUE(state);
  EXPECT_EQ(state->letter, 'R');
  EXPECT_GT(state->started, 0U);
  EXPECT_EQ(state->started, process_state(getpid())->started);
}

TEST(ProcessState, SaysThatAProcessIsStopped) {
  Child const child;
  int status = 0;
  kill(child.pid(), SIGSTOP);
  waitpid(child.pid(), &status, WUNTRACED);
  ASSERT_TRUE(WIFSTOPPED(status));

  auto const state = process_state(child.pid());

  ASSERT_TRUE(state);
  EXPECT_EQ(state->letter, 'T');
}

TEST(ProcessState, SaysThatAProcessIsGone) {
  int pid = 0;
  {
    Child const child;
    pid = child.pid();
  }
  EXPECT_FALSE(process_state(pid));
}

}  // namespace
}  // namespace isotherm
