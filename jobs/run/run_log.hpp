#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <string>

#include "decomposition/ranks/mpi.hpp"

namespace spdlog {
class logger;
}

namespace isotherm {

/// What a run says: on the terminal, as loud as it is told to be, and, once a file is given, all of
/// it with the time of day in that file. Only the root says anything; on other ranks every call
/// does nothing. Where one of the two places cannot be written, that is said once in the other, and
/// the run goes on. Threads may speak at the same time.
class RunLog {
 public:
  enum class Loudness { quiet, normal, verbose };

  RunLog(mpi::Communicator const& ranks, Loudness loudness);
  ~RunLog();
  RunLog(RunLog const&) = delete;
  RunLog& operator=(RunLog const&) = delete;

  /// Writes to `path` too, after what it holds. @throws Error  where it cannot be opened
  void also_to(std::filesystem::path const& path);

  void line(std::string const& text);       ///< to standard output, unless quiet
  void shortfall(std::string const& text);  ///< as line(); if quiet, to standard error
  void detail(std::string const& text);     ///< to standard output where verbose
  void warning(std::string const& text);    ///< to standard error, after "warning: "
  void error(std::string const& text);      ///< to the file alone: main() prints errors

  /// True where standard error is a terminal that shows bars (and the run is not quiet).
  [[nodiscard]] bool shows_bar() const { return shows_bar_; }
  /// Draws a bar over the one drawn before; nothing where none is shown. Not in the file.
  void bar(std::string const& text);
  /// Takes the bar away.
  void clear_bar();
  /// True once a line could not be written to standard output.
  [[nodiscard]] bool lost_output() const;

 private:
  void erase_bar();
  void say(std::string const& text, Loudness least);
  void print(std::string const& text);
  void warn(std::string const& text);
  void complain_about_file(std::string const& reason);

  mutable std::mutex mutex_;  // of all below, and of what is written
  bool speaks_;
  Loudness loudness_;
  bool shows_bar_;
  bool bar_drawn_ = false;
  bool lost_output_ = false;
  bool lost_file_ = false;
  std::shared_ptr<spdlog::logger> file_;
};

}  // namespace isotherm
