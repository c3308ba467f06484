#include "jobs/run/run_report.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <string>
#include <system_error>

#include "io/files/atomic_file.hpp"
#include "jobs/basics/text.hpp"
#include "kernels/core/error.hpp"

namespace isotherm {

Summary blank_summary(mpi::Communicator const& ranks, PreparedRun const& run, Solver const& solver,
                      std::optional<ResumePoint> const& resumed_from) {
  Summary summary;
  summary.ranks = ranks.size();
  summary.shared_devices = run.shared_devices;
  summary.transport = solver.transport_name();
  summary.sweep = solver.plan();
  summary.resumed_from = resumed_from;
  return summary;
}

void describe_result(Solver& solver, FieldWriter& writer, Summary& summary) {
  summary.state = solver.state();
  summary.time_s = solver.time_s();
  summary.converged = solver.converged();
  summary.stalled = solver.stalled();
  summary.field = writer.statistics();
  summary.output = writer.counts();
  std::vector<SnapshotFile> const files = writer.files();
  if (!files.empty()) {
    auto const last = std::find_if(files.rbegin(), files.rend(), [&](SnapshotFile const& file) {
      return file.info.iteration == summary.state.iteration && file.info.can_resume;
    });
    require(last != files.rend(), "the field of iteration " +
                                      std::to_string(summary.state.iteration) +
                                      ", at which the run has ended, was not written");
    summary.final_file = last->path.filename().string();
    summary.checksum = last->info.checksum;
  }
}

std::string say_newest_to_go_on_from(std::vector<SnapshotFile> const& files) {
  SnapshotFile const* const newest = newest_to_go_on_from(files);
  if (newest == nullptr) return "there is no file to go on from";
  std::string age;
  std::error_code unknown;
  auto const written = std::filesystem::last_write_time(newest->path, unknown);
  if (!unknown) {
    std::chrono::duration<double> const old =
        std::filesystem::file_time_type::clock::now() - written;
    age = ", " + format_seconds(std::max(old.count(), 0.0)) + " old";
  }
  return "the newest file to go on from is " + newest->path.filename().string() + age;
}

void write_summary(PreparedRun const& run, OutputDirectory const& directory, Summary& summary) {
  auto const path = run.chosen.output.directory / "summary.json";
  summary.files = {"summary.json"};
  for (auto const& file : results_in(run.chosen.output.directory)) {
    if (file != path) {
      summary.files.push_back(file.filename().string());
    }
  }
  std::sort(summary.files.begin(), summary.files.end());
  write_file_atomically(path, to_json(run.chosen, run.plan, summary),
                        [&] { require_in_place(directory.lock, run.chosen.output.directory); });
}

}  // namespace isotherm
