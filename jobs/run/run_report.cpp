#include "jobs/run/run_report.hpp"

#include <algorithm>
#include <string>

#include "io/files/atomic_file.hpp"
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

void describe_result(Solver& solver, FieldWriter const& writer, Summary& summary) {
  summary.state = solver.state();
  summary.time_s = solver.time_s();
  summary.converged = solver.converged();
  summary.stalled = solver.stalled();
  summary.field = writer.statistics();
  if (!writer.files().empty()) {
    auto const last = std::find_if(
        writer.files().begin(), writer.files().end(),
        [&](SnapshotFile const& file) { return file.info.iteration == summary.state.iteration; });
    require(last != writer.files().end(), "the field of iteration " +
                                              std::to_string(summary.state.iteration) +
                                              ", at which the run has ended, was not written");
    summary.final_file = last->path.filename().string();
    summary.checksum = last->info.checksum;
  }
}

void write_summary(PreparedRun const& run, Summary& summary) {
  auto const path = run.chosen.output.directory / "summary.json";
  summary.files = {"summary.json"};
  for (auto const& file : results_in(run.chosen.output.directory)) {
    if (file != path) {
      summary.files.push_back(file.filename().string());
    }
  }
  std::sort(summary.files.begin(), summary.files.end());
  write_file_atomically(path, to_json(run.chosen, run.plan, summary));
}

}  // namespace isotherm
