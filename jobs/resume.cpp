#include "jobs/resume.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <sstream>

#include "io/snapshot.hpp"
#include "io/together.hpp"
#include "jobs/solver_state.hpp"
#include "jobs/with_precision.hpp"

namespace isotherm {

namespace {

/// @throws InputError  where a run of `chosen` cannot go on from `file`
void check_file(Case const& chosen, SnapshotFile const& file) {
  std::string const name = file.path.string();
  if (!file.info.can_resume) {
    throw InputError(name + " cannot be resumed from: " + file.info.reason_not_resumable);
  }
  auto const differences = fingerprint_differences(chosen.fingerprint, file.info.fingerprint);
  if (!differences.empty()) {
    throw InputError(
        name + " is of another problem: " + differences.front() +
        (differences.size() > 1 ? fmt::format(" (and {} more)", differences.size() - 1) : ""));
  }
  if (file.info.iteration > chosen.method.iterations) {
    throw InputError(fmt::format("{} is at iteration {}, past the case's last one, {}", name,
                                 file.info.iteration, chosen.method.iterations));
  }
}

std::vector<SnapshotFile> whole_fields(std::filesystem::path const& directory,
                                       std::vector<std::string>& warnings) {
  std::vector<std::string> rejected;
  std::vector<SnapshotFile> files = list_snapshots(directory, "u", &rejected);
  std::erase_if(files, [](SnapshotFile const& file) { return !file.info.can_resume; });
  std::reverse(files.begin(), files.end());
  for (std::string const& reason : rejected) {
    warnings.push_back("left out: " + reason);
  }
  if (files.empty()) {
    throw InputError("--resume: there is nothing to resume from in " + directory.string() +
                     (rejected.empty() ? "" : " (" + rejected.front() + ")"));
  }
  return files;
}

/// On the root: the files, newest first, checked as far as their headers tell.
std::vector<SnapshotFile> find_files(Case const& chosen,
                                     std::optional<std::filesystem::path> const& file,
                                     std::vector<std::string>& warnings) {
  if (file) {
    SnapshotFile const named{*file, read_snapshot_info(*file)};
    check_file(chosen, named);
    return {named};
  }
  std::vector<SnapshotFile> files = whole_fields(chosen.output.directory, warnings);
  check_file(chosen, files.front());
  std::erase_if(files, [&](SnapshotFile const& older) {
    return !fingerprint_differences(chosen.fingerprint, older.info.fingerprint).empty();
  });
  return files;
}

/// One line a file: its state, a tab, its path.
std::string serialise(std::vector<SnapshotFile> const& files) {
  std::string text;
  for (SnapshotFile const& file : files) {
    text += file.info.state + "\t" + file.path.string() + "\n";
  }
  return text;
}

std::vector<ResumePoint> deserialise(std::string const& text) {
  std::vector<ResumePoint> points;
  std::istringstream lines(text);
  std::string state;
  for (std::string path; std::getline(lines, state, '\t') && std::getline(lines, path);) {
    points.push_back({path, solver_state_from_json(state)});
  }
  return points;
}

}  // namespace

std::vector<ResumePoint> resume_points(mpi::Communicator const& ranks, Case const& chosen,
                                       std::optional<std::filesystem::path> const& file,
                                       std::vector<std::string>& warnings) {
  std::string found;
  on_root(ranks, [&] { found = serialise(find_files(chosen, file, warnings)); });
  return deserialise(ranks.broadcast(found));
}

ResumePoint load_newest(mpi::Communicator const& ranks, Case const& chosen,
                        Subdomain const& subdomain, std::vector<ResumePoint> const& points,
                        void* values, std::vector<std::string>& warnings) {
  for (std::size_t i = 0;; ++i) {
    try {
      with_precision(chosen.problem.precision, [&]<class Real>(Real) {
        read_snapshot(ranks, points[i].file, subdomain, static_cast<Real*>(values));
      });
      return points[i];
    } catch (InputError const& damage) {  // thrown on every rank
      if (i + 1 == points.size()) throw;
      warnings.push_back(std::string("left out: ") + damage.what());
    }
  }
}

}  // namespace isotherm
