#include "app/run/report/timeline_file.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <fmt/format.h>
#include <fstream>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>
#include <vector>

#include "case/basics/text/wording.hpp"
#include "decomposition/ranks/collective_errors.hpp"
#include "decomposition/ranks/host_name.hpp"
#include "io/files/atomic_file.hpp"

namespace isotherm::app {

namespace {

/// The begin of every file.
constexpr std::string_view heading = R"({"displayTimeUnit":"ms","traceEvents":[)";

/// Numbers of a rank's threads in the trace: those of the host begin with host_line.
constexpr int host_line = 1;
constexpr int device_line = 1001;
constexpr int device_halo_line = 1002;

/// Returns the name of a thread of the trace.
std::string name_of_line(int line) {
  if (line == device_line) return "GPU";
  if (line == device_halo_line) return "GPU, halo";
  return line == host_line ? "host" : fmt::format("host, thread {}", line - host_line);
}

/// Appends a range. Traces have times in microseconds.
void append_range(std::string& text, char const* name, int rank, int line, double begin_s,
                  double end_s) {
  fmt::format_to(std::back_inserter(text),
                 R"({{"name":"{}","ph":"X","pid":{},"tid":{},"ts":{:.3f},"dur":{:.3f}}},)"
                 "\n",
                 name, rank, line, begin_s * 1e6, (end_s - begin_s) * 1e6);
}

/// Appends the name of a process ("process_name") or of a thread ("thread_name").
void append_name(std::string& text, char const* what, int rank, int line, std::string const& name) {
  fmt::format_to(std::back_inserter(text),
                 R"({{"name":"{}","ph":"M","pid":{},"tid":{},"args":{{"name":{}}}}},)"
                 "\n",
                 what, rank, line, nlohmann::json(name).dump());
}

/// Returns a moment that is the same for all ranks of a host, and the same for all hosts up to the
/// duration of a barrier. Collective.
Moment common_start(mpi::Communicator const& ranks) {
  ranks.barrier();
  // Ranks of a host read the same clock. A rank that shares its core may leave the barrier late.
  Moment::rep first = std::chrono::steady_clock::now().time_since_epoch().count();
  std::string const mine = host_name() + ' ';
  for (std::string const& other : ranks.all_gather(mine + std::to_string(first))) {
    if (other.starts_with(mine)) first = std::min(first, std::stol(other.substr(mine.size())));
  }
  return Moment(Moment::duration(first));
}

/// Gathers the events of all ranks and writes the file. Collective.
void write_timeline(mpi::Communicator const& ranks, std::filesystem::path const& file,
                    Timeline const& timeline, std::int64_t omitted) {
  std::string events;
  rethrow_on_all_ranks(ranks, [&] { events = trace_events(ranks.rank(), host_name(), timeline); });
  std::vector<std::string> const all = ranks.gather(events);
  on_root(ranks, [&] {
    std::string text(heading);
    for (std::string const& some : all) text.append("\n").append(some, 0, some.size() - 1);
    text.pop_back();  // the comma after the last event
    text +=
        fmt::format("\n],\"otherData\":{{\"ranks\":{},\"omitted\":{}}}}}\n", ranks.size(), omitted);
    try {
      write_file_atomically(file, text);
    } catch (Error const& failure) {
      throw Error(std::string("the run has ended, but its timeline could not be written: ") +
                      failure.what(),
                  failure.place());
    }
  });
}

/// Prints the name of the file, and a warning if it is incomplete.
void report_timeline(std::filesystem::path const& file, std::int64_t omitted,
                     std::int64_t maximum) {
  std::cout << fmt::format("{:14}{}", "timeline", visible(file.string())) << std::endl;
  if (omitted == 0) return;
  std::cerr
      << fmt::format(
             "isotherm: warning: the last {} ranges are missing in {} (a rank has at most {}; "
             "set fewer iterations)\n",
             omitted, visible(file.string()), maximum)
      << std::flush;
}

}  // namespace

void check_timeline_file(mpi::Communicator const& ranks, std::filesystem::path const& file) {
  on_root(ranks, [&] {
    if (!std::filesystem::exists(file)) return;
    std::array<char, heading.size()> begin{};
    std::ifstream(file).read(begin.data(), begin.size());
    if (std::string_view(begin.data(), begin.size()) == heading) return;
    throw InputError("--timeline: " + file.string() +
                     " exists and is not a timeline (choose another name, or remove the file)");
  });
}

std::int64_t maximum_ranges(int ranks) {
  constexpr std::int64_t for_all = 1'000'000;
  return std::clamp<std::int64_t>(for_all / ranks, 100, 50'000);
}

std::string trace_events(int rank, std::string const& host, Timeline const& timeline) {
  std::string text;
  append_name(text, "process_name", rank, host_line, fmt::format("rank {} on {}", rank, host));
  std::set<int> lines;
  for (TimelineRange const& range : timeline.ranges) {
    int const line = host_line + range.thread;
    append_range(text, range.name, rank, line, range.begin_s, range.end_s);
    lines.insert(line);
    if (!range.is_on_device) continue;
    // Halo exchanges may overlap with sweeps, and viewers show only ranges that nest.
    int const on_device = std::string_view(range.name) == "halo" ? device_halo_line : device_line;
    append_range(text, range.name, rank, on_device, range.device_begin_s, range.device_end_s);
    lines.insert(on_device);
  }
  for (int const line : lines) append_name(text, "thread_name", rank, line, name_of_line(line));
  return text;
}

int with_timeline(mpi::Communicator const& ranks, TimelineOptions const& options,
                  std::function<int()> const& work) {
  std::int64_t const maximum = maximum_ranges(ranks.size());
  Moment const start = common_start(ranks);
  rethrow_on_all_ranks(ranks, [&] { start_timeline(maximum, start); });
  int const code = work();
  Timeline timeline;
  rethrow_on_all_ranks(ranks, [&] { timeline = end_timeline(); });
  std::int64_t const omitted = ranks.sum(timeline.omitted);
  write_timeline(ranks, options.file, timeline, omitted);
  if (ranks.is_root() && !options.quiet) report_timeline(options.file, omitted, maximum);
  return code;
}

}  // namespace isotherm::app
