#include "app/run/report/run_report.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <string>
#include <system_error>

#include "app/run/report/page/report_page.hpp"
#include "app/run/report/page/write_report.hpp"
#include "case/basics/text/text.hpp"
#include "io/files/atomic_file.hpp"
#include "kernels/core/error.hpp"

namespace isotherm::app {

/// The other members keep their defaults, those of a failed run, until results replace them.
Summary blank_summary(mpi::Communicator const& ranks, PreparedRun const& run, Solver const& solver,
                      std::optional<ResumePoint> const& resumed_from) {
  Summary summary;
  summary.ranks = ranks.size();
  summary.shared_devices = run.shared_devices;
  summary.transport = solver.transport_description().text();
  summary.sweep = solver.plan();
  summary.resumed_from = resumed_from;
  summary.overrides = run.options.overrides;
  summary.regions = run.regions;
  return summary;
}

void describe_result(Solver& solver, FieldWriter& writer, Summary& summary) {
  summary.state = solver.state();
  summary.time_s = solver.time_s();
  summary.linear_iterations = solver.inner_iterations();
  summary.converged = solver.converged();
  summary.stalled = solver.stalled();
  summary.floating = solver.floating_conductors();
  summary.field = writer.statistics();
  summary.largest_drawn = writer.largest_drawn();
  summary.output = writer.counts();
  // Only the root has the list; it is empty on the other ranks.
  std::vector<SnapshotFile> const files = writer.files();
  if (!files.empty()) {
    // The whole field is required: a reduced snapshot cannot be resumed from.
    auto const last = std::find_if(files.rbegin(), files.rend(), [&](SnapshotFile const& file) {
      return file.info.iteration == summary.state.iteration && file.info.can_resume;
    });
    require(last != files.rend(), "the field of iteration " +
                                      std::to_string(summary.state.iteration) +
                                      ", the last one of the run, was not written");
    summary.final_file = last->path.filename().string();
    summary.checksum = last->info.checksum;
  }
}

/// The age shows the user how much of the computation would be lost.
std::string describe_newest_resumable(std::vector<SnapshotFile> const& files) {
  SnapshotFile const* const newest = newest_resumable(files);
  if (newest == nullptr) return "there is no file to resume from";
  std::string age;
  std::error_code unknown;
  auto const written = std::filesystem::last_write_time(newest->path, unknown);
  if (!unknown) {
    std::chrono::duration<double> const old =
        std::filesystem::file_time_type::clock::now() - written;
    // Clocks of file server and host may differ, so the age might be negative.
    age = ", " + format_seconds(std::max(old.count(), 0.0)) + " old";
  }
  return "the newest file to resume from is " + newest->path.filename().string() + age;
}

/// The list of files is made at the last moment, so it is complete.
void write_summary(PreparedRun const& run, OutputDirectory const& directory, Summary& summary) {
  auto const path = run.chosen.output.directory / "summary.json";
  // The list includes summary.json and the report, which do not exist yet.
  summary.files = {"summary.json"};
  if (writes_report(run.chosen)) summary.files.emplace_back(report_name);
  for (auto const& file : results_in(run.chosen.output.directory)) {
    if (file != path && file.filename() != report_name) {
      summary.files.push_back(file.filename().string());
    }
  }
  std::sort(summary.files.begin(), summary.files.end());
  // The lambda runs immediately before the file is renamed.
  write_file_atomically(path, to_json(run.chosen, run.plan, summary),
                        [&] { require_in_place(directory.lock, run.chosen.output.directory); });
}

bool writes_report(Case const& chosen) {
  return chosen.output.report && may_become_report(chosen.output.directory / report_name);
}

void write_run_report(PreparedRun const& run, OutputDirectory const& directory) {
  std::filesystem::path const& folder = run.chosen.output.directory;
  write_report(folder, folder / report_name, [&] { require_in_place(directory.lock, folder); });
}

}  // namespace isotherm::app
