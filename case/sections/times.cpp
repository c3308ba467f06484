#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <string>

#include "case/sections/parts.hpp"
#include "kernels/core/number_text.hpp"
#include "kernels/core/text.hpp"
#include "solver/methods.hpp"

// Output times: snapshots at given physical times. Time steps are shortened to end exactly at them;
// lay_out_steps() does that for the times collected here.
//
//     [output]
//     snapshot_interval = 0.05            # t = 0.05, 0.1, 0.15, ...
//     snapshot_times    = [0.01, 0.25]    # and at these times
namespace isotherm {
namespace {

/// Maximum number of output times: each yields a file, and the series file lists all of them.
constexpr double max_times = 100'000.0;

/// Returns the advice for too many times.
std::string needs_fewer() { return fmt::format("(needs at most {:.0f})", max_times); }

/// Returns an upper bound for the end of the run. A run that counts its steps may end earlier,
/// since some steps are shortened.
double end_of(MethodSettings const& method) {
  return method.end_time_s.value_or(method.start_time_s +
                                    static_cast<double>(method.iterations) * method.time_step_s);
}

/// Returns n times the interval, rounded to 15 decimal digits. This removes rounding errors of
/// products of decimal numbers: 3 times 0.05 gives 0.15, not 0.15000000000000002.
double multiple(double interval_s, double n) {
  std::string const digits = fmt::format("{:.15g}", n * interval_s);
  double rounded = 0.0;
  (void)std::from_chars(digits.data(), digits.data() + digits.size(), rounded);
  return rounded;
}

/// Appends the multiples of `snapshot_interval` up to the end of the run. The count may be one too
/// small because of rounding, so one more multiple is tried.
void add_multiples(CaseSection const& output, MethodSettings const& method,
                   std::vector<double>& times) {
  double const interval_s = output.positive("snapshot_interval");
  double const end_s = end_of(method);
  double const before = std::floor(method.start_time_s / interval_s);
  double const count = std::floor(end_s / interval_s) - before;
  if (count > max_times) {
    output.fail("snapshot_interval",
                fmt::format("is {}, which gives {:.6g} files up to t = {} {}", shortest(interval_s),
                            count, shortest(end_s), needs_fewer()));
  }
  for (std::int64_t n = 1; static_cast<double>(n) <= count + 1.0; ++n) {
    double const time_s = multiple(interval_s, before + static_cast<double>(n));
    if (time_s > method.start_time_s && time_s <= end_s) times.push_back(time_s);
  }
}

/// Appends `snapshot_times`. Each must be positive and not after the end of the run.
void add_listed(CaseSection const& output, MethodSettings const& method,
                std::vector<double>& times) {
  auto const listed = output.numbers("snapshot_times");
  if (listed.empty()) output.fail("snapshot_times", "is empty (leave it out, or list times)");
  if (static_cast<double>(listed.size()) > max_times) {
    output.fail("snapshot_times", fmt::format("has {} entries {}", listed.size(), needs_fewer()));
  }
  double const end_s = end_of(method);
  for (double const time_s : listed) {
    // The first step may be as short as this time.
    bool const is_step = time_s - method.start_time_s >= std::numeric_limits<double>::min();
    if (!is_step || (time_s > end_s && !same_time(time_s, end_s))) {
      output.fail(
          "snapshot_times",
          fmt::format("contains {} (needs times above {} and up to the end of the run, t = {})",
                      shortest(time_s), six_digits(method.start_time_s), six_digits(end_s)));
    }
  }
  times.insert(times.end(), listed.begin(), listed.end());
}

/// Sorts the times and removes duplicates, and also the end of the run, at which a step ends in any
/// case.
void sort_and_deduplicate(std::vector<double>& times, std::optional<double> end_s) {
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end(), same_time), times.end());
  if (end_s) std::erase_if(times, [&](double time_s) { return same_time(time_s, *end_s); });
}

/// Requires that a run with a given number of steps reaches all listed times, although steps are
/// shortened.
void check_reached(CaseSection const& output, MethodSettings const& method) {
  if (method.end_time_s || !output.has("snapshot_times")) return;
  auto const listed = output.numbers("snapshot_times");
  double const last_s = *std::max_element(listed.begin(), listed.end());
  double const end_s = method.time_steps.time_of(method.iterations);
  if (last_s <= end_s || same_time(last_s, end_s)) return;
  output.fail("snapshot_times",
              fmt::format("contains {}, but the {} steps end at t = {}, since some are shortened "
                          "to meet the output times (give end_time instead of steps)",
                          six_digits(last_s), method.iterations, six_digits(end_s)));
}

}  // namespace

void read_times(CaseDocument const& document, MethodSettings& method) {
  CaseSection const output = document.section("output");
  if (!method_named(method.name).advances_time) {
    for (char const* const key : {"snapshot_interval", "snapshot_times"}) {
      output.refuse(key, "applies only to methods that advance time, and \"" + method.name +
                             "\" does not (use snapshot_every, which counts iterations)");
    }
    return;
  }
  if (output.has("snapshot_interval")) add_multiples(output, method, method.times_s);
  if (output.has("snapshot_times")) add_listed(output, method, method.times_s);
  sort_and_deduplicate(method.times_s, method.end_time_s);
  try {
    lay_out_steps(method);
  } catch (SettingError const& error) {
    document.section("method").fail(error.key(), error.fault());
  }
  check_reached(output, method);
}

}  // namespace isotherm
