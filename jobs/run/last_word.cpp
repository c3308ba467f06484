#include "jobs/run/last_word.hpp"

#include <chrono>
#include <utility>

#include "jobs/basics/start_thread.hpp"
#include "jobs/basics/stop_request.hpp"

namespace isotherm {

namespace {

constexpr std::chrono::milliseconds between_looks{50};
constexpr std::chrono::milliseconds for_the_run{300};  // of the second that mpirun waits

}  // namespace

LastWord::LastWord(std::function<void(std::string const&)> say)
    : say_(std::move(say)), thread_(start_thread([this] { listen(); })) {}

LastWord::~LastWord() {
  not_needed();
  thread_.join();
}

void LastWord::not_needed() {
  {
    std::lock_guard const lock(mutex_);
    over_ = true;
  }
  wake_.notify_all();
}

void LastWord::listen() {
  auto const over = [this] { return over_; };
  std::unique_lock lock(mutex_);
  while (!StopRequest::made()) {
    if (wake_.wait_for(lock, between_looks, over)) return;
  }
  if (!wake_.wait_for(lock, for_the_run, over)) say_(StopRequest::signal_name());
}

}  // namespace isotherm
