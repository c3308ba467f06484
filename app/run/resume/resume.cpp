#include "app/run/resume/resume.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "app/run/resume/solver_state.hpp"
#include "case/basics/text/wording.hpp"
#include "decomposition/ranks/collective_errors.hpp"
#include "kernels/core/number_text.hpp"
#include "kernels/core/precision.hpp"

// Files are judged twice: by their descriptions before anything is allocated (resume_points), and
// by their values when these are read (load_newest). Damage found in the first case removes a file
// from the list; in the second the next older file is tried.

namespace isotherm::app {

namespace {

/// Joins the first differences for a message, and counts the others.
std::string first_of(std::vector<std::string> const& differences) {
  constexpr std::size_t maximum = 3;
  std::vector<std::string> shown = differences;
  if (shown.size() <= maximum) return join(shown, "; ");
  shown.resize(maximum);
  return join(shown, "; ") + fmt::format(" (and {} more)", differences.size() - maximum);
}

/// Checks that a run of `chosen` can resume from `file`, judged by its description.
/// @throws InputError  if it cannot
void check_file(Case const& chosen, SnapshotFile const& file) {
  std::string const name = file.path.string();
  // For example a reduced snapshot; the file itself contains the reason.
  if (!file.info.can_resume) {
    throw InputError(name +
                     " cannot be resumed from: " + one_line(file.info.reason_not_resumable, 200));
  }
  (void)solver_state_of(file);  // throws if the state is damaged
  auto const differences = fingerprint_differences(chosen.fingerprint, file.info.fingerprint);
  if (!differences.empty()) {
    // If only the time step differs, the message names the one to set.
    std::string const step = time_step_to_resume(chosen, file.info.fingerprint);
    throw InputError(
        name + " belongs to another problem: " + first_of(differences) +
        (step.empty() ? "" : " (to resume from it, write into [method] " + step + ')'));
  }
  // With an end time, the number of steps is not yet known: they are laid out after this check.
  std::optional<double> const end_s = chosen.method.end_time_s;
  if (end_s && file.info.time_s > *end_s && !same_time(file.info.time_s, *end_s)) {
    throw InputError(fmt::format("{} is at t = {}, after the end_time of the case, {}", name,
                                 six_digits(file.info.time_s), six_digits(*end_s)));
  }
  std::int64_t const last = end_s ? max_iterations : chosen.method.iterations;
  if (file.info.iteration > last) {
    throw InputError(fmt::format("{} is at iteration {}, after the last one of the case, {}", name,
                                 file.info.iteration, last));
  }
}

/// Returns why a run cannot resume from the state in a file; empty if it can.
std::string unsound_state(SnapshotFile const& file) {
  try {
    (void)solver_state_of(file);
    return "";
  } catch (InputError const& error) {
    return error.what();
  }
}

/// Returns the files of the directory that can be resumed from, newest first.
std::vector<SnapshotFile> whole_fields(std::filesystem::path const& directory,
                                       std::vector<std::string>& warnings) {
  std::vector<RejectedFile> rejected;
  // Reduced snapshots are left out silently; damaged states are reported.
  std::vector<SnapshotFile> files = list_snapshots(directory, "u", &rejected);
  std::erase_if(files, [](SnapshotFile const& file) { return !file.info.can_resume; });
  std::erase_if(files, [&](SnapshotFile const& file) {
    std::string const reason = unsound_state(file);
    if (!reason.empty()) {
      rejected.push_back({file.path, reason});
    }
    return !reason.empty();
  });
  std::reverse(files.begin(), files.end());  // newest first
  // An unreadable file is no error if the run can resume from another one, but it is reported.
  for (RejectedFile const& file : rejected) {
    warnings.push_back("ignored: " + file.reason);
  }
  if (files.empty()) {
    throw InputError("--resume: there is nothing to resume from in " + directory.string() +
                     (rejected.empty() ? " (begin without --resume, or with --resume-or-overwrite)"
                                       : " (" + rejected.back().reason + ")"));
  }
  return files;
}

/// Returns the files to resume from, newest first, checked by their descriptions. On the root.
std::vector<SnapshotFile> find_files(Case const& chosen,
                                     std::optional<std::filesystem::path> const& file,
                                     std::vector<std::string>& warnings) {
  if (file) {
    SnapshotFile const named{*file, read_snapshot_info(*file)};
    check_file(chosen, named);
    return {named};
  }
  std::vector<SnapshotFile> files = whole_fields(chosen.output.directory, warnings);
  // The newest file must match the case; older ones of another problem are left out silently.
  check_file(chosen, files.front());
  std::erase_if(files, [&](SnapshotFile const& older) {
    return !fingerprint_differences(chosen.fingerprint, older.info.fingerprint).empty();
  });
  return files;
}

/// Returns the directory that contains the files.
std::string directory_of(std::vector<ResumePoint> const& points) {
  return points.front().file.parent_path().string();
}

}  // namespace

SnapshotFile const* newest_resumable(std::vector<SnapshotFile> const& files) {
  auto const newest = std::find_if(files.rbegin(), files.rend(),
                                   [](SnapshotFile const& file) { return file.info.can_resume; });
  return newest == files.rend() ? nullptr : &*newest;
}

/// The root examines the files and broadcasts paths and states as text.
std::vector<ResumePoint> resume_points(mpi::Communicator const& ranks, Case const& chosen,
                                       std::optional<std::filesystem::path> const& file,
                                       std::vector<std::string>& warnings) {
  std::vector<std::string> paths;
  std::vector<std::string> states;
  on_root(ranks, [&] {
    for (SnapshotFile const& found : find_files(chosen, file, warnings)) {
      paths.push_back(found.path.string());
      // States travel as JSON, which keeps every bit of the numbers.
      states.push_back(to_json(solver_state_of(found)));
    }
  });
  // Only the root has read the files.
  paths = ranks.broadcast(paths);
  states = ranks.broadcast(states);
  std::vector<ResumePoint> points;
  points.reserve(paths.size());
  for (std::size_t i = 0; i < paths.size(); ++i) {
    points.push_back({paths[i], solver_state_from_json(states[i])});
  }
  return points;
}

/// Tries the files from the newest to the oldest. Every rank fails for the same file.
ResumePoint load_newest(mpi::Communicator const& ranks, Subdomain const& subdomain,
                        std::vector<ResumePoint> const& points, HostValues& values,
                        std::vector<std::string>& warnings) {
  std::string newest_damage;
  // Checksums are verified while reading, so damage to values is found only here.
  for (std::size_t i = 0;; ++i) {
    try {
      std::visit(
          [&](auto numbers) { read_snapshot(ranks, points[i].file, subdomain, numbers.data()); },
          values.view());
      return points[i];
    } catch (InputError const& damage) {  // thrown on every rank
      if (points.size() == 1) throw;
      warnings.push_back(std::string("ignored: ") + damage.what());
      if (i == 0) newest_damage = damage.what();
      if (i + 1 < points.size()) continue;
      throw InputError(
          fmt::format("none of the {} fields in {} can be resumed from: the newest, {} (isotherm "
                      "verify {} lists the faults of the others; --overwrite starts over)",
                      points.size(), directory_of(points), newest_damage, directory_of(points)));
    }
  }
}

}  // namespace isotherm::app
