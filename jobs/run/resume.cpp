#include "jobs/run/resume.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <sstream>

#include "decomposition/ranks/together.hpp"
#include "io/snapshot/snapshot.hpp"
#include "jobs/basics/wording.hpp"
#include "jobs/run/all_finite.hpp"
#include "jobs/run/solver_state.hpp"
#include "solver/problem/with_precision.hpp"

namespace isotherm {

namespace {

/// @throws InputError  where a run of `chosen` cannot go on from `file`
void check_file(Case const& chosen, SnapshotFile const& file) {
  std::string const name = file.path.string();
  if (!file.info.can_resume) {
    throw InputError(name +
                     " cannot be resumed from: " + one_line(file.info.reason_not_resumable, 200));
  }
  (void)solver_state_of(file);
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

/// Why a run cannot go on from a file's state; empty where it can.
std::string unsound_state(SnapshotFile const& file) {
  try {
    (void)solver_state_of(file);
    return "";
  } catch (InputError const& error) {
    return error.what();
  }
}

std::vector<SnapshotFile> whole_fields(std::filesystem::path const& directory,
                                       std::vector<std::string>& warnings) {
  std::vector<RejectedFile> rejected;
  std::vector<SnapshotFile> files = list_snapshots(directory, "u", &rejected);
  std::erase_if(files, [](SnapshotFile const& file) { return !file.info.can_resume; });
  std::erase_if(files, [&](SnapshotFile const& file) {
    std::string const reason = unsound_state(file);
    if (!reason.empty()) {
      rejected.push_back({file.path, reason});
    }
    return !reason.empty();
  });
  std::reverse(files.begin(), files.end());
  for (RejectedFile const& file : rejected) {
    warnings.push_back("left out: " + file.reason);
  }
  if (files.empty()) {
    throw InputError("--resume: there is nothing to resume from in " + directory.string() +
                     (rejected.empty() ? "" : " (" + rejected.front().reason + ")"));
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

/// Of each file its state and its path, each ended by a zero byte, which is in neither.
std::string serialise(std::vector<SnapshotFile> const& files) {
  std::string text;
  for (SnapshotFile const& file : files) {
    text += to_json(solver_state_of(file)) + '\0' + file.path.string() + '\0';
  }
  return text;
}

std::vector<ResumePoint> deserialise(std::string const& text) {
  std::vector<ResumePoint> points;
  std::istringstream words(text);
  std::string state;
  for (std::string path; std::getline(words, state, '\0') && std::getline(words, path, '\0');) {
    points.push_back({path, solver_state_from_json(state)});
  }
  return points;
}

/// Runs end rather than write a field that is not finite, so no file has one that is sound.
void check_finite(mpi::Communicator const& ranks, Case const& chosen, Subdomain const& subdomain,
                  void const* values, std::filesystem::path const& file) {
  auto const points = static_cast<std::size_t>(subdomain.owned().point_count());
  if (!all_finite(ranks, chosen.problem.precision, values, points)) {
    throw InputError(file.string() +
                     " is damaged: it holds values that are infinite or not a number");
  }
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
      check_finite(ranks, chosen, subdomain, values, points[i].file);
      return points[i];
    } catch (InputError const& damage) {  // thrown on every rank
      if (i + 1 == points.size()) throw;
      warnings.push_back(std::string("left out: ") + damage.what());
    }
  }
}

}  // namespace isotherm
