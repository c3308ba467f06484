#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "decomposition/ranks/mpi.hpp"

namespace spdlog {
class logger;
}

namespace isotherm::app {

/// The log of a run. It prints lines to the terminal, filtered by loudness. After also_to(), it
/// also writes all lines to a file, with date and time of day.
///
/// Only the root prints; on other ranks all calls do nothing. If the terminal or the file cannot be
/// written, this is reported once in the other one, and the run continues. Thread-safe. No member
/// is collective.
///
///   RunLog log(ranks, RunLog::Loudness::normal);
///   log.also_to(directory / "run.log");
///   log.line("starting");
///   log.warning("something is unusual");
class RunLog {
 public:
  /// The amount of output on the terminal.
  /// - quiet: only shortfalls, and a failure to write the log file
  /// - normal: also lines and warnings
  /// - verbose: also details of the execution
  enum class Loudness { quiet, normal, verbose };

  /// @param ranks  decides whether this rank is the root
  RunLog(mpi::Communicator const& ranks, Loudness loudness);
  /// Removes the bar.
  ~RunLog();
  RunLog(RunLog const&) = delete;
  RunLog& operator=(RunLog const&) = delete;

  /// Appends all further lines to the file `path`, too. Does nothing on ranks other than the root.
  /// @throws Error  if it cannot be opened
  void also_to(std::filesystem::path const& path);

  void line(std::string const& text);       ///< to standard output, unless quiet
  void shortfall(std::string const& text);  ///< like line(); if quiet, to standard error
  void detail(std::string const& text);     ///< to standard output if verbose
  void warning(std::string const& text);    ///< to standard error, after "warning: ", unless quiet
  void error(std::string const& text);      ///< to the file only: main() prints errors

  /// Returns true if standard error is a terminal that shows bars and the run is not quiet.
  [[nodiscard]] bool shows_bar() const { return shows_bar_; }
  /// Draws a bar in place of the last one; does nothing if no bar is shown. Not written to the
  /// file.
  void bar(std::string const& text);
  /// Removes the bar from the terminal.
  void clear_bar();
  /// Returns the warnings, at most the first hundred. Empty on ranks other than the root.
  [[nodiscard]] std::vector<std::string> warnings() const;
  /// Returns true if some line could not be written to standard output.
  [[nodiscard]] bool lost_output() const;

 private:
  // The callers of all functions below hold the mutex, except those of say().
  /// Removes the bar, if one is drawn.
  void erase_bar();
  /// Writes a line to the file, and prints it if the loudness is at least `minimum`.
  void say(std::string const& text, Loudness minimum);
  /// Prints a line to standard output.
  void print(std::string const& text);
  /// Writes a warning.
  void warn(std::string const& text);
  /// Reports that the file cannot be written.
  void complain_about_file(std::string const& reason);

  mutable std::mutex mutex_;  ///< guards all members below and the output itself
  bool speaks_;               ///< this rank is the root
  Loudness loudness_;
  bool shows_bar_;
  bool bar_drawn_ = false;                ///< a bar is on the terminal now
  bool lost_output_ = false;              ///< a line of standard output is lost
  bool lost_file_ = false;                ///< a line of the file is lost
  std::shared_ptr<spdlog::logger> file_;  ///< null before also_to()
  std::vector<std::string> warnings_{};   ///< the first ones
};

}  // namespace isotherm::app
