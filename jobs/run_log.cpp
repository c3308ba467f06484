#include "jobs/run_log.hpp"

#include <cstdio>
#include <iostream>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/spdlog.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace isotherm {

namespace {

/// As much of a line as the terminal shows without starting another.
std::string cut_to_terminal(std::string const& text) {
  winsize size{};
  bool const known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
  return known ? text.substr(0, size.ws_col - 1U) : text;
}

}  // namespace

RunLog::RunLog(mpi::Communicator const& ranks, bool quiet)
    : speaks_(ranks.is_root()),
      quiet_(quiet),
      shows_bar_(speaks_ && !quiet && isatty(STDERR_FILENO) == 1) {}

RunLog::~RunLog() { clear_bar(); }

void RunLog::also_to(std::filesystem::path const& path) {
  if (!speaks_) {
    return;
  }
  try {
    auto sink = std::make_shared<spdlog::sinks::basic_file_sink_mt>(path.string());
    file_ = std::make_shared<spdlog::logger>("run", std::move(sink));
  } catch (spdlog::spdlog_ex const& failure) {
    throw Error(std::string("the log cannot be opened: ") + failure.what());
  }
  file_->set_pattern("%Y-%m-%d %H:%M:%S  %v");
  file_->flush_on(spdlog::level::info);
}

void RunLog::line(std::string const& text) {
  if (!speaks_) {
    return;
  }
  if (file_) {
    file_->info("{}", text);
  }
  if (!quiet_) {
    clear_bar();
    std::cout << text << std::endl;  // flushed: people follow it through pipes
  }
}

void RunLog::warning(std::string const& text) {
  if (!speaks_) {
    return;
  }
  if (file_) {
    file_->warn("warning: {}", text);
  }
  if (!quiet_) {
    clear_bar();
    std::cerr << "isotherm: warning: " << text << std::endl;
  }
}

void RunLog::error(std::string const& text) {
  clear_bar();
  if (file_) {
    file_->error("error: {}", text);
  }
}

void RunLog::bar(std::string const& text) {
  if (shows_bar_) {
    std::cerr << "\r\033[K" << cut_to_terminal(text) << std::flush;
    bar_drawn_ = true;
  }
}

void RunLog::clear_bar() {
  if (bar_drawn_) {
    std::cerr << "\r\033[K" << std::flush;
    bar_drawn_ = false;
  }
}

}  // namespace isotherm
