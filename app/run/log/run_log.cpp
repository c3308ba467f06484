#include "app/run/log/run_log.hpp"

#include <cerrno>
#include <cstdio>
#include <iostream>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/spdlog.h>
#include <sys/ioctl.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "case/basics/terminal.hpp"
#include "case/basics/text/wording.hpp"

// Each line goes to two places: to the terminal, filtered by loudness, and to the file, unfiltered.
// A bar on standard error is erased before a line is printed, so both never mix.

namespace isotherm::app {

namespace {

/// Shortens a line to the width of the terminal, so that it does not wrap. The line is cut at a
/// comma, so no part of it is shown incompletely.
std::string cut_to_terminal(std::string const& text) {
  winsize size{};
  bool const known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
  if (!known || text.size() < size.ws_col) return text;
  auto const comma = text.rfind(", ", size.ws_col - 1U);
  return text.substr(0, comma == std::string::npos ? size.ws_col - 1U : comma);
}

}  // namespace

/// Bars are drawn on standard error, so they are shown only if that is a suitable terminal.
RunLog::RunLog(mpi::Communicator const& ranks, Loudness loudness)
    : speaks_(ranks.is_root()),
      loudness_(loudness),
      shows_bar_(speaks_ && loudness != Loudness::quiet && takes_escapes(STDERR_FILENO)) {}

RunLog::~RunLog() { clear_bar(); }

void RunLog::also_to(std::filesystem::path const& path) {
  if (!speaks_) {  // only the root has a log
    return;
  }
  std::lock_guard const lock(mutex_);
  try {
    auto sink = std::make_shared<spdlog::sinks::basic_file_sink_mt>(path.string());
    file_ = std::make_shared<spdlog::logger>("run", std::move(sink));
  } catch (spdlog::spdlog_ex const& failure) {
    throw Error(std::string("cannot open the log: ") + failure.what());
  }
  // Date, time of day, text.
  file_->set_pattern("%Y-%m-%d %H:%M:%S  %v");
  // Flushed with every line, since the run may be killed at any time.
  file_->flush_on(spdlog::level::info);
  // spdlog does not throw if a line cannot be written; it calls this function.
  file_->set_error_handler([this](std::string const& reason) { complain_about_file(reason); });
}

void RunLog::line(std::string const& text) { say(text, Loudness::normal); }

/// A quiet run that does not reach its goal still explains why its exit code is not 0.
void RunLog::shortfall(std::string const& text) {
  line(text);
  if (!speaks_ || loudness_ != Loudness::quiet) return;
  std::lock_guard const lock(mutex_);
  std::cerr << "isotherm: " << visible(one_line(text, 500)) << std::endl;
  std::cerr.clear();  // the next line may be written again
}

void RunLog::detail(std::string const& text) { say(text, Loudness::verbose); }

/// Every line is written to the file. The terminal shows it only if the loudness of the log is at
/// least `minimum`.
void RunLog::say(std::string const& text, Loudness minimum) {
  if (!speaks_) {
    return;
  }
  std::lock_guard const lock(mutex_);
  if (file_) {
    // The loudness does not matter here. visible() escapes control characters.
    file_->info("{}", visible(text));
  }
  if (loudness_ >= minimum) {
    erase_bar();
    print(text);
  }
}

void RunLog::warning(std::string const& text) {
  if (!speaks_) {
    return;
  }
  std::lock_guard const lock(mutex_);
  constexpr std::size_t max_warnings = 100;
  if (warnings_.size() < max_warnings) warnings_.push_back(text);
  warn(text);
}

std::vector<std::string> RunLog::warnings() const {
  std::lock_guard const lock(mutex_);
  return warnings_;
}

/// May be called on any rank: without a file it only erases the bar.
void RunLog::error(std::string const& text) {
  std::lock_guard const lock(mutex_);
  erase_bar();
  if (file_) {
    file_->error("error: {}", visible(text));
  }
}

void RunLog::bar(std::string const& text) {
  if (shows_bar_) {
    std::lock_guard const lock(mutex_);
    // Carriage return and "erase to the end of the line" (ECMA-48).
    std::cerr << "\r\033[K" << cut_to_terminal(text) << std::flush;
    bar_drawn_ = true;
  }
}

void RunLog::clear_bar() {
  std::lock_guard const lock(mutex_);
  erase_bar();
}

bool RunLog::lost_output() const {
  std::lock_guard const lock(mutex_);
  return lost_output_;
}

/// @pre The caller holds the mutex.
void RunLog::erase_bar() {
  if (bar_drawn_) {
    std::cerr << "\r\033[K" << std::flush;
    bar_drawn_ = false;
  }
}

/// A failure to print does not end the run: the file has the same lines.
void RunLog::print(std::string const& text) {
  // Streams do not report the reason of a failure, but errno usually has it.
  errno = 0;
  std::cout << visible(text) << std::endl;  // flushed, since users follow it through pipes
  if (std::cout.good()) {
    return;
  }
  std::string const reason = std::generic_category().message(errno != 0 ? errno : EIO);
  std::cout.clear();  // the next line may be written again
  if (!std::exchange(lost_output_, true)) {
    warn("cannot write to standard output: " + reason);
  }
}

/// @pre The caller holds the mutex.
void RunLog::warn(std::string const& text) {
  if (file_) {
    file_->warn("warning: {}", visible(text));
  }
  if (loudness_ != Loudness::quiet) {
    erase_bar();
    std::cerr << "isotherm: warning: " << visible(text) << std::endl;
    std::cerr.clear();
  }
}

/// Reported once, and even by a quiet run, since there is no other place to report it.
void RunLog::complain_about_file(std::string const& reason) {
  if (!std::exchange(lost_file_, true)) {
    erase_bar();
    std::cerr << "isotherm: warning: cannot write to the log: " << reason << std::endl;
  }
}

}  // namespace isotherm::app
