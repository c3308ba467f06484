#include "app/machine/tuning/remembered_plans.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <tuple>

#include "case/basics/text/text.hpp"
#include "kernels/core/queue/queue.hpp"

namespace isotherm::app {

namespace {

/// Returns the user's directory for data that can be made again; empty if there is none.
std::filesystem::path cache_directory() {
  char const* const cache = std::getenv("XDG_CACHE_HOME");
  // The XDG specification ignores relative paths.
  if (cache != nullptr && std::filesystem::path(cache).is_absolute()) return cache;
  char const* const home = std::getenv("HOME");
  return home == nullptr || *home == '\0' ? std::filesystem::path()
                                          : std::filesystem::path(home) / ".cache";
}

/// Returns the name of a device with hyphens in place of all other signs than letters and digits.
std::string file_name_of(std::string name) {
  for (char& sign : name) {
    if (std::isalnum(static_cast<unsigned char>(sign)) == 0) sign = '-';
  }
  return name;
}

/// Returns everything that distinguishes rows, apart from their plans.
auto kind_of(PlanRow const& row) {
  return std::tuple(row.backend, row.device, row.dimension, row.precision, row.fixed, row.source,
                    row.heterogeneous, row.min_points);
}

}  // namespace

std::string measured_device(Backend backend, std::string const& device) {
  if (backend != Backend::cpu) return device;
  return device + " with " + format_count(cpu_threads(), "thread");
}

std::filesystem::path remembered_file(std::string const& device) {
  std::filesystem::path const cache = cache_directory();
  if (cache.empty()) return {};
  return cache / "isotherm" / "plans" / (file_name_of(device) + ".toml");
}

std::int64_t class_of(std::int64_t points) {
  std::int64_t least = 1;
  while (points / 8 >= least) least *= 8;
  return least;
}

PlanRow remembered_row(SweepSubject const& subject, std::string const& device) {
  PlanRow row;
  row.backend = subject.backend;
  row.device = device;
  row.dimension = subject.dimension;
  row.precision = subject.precision;
  row.fixed = subject.fixed;
  row.source = subject.source;
  row.heterogeneous = subject.heterogeneous;
  row.min_points = class_of(subject.extent.x * subject.extent.y * subject.extent.z);
  return row;
}

PlanTable rows_for(PlanTable const& rows, PlanRow const& wanted) {
  PlanTable found;
  std::ranges::copy_if(rows, std::back_inserter(found),
                       [&](PlanRow const& row) { return kind_of(row) == kind_of(wanted); });
  return found;
}

void add_remembered(PlanTable& rows, PlanTable const& more) {
  rows.insert(rows.end(), more.begin(), more.end());
  std::ranges::stable_sort(rows, std::ranges::greater{}, &PlanRow::min_points);
}

}  // namespace isotherm::app
