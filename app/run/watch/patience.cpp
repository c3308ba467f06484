#include "app/run/watch/patience.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <sys/syscall.h>
#include <unistd.h>
#include <utility>

// Evidence is collected without communication: from /proc, and from the names that the watching
// threads of other processes give themselves.

namespace isotherm {

namespace {

/// Names of the states, in the order of WaitsFor.
constexpr std::array<std::string_view, 4> words{"i-works", "i-ranks", "i-device", "i-disk"};
constexpr double longest_shown_s = 999999.0;  // a thread's name has at most 15 characters
/// Multiple of the patience, if no rank can be blamed.
constexpr double without_anyone_to_blame = 3.0;
/// Share of the patience: other ranks began to wait a little later.
constexpr double part_that_others_wait = 0.5;

/// Reads the bytes read and written from a file such as /proc/self/io.
std::uint64_t bytes_in(std::string const& file) {
  std::ifstream lines(file);
  std::uint64_t all = 0;
  std::uint64_t bytes = 0;
  for (std::string word; lines >> word;) {
    if ((word == "rchar:" || word == "wchar:") && lines >> bytes) all += bytes;
  }
  return all;
}

/// Returns true if the rank waits for other ranks, or for a device, whose work may itself wait for
/// other ranks.
bool waits(SinceThen const& standing) {
  return standing.what == WaitsFor::ranks || standing.what == WaitsFor::device;
}

/// Returns true if a running process has waited for at least `seconds`.
bool has_waited(SeenStanding const& seen, double seconds) {
  return seen.condition == Condition::runs && seen.standing && waits(*seen.standing) &&
         seen.standing->seconds >= seconds;
}

/// Returns true if a process has been stopped or gone for long.
bool is_away(SeenStanding const& seen, double patience_s) {
  return stands_still(seen.condition) && seen.still_s >= part_that_others_wait * patience_s;
}

/// Returns true if a process has neither waited nor read or written files for long.
bool does_not_come(SeenStanding const& seen, double patience_s) {
  return seen.condition == Condition::runs && seen.standing &&
         seen.standing->what == WaitsFor::nothing && seen.standing->seconds >= patience_s;
}

/// Returns the ranks for which `rule` is true.
template <class Rule>
std::vector<SeenStanding> those_of(std::vector<SeenStanding> const& seen, Rule const& rule) {
  std::vector<SeenStanding> found;
  std::ranges::copy_if(seen, std::back_inserter(found), rule);
  return found;
}

}  // namespace

bool stands_still(Condition condition) {
  return condition != Condition::runs && condition != Condition::waits_for_device;
}

std::string in_a_thread_name(SinceThen const& standing) {
  double const seconds = std::min(standing.seconds, longest_shown_s);
  // Tenths of a second as long as the name has room for them.
  return fmt::format("{} {:.{}f}", words[static_cast<std::size_t>(standing.what)], seconds,
                     seconds < 1000.0 ? 1 : 0);
}

std::optional<SinceThen> from_a_thread_name(std::string_view name) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (!name.starts_with(words[i]) || name.size() < words[i].size() + 2) continue;
    // The word is followed by a blank and the seconds.
    name.remove_prefix(words[i].size() + 1);
    SinceThen standing{static_cast<WaitsFor>(i)};
    auto const [end, error] =
        std::from_chars(name.data(), name.data() + name.size(), standing.seconds);
    // Names of other programs' threads may begin with the same word.
    bool const whole = error == std::errc{} && end == name.data() + name.size();
    return whole ? std::optional(standing) : std::nullopt;
  }
  return std::nullopt;
}

std::optional<SinceThen> standing_of(int pid) {
  std::error_code gone;  // the process may end at any time
  auto const threads = std::filesystem::directory_iterator(fmt::format("/proc/{}/task", pid), gone);
  if (gone) return std::nullopt;
  for (auto thread = begin(threads); thread != end(threads); thread.increment(gone)) {
    std::ifstream file(thread->path() / "comm");
    std::string name;
    std::getline(file, name);
    if (auto const standing = from_a_thread_name(name)) return standing;
    if (gone) break;
  }
  return std::nullopt;
}

/// The difference of the process's and the calling thread's counters in /proc.
std::uint64_t bytes_moved() {
  std::uint64_t const all = bytes_in("/proc/self/io");
  // The calling thread reads /proc itself, which must not count as progress.
  std::uint64_t const own = bytes_in(fmt::format("/proc/self/task/{}/io", ::syscall(SYS_gettid)));
  return all - std::min(own, all);
}

SinceThen OwnStanding::after(double seconds) {
  constexpr std::uint64_t least_bytes = 4096;  // threads of libraries read and write a little
  Standing const now = watched_standing();
  std::uint64_t const bytes = bytes_moved();
  bool const works_on_files =
      now.now == WaitsFor::nothing && bytes - std::min(bytes, bytes_) > least_bytes;
  bytes_ = bytes;
  // A change of the counter means that a wait began or ended, even if the present state is the
  // same.
  bool const same = std::exchange(changes_, now.changes) == now.changes && !works_on_files;
  standing_ = {now.now, same ? standing_.seconds + seconds : 0.0};
  return standing_;
}

/// Applies the three rules of docs/reliability.md, the strongest evidence first.
Verdict judge(std::vector<SeenStanding> const& seen, SinceThen const& own, double patience_s) {
  auto const is = [](Condition condition) {
    return [condition](SeenStanding const& one) { return one.condition == condition; };
  };
  // Only a rank that waits itself may conclude that others do not answer.
  if (!waits(own) || own.seconds < patience_s) return {};
  if (std::ranges::any_of(seen, is(Condition::traced))) return {};  // somebody uses a debugger
  // First rule: a process that is stopped or gone cannot answer.
  auto away = those_of(seen, [&](auto const& one) { return is_away(one, patience_s); });
  if (!away.empty()) return {true, std::move(away)};

  // Second rule: every rank either waits or does nothing, and those that do nothing are blamed.
  auto missing = those_of(seen, [&](auto const& one) { return does_not_come(one, patience_s); });
  auto const waiting = those_of(
      seen, [&](auto const& one) { return has_waited(one, part_that_others_wait * patience_s); });
  // Some rank works, or waits for a disk.
  if (missing.size() + waiting.size() < seen.size()) return {};
  if (!missing.empty()) return {true, std::move(missing)};

  // Third rule: all wait for other ranks for much longer than the patience, so a message was lost
  // or a rank of another host hangs.
  bool const all_for_ranks = std::ranges::all_of(
      seen, [](auto const& one) { return one.standing->what == WaitsFor::ranks; });
  return {all_for_ranks && own.seconds >= without_anyone_to_blame * patience_s, {}};
}

std::optional<int> first_that_waits(std::vector<SeenStanding> const& seen) {
  for (SeenStanding const& one : seen) {
    if (has_waited(one, 0.0)) return one.rank;
  }
  return std::nullopt;
}

}  // namespace isotherm
