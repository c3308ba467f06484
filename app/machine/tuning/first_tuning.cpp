#include "app/machine/tuning/first_tuning.hpp"

#include <algorithm>
#include <exception>
#include <filesystem>
#include <fmt/format.h>

#include "app/machine/plan_file.hpp"
#include "app/machine/tuning/plan_timing.hpp"
#include "app/machine/tuning/remembered_plans.hpp"
#include "case/basics/elapsed.hpp"
#include "case/basics/text/text.hpp"
#include "case/basics/text/text_file.hpp"
#include "decomposition/ranks/collective_errors.hpp"
#include "io/files/atomic_file.hpp"

namespace isotherm::app {

namespace {

/// Seconds after which no further plan is measured.
constexpr double budget_s = 10.0;
/// Updates of points below which a run is not worth a measurement: a few seconds of a GPU.
constexpr double worthwhile_updates = 2e11;

/// Returns true if the plans have to be measured.
bool must_measure(TuningRequest const& request, PlanTable const& rows, PlanRow const& row) {
  // Kernels with variable coefficients have a single plan that is faster than the plain one.
  if (request.subject.heterogeneous || !rows_for(rows, row).empty()) return false;
  if (request.wanted) return *request.wanted;
  return !is_known_generation(request.subject.backend, request.device) &&
         request.point_updates >= worthwhile_updates;
}

/// Returns the rows of a file that name plans of this device.
PlanTable rows_of(std::string const& text, std::string const& file, TuningRequest const& request) {
  PlanTable rows;
  for (PlanFileRow const& row : parse_plan_table(text, file)) {
    // Another version of the program may have had other plans.
    if (unknown_plan(row, request.subject.backend, request.device).empty()) rows.push_back(row.row);
  }
  return rows;
}

/// Returns the text of a file of remembered plans.
std::string text_of(PlanTable const& rows, std::string const& device) {
  std::string text =
      "# The fastest plans for sweeps on " + device +
      ", as measured before a run.\n# Runs on this device use them. If this file is removed, they "
      "are measured again.\n";
  for (PlanRow const& row : rows) text += "\n" + to_toml(row, "");
  return text;
}

/// Measures the plans, and adds the fastest to `known` and to the file.
void measure(TuningRequest const& request, PlanRow row, KnownPlans& known) {
  Elapsed const elapsed;
  std::vector<TimedPlan> const timed =
      time_plans(mpi::Communicator::self(), request.subject, budget_s);
  if (timed.empty()) return;
  PlanTable fastest;
  for (TimedPlan const& one : plans_to_remember(timed)) {
    row.plan = one.plan.name;
    fastest.push_back(row);
  }
  add_remembered(known.rows, fastest);
  known.measured = fmt::format("{} in {}: {} is the fastest, {:.3g} GCell/s",
                               format_count(static_cast<long long>(timed.size()), "plan"),
                               format_seconds(elapsed.seconds()), timed.front().plan.name,
                               timed.front().points_per_second * 1e-9);
  if (known.file.empty()) return;
  std::string const device = measured_device(request.subject.backend, request.device.name);
  try {
    std::filesystem::create_directories(std::filesystem::path(known.file).parent_path());
    write_file_atomically(known.file, text_of(known.rows, device));
    known.measured += "; remembered in " + known.file;
  } catch (std::exception const& error) {
    known.warnings.push_back(std::string("the measured plans are not remembered: ") + error.what());
  }
}

/// Reads the file of the device, and measures what is not in it. On the root.
KnownPlans find_plans(TuningRequest const& request) {
  KnownPlans known;
  known.file =
      remembered_file(measured_device(request.subject.backend, request.device.name)).string();
  std::error_code unreadable;
  if (!known.file.empty() && std::filesystem::exists(known.file, unreadable)) {
    try {
      known.rows = rows_of(read_text_file(known.file, "a plan table"), known.file, request);
    } catch (InputError const& error) {
      known.warnings.push_back(std::string("ignored: ") + error.what());
    }
  }
  PlanRow const row = remembered_row(request.subject, request.device.name);
  if (must_measure(request, known.rows, row)) measure(request, row, known);
  // The file holds all classes of sizes. A plan of another one may be slow.
  known.rows = rows_for(known.rows, row);
  return known;
}

}  // namespace

bool is_known_generation(Backend backend, DeviceInfo const& device) {
  return backend == Backend::cpu || device.compute_capability == 90;
}

KnownPlans known_plans(mpi::Communicator const& ranks, TuningRequest const& request) {
  KnownPlans known;
  on_root(ranks, [&] { known = find_plans(request); });
  known.file = ranks.broadcast(known.file);
  known.measured = ranks.broadcast(known.measured);
  std::string const text = ranks.broadcast(text_of(known.rows, ""));
  rethrow_on_all_ranks(ranks, [&] { known.rows = rows_of(text, known.file, request); });
  return known;
}

}  // namespace isotherm::app
