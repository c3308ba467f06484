#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace isotherm {

/// Has something done where a request to stop has come and the run does not get to it: because its
/// work in hand takes longer than a launcher waits before it kills the ranks, or because another
/// rank, for which it waits, is gone.
class LastWord {
 public:
  /// @param say  is called with the signal's name, in a thread of its own, once and at most; it
  ///             must not throw, nor communicate with other ranks
  explicit LastWord(std::function<void(std::string const& signal)> say);
  ~LastWord();
  LastWord(LastWord const&) = delete;
  LastWord& operator=(LastWord const&) = delete;

  /// The run speaks for itself from now on; nothing is said any more when this returns.
  void not_needed();

 private:
  void listen();

  std::function<void(std::string const&)> say_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool over_ = false;
  std::thread thread_;
};

}  // namespace isotherm
