#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "decomposition/mpi.hpp"

namespace spdlog {
class logger;
}

namespace isotherm {

/// What a run says: on the terminal (unless quiet) and, once a file is given, with the time of day
/// in that file. Only the root says anything; on other ranks every call does nothing.
class RunLog {
 public:
  RunLog(mpi::Communicator const& ranks, bool quiet);
  ~RunLog();
  RunLog(RunLog const&) = delete;
  RunLog& operator=(RunLog const&) = delete;

  /// Writes to `path` too, after what it holds. @throws Error  where it cannot be opened
  void also_to(std::filesystem::path const& path);

  void line(std::string const& text);     ///< to standard output
  void warning(std::string const& text);  ///< to standard error, after "warning: "
  void error(std::string const& text);    ///< to the file alone: main() prints errors

  /// True where standard error is a terminal that shows bars (and the run is not quiet).
  [[nodiscard]] bool shows_bar() const { return shows_bar_; }
  /// Draws a bar over the one drawn before; nothing where none is shown. Not in the file.
  void bar(std::string const& text);
  /// Takes the bar away.
  void clear_bar();

 private:
  bool speaks_;
  bool quiet_;
  bool shows_bar_;
  bool bar_drawn_ = false;
  std::shared_ptr<spdlog::logger> file_;
};

}  // namespace isotherm
