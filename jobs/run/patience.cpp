#include "jobs/run/patience.hpp"

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

namespace isotherm {

namespace {

// Their order is that of WaitsFor.
constexpr std::array<std::string_view, 4> words{"i-works", "i-ranks", "i-device", "i-disk"};
constexpr double longest_shown_s = 999999.0;  // a thread's name has 15 letters
constexpr double without_anyone_to_blame = 3.0;
constexpr double part_that_others_wait = 0.5;  // of the patience: they began a little later

std::uint64_t bytes_in(std::string const& file) {
  std::ifstream lines(file);
  std::uint64_t all = 0;
  std::uint64_t bytes = 0;
  for (std::string word; lines >> word;) {
    if ((word == "rchar:" || word == "wchar:") && lines >> bytes) all += bytes;
  }
  return all;
}

/// On other ranks, or on a device, whose work may itself wait for other ranks.
bool waits(SinceThen const& standing) {
  return standing.what == WaitsFor::ranks || standing.what == WaitsFor::device;
}

bool has_waited(SeenStanding const& seen, double seconds) {
  return seen.condition == Condition::runs && seen.standing && waits(*seen.standing) &&
         seen.standing->seconds >= seconds;
}

/// A process that is stopped or gone.
bool is_away(SeenStanding const& seen, double patience_s) {
  return stands_still(seen.condition) && seen.still_s >= part_that_others_wait * patience_s;
}

/// A process that neither waits nor reads nor writes.
bool does_not_come(SeenStanding const& seen, double patience_s) {
  return seen.condition == Condition::runs && seen.standing &&
         seen.standing->what == WaitsFor::nothing && seen.standing->seconds >= patience_s;
}

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
  return fmt::format("{} {:.{}f}", words[static_cast<std::size_t>(standing.what)], seconds,
                     seconds < 1000.0 ? 1 : 0);
}

std::optional<SinceThen> from_a_thread_name(std::string_view name) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (!name.starts_with(words[i]) || name.size() < words[i].size() + 2) continue;
    name.remove_prefix(words[i].size() + 1);
    SinceThen standing{static_cast<WaitsFor>(i)};
    auto const [end, error] =
        std::from_chars(name.data(), name.data() + name.size(), standing.seconds);
    bool const whole = error == std::errc{} && end == name.data() + name.size();
    return whole ? std::optional(standing) : std::nullopt;
  }
  return std::nullopt;
}

std::optional<SinceThen> standing_of(int pid) {
  std::error_code gone;
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

std::uint64_t bytes_moved() {
  std::uint64_t const all = bytes_in("/proc/self/io");
  std::uint64_t const own = bytes_in(fmt::format("/proc/self/task/{}/io", ::syscall(SYS_gettid)));
  return all - std::min(own, all);
}

SinceThen OwnStanding::after(double seconds) {
  constexpr std::uint64_t least_bytes = 4096;  // libraries have threads that talk a little
  Standing const now = watched_standing();
  std::uint64_t const bytes = bytes_moved();
  bool const works_on_files =
      now.now == WaitsFor::nothing && bytes - std::min(bytes, bytes_) > least_bytes;
  bytes_ = bytes;
  bool const same = std::exchange(changes_, now.changes) == now.changes && !works_on_files;
  standing_ = {now.now, same ? standing_.seconds + seconds : 0.0};
  return standing_;
}

Verdict judge(std::vector<SeenStanding> const& seen, SinceThen const& own, double patience_s) {
  auto const is = [](Condition condition) {
    return [condition](SeenStanding const& one) { return one.condition == condition; };
  };
  if (!waits(own) || own.seconds < patience_s) return {};
  if (std::ranges::any_of(seen, is(Condition::traced))) return {};  // somebody is looking
  auto away = those_of(seen, [&](auto const& one) { return is_away(one, patience_s); });
  if (!away.empty()) return {true, std::move(away)};

  auto missing = those_of(seen, [&](auto const& one) { return does_not_come(one, patience_s); });
  auto const waiting = those_of(
      seen, [&](auto const& one) { return has_waited(one, part_that_others_wait * patience_s); });
  if (missing.size() + waiting.size() < seen.size()) return {};  // somebody gets on, or a disk does
  if (!missing.empty()) return {true, std::move(missing)};

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
