#include "jobs/run/watch.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <fstream>
#include <iostream>
#include <limits>
#include <sstream>
#include <unistd.h>

#include "decomposition/ranks/host_name.hpp"
#include "decomposition/ranks/together.hpp"
#include "jobs/basics/text.hpp"
#include "jobs/basics/wording.hpp"

namespace isotherm {

namespace {

constexpr double default_patience_s = 30.0;
constexpr double most_patience_s = 1e9;  // 30 years, which a clock can still wait for
constexpr double looks_per_patience = 8.0;
constexpr double longer_than_before = 3.0;  // as long as legitimate steps have been: no news
constexpr std::size_t most_named = 8;       // ranks in one line

double patience_from_environment() {
  char const* const text = std::getenv("ISOTHERM_PATIENCE_S");
  if (text == nullptr) return default_patience_s;
  double seconds = 0.0;
  std::string_view const all = text;
  auto const [end, error] = std::from_chars(all.data(), all.data() + all.size(), seconds);
  if (error != std::errc{} || end != all.data() + all.size() || !std::isfinite(seconds) ||
      seconds < 0.0) {
    throw InputError(fmt::format(
        "ISOTHERM_PATIENCE_S=\"{}\" in the environment is not a number of seconds, 0 or more",
        all));
  }
  return std::min(seconds, most_patience_s);
}

Condition condition_of(std::optional<ProcessState> const& state, std::uint64_t started) {
  if (!state || state->started != started) return Condition::ended;
  switch (state->letter) {
    case 'Z':
    case 'X':
      return Condition::ended;
    case 'T':
      return Condition::stopped;
    case 't':
      return Condition::traced;
    case 'D':
      return Condition::waits_for_device;
    default:
      return Condition::runs;
  }
}

/// Why others may wait for a rank; nothing where it runs.
char const* describe(Condition condition) {
  switch (condition) {
    case Condition::ended:
      return "has ended";
    case Condition::stopped:
      return "is stopped";
    case Condition::traced:
      return "is held by a debugger";
    case Condition::waits_for_device:
      return "waits for a disk, a file server or a device";
    case Condition::runs:
      break;
  }
  return nullptr;
}

}  // namespace

std::optional<ProcessState> process_state(int pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string text;
  std::getline(file, text, '\0');
  auto const name_end = text.rfind(')');  // a process may have any name
  if (name_end == std::string::npos) return std::nullopt;
  std::istringstream fields(text.substr(name_end + 1));
  ProcessState state;
  fields >> state.letter;
  std::string skipped;
  for (int field = 4; field < 22; ++field) {  // counted as in proc(5)
    fields >> skipped;
  }
  fields >> state.started;
  return fields ? std::optional(state) : std::nullopt;
}

bool stands_still(SeenRank const& seen) {
  return seen.condition != Condition::runs && seen.condition != Condition::waits_for_device;
}

News news_of(Silence const& silence, std::vector<SeenRank> const& seen, double usual_s) {
  bool found = false;
  for (SeenRank const& one : seen) {
    if (!stands_still(one)) continue;
    if (!silence.named.contains({one.rank, one.condition})) return News::waiting;
    found = true;
  }
  bool const too_long = !found && !silence.mentioned && silence.seconds > usual_s;
  return too_long ? News::no_progress : News::none;
}

Silence after_speaking(Silence silence, std::vector<SeenRank> const& seen) {
  silence.mentioned = true;
  for (SeenRank const& one : seen) {
    if (stands_still(one)) {
      silence.named.insert({one.rank, one.condition});
    }
  }
  return silence;
}

Watch::Watch(mpi::Communicator const& ranks, RunLog& log)
    : log_(log), is_root_(ranks.is_root()), host_(host_name()) {
  on_root(ranks, [&] { patience_s_ = patience_from_environment(); });
  patience_s_ = ranks.max(patience_s_);  // the others have 0
  if (patience_s_ > 0.0 && ranks.size() > 1) {
    gather_processes(ranks);
    start(ranks.local_rank());
  }
}

Watch::~Watch() {
  {
    std::lock_guard const lock(mutex_);
    ends_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) {
    thread_.join();
  }
}

void Watch::progress(std::int64_t iteration) {
  iteration_ = iteration;
  ++beats_;
}

/// All ranks' processes, and of them those that can be seen from here: by their host's name alone,
/// another container's processes would be taken for them.
void Watch::gather_processes(mpi::Communicator const& ranks) {
  auto const self = process_state(getpid()).value_or(ProcessState{});
  std::vector<std::string> const hosts = ranks.all_gather(host_);
  std::vector<std::string> const identities =
      ranks.all_gather(fmt::format("{} {}", getpid(), self.started));
  for (int rank = 0; rank < ranks.size(); ++rank) {
    Process process{rank, 0, 0};
    std::istringstream(identities[static_cast<std::size_t>(rank)]) >> process.pid >>
        process.started;
    std::string const& host = hosts[static_cast<std::size_t>(rank)];
    several_hosts_ = several_hosts_ || host != host_;
    auto const state = host == host_ ? process_state(process.pid) : std::nullopt;
    if (state && state->started == process.started) {
      processes_.push_back(process);
    }
  }
}

void Watch::start(int local_rank) {
  if (local_rank < 2) {
    thread_ = std::thread([this] {
      try {
        watch();
      } catch (std::exception const& error) {  // no reason to end a run
        speak(std::string("nobody watches the ranks any more: ") + error.what());
      }
    });
  }
}

/// Counts its own looks rather than look at a clock: while this process is stopped itself, no time
/// passes for it.
void Watch::watch() {
  auto const interval = std::chrono::duration<double>(patience_s_ / looks_per_patience);
  std::int64_t seen = beats_;
  Silence silence;
  std::unique_lock lock(mutex_);
  while (!wake_.wait_for(lock, interval, [this] { return ends_; })) {
    if (std::int64_t const beats = beats_; beats != seen) {
      seen = beats;
      end(silence);
    } else {
      silence.seconds += interval.count();
      look(silence);
    }
  }
}

void Watch::look(Silence& silence) {
  if (silence.seconds < patience_s_) return;
  std::vector<SeenRank> const seen = see_ranks();
  if (!speaks(seen)) return;
  double const usual_s =
      is_root_ ? longer_than_before * longest_s_ : std::numeric_limits<double>::infinity();
  News const news = news_of(silence, seen, usual_s);
  if (news == News::none) return;
  speak(fmt::format("{} for {}, since {}: {}", news == News::waiting ? "waiting" : "no progress",
                    format_seconds(silence.seconds), since(), notes_on(seen)));
  silence = after_speaking(silence, seen);
}

void Watch::end(Silence& silence) {
  longest_s_ = std::max(longest_s_, silence.named.empty() ? silence.seconds : 0.0);
  if (silence.mentioned) {
    speak("it goes on after " + format_seconds(silence.seconds));
  }
  silence = {};
}

/// Only the root has the log.
void Watch::speak(std::string const& text) {
  if (is_root_) {
    log_.warning(text);
  } else {
    std::cerr << "isotherm: warning: " + text + "\n" << std::flush;
  }
}

/// All at one moment, so that what is said of them agrees.
std::vector<SeenRank> Watch::see_ranks() const {
  std::vector<SeenRank> seen;
  for (Process const& process : processes_) {
    seen.push_back(
        {process.rank, process.pid, condition_of(process_state(process.pid), process.started)});
  }
  return seen;
}

/// The first rank of a host, or the second while that one cannot.
bool Watch::speaks(std::vector<SeenRank> const& seen) const {
  if (seen.empty()) return is_root_;
  return seen.front().pid == getpid() || stands_still(seen.front());
}

/// A run may have to read its values before it knows its iteration.
std::string Watch::since() const {
  std::int64_t const iteration = iteration_;
  return iteration == not_yet ? "the start" : fmt::format("iteration {}", iteration);
}

/// "rank 2 (pid 4711 on node3) is stopped", or that there is nothing to be seen.
std::string Watch::notes_on(std::vector<SeenRank> const& seen) const {
  std::vector<std::string> notes;
  for (SeenRank const& one : seen) {
    char const* const note = describe(one.condition);
    if (note == nullptr) continue;
    if (notes.size() == most_named) {
      return join(notes) + " and more";
    }
    notes.push_back(fmt::format("rank {} (pid {} on {}) {}", one.rank, one.pid, host_, note));
  }
  if (!notes.empty()) return join(notes);
  return fmt::format("no rank on {} is stopped{}; a step may take long", host_,
                     several_hosts_ ? ", other hosts cannot be seen from here" : "");
}

}  // namespace isotherm
