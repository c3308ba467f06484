#include "app/run/output/output_directory.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <string>
#include <string_view>
#include <sys/file.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include "app/run/report/page/report_page.hpp"
#include "app/run/report/page/write_report.hpp"
#include "app/run/resume/resume.hpp"
#include "case/basics/existing_part.hpp"
#include "case/basics/text/text_file.hpp"
#include "case/probe.hpp"
#include "io/files/atomic_file.hpp"
#include "io/snapshot/snapshot.hpp"
#include "kernels/core/error.hpp"

// The names of results are fixed or follow a pattern (u_000500.vtkhdf), so results are recognised
// by name only. Everything else in the directory belongs to the user and is never touched.

namespace isotherm::app {

namespace fs = std::filesystem;

namespace {

/// Names of results that have no number in them.
constexpr std::array plain_names{
    "u.xmf",         "u.vtkhdf.series", "u_snapshots.xmf", "u_snapshots.vtkhdf.series",
    "u.png",         "u.svg",           "u.pdf",           "u_initial.png",
    "u_initial.svg", "u_initial.pdf",   "residuals.csv",   "summary.json",
    "run.log",       "case.toml",       "film.gif",        "film.png",
    "report.html"};

/// Extension of files that are being written. They are renamed when complete.
constexpr std::string_view temporary_end = ".tmp";

/// Returns true for names such as u_000500.png, of a picture drawn during a run.
bool is_numbered_picture(std::string_view name) {
  constexpr std::string_view field = "u_";
  if (!name.starts_with(field)) return false;
  name.remove_prefix(field.size());
  std::size_t const digits = std::min(name.find_first_not_of("0123456789"), name.size());
  std::string_view const ending = name.substr(digits);
  return digits > 0 && (ending == ".png" || ending == ".svg" || ending == ".pdf");
}

/// Returns true if a complete result may have this name.
bool is_whole_result(std::string_view name) {
  return is_snapshot_name(name, "u") || is_numbered_picture(name) || is_probe_table_name(name) ||
         std::find(plain_names.begin(), plain_names.end(), name) != plain_names.end();
}

/// Returns true if this is the name of a temporary file that an interrupted run left.
bool is_remains(std::string_view name) {
  if (!name.ends_with(temporary_end)) {
    return false;
  }
  name.remove_suffix(temporary_end.size());
  return is_whole_result(name);
}

std::string name_of(fs::path const& path) { return path.filename().string(); }

/// Returns true for a file under the name of the report that isotherm has not written. Others may
/// have a page of this name, so it is no result.
bool is_foreign_page(fs::directory_entry const& entry) {
  return name_of(entry.path()) == report_name && entry.is_regular_file() &&
         !may_become_report(entry.path());
}

/// Returns all entries under names that a run writes to, of any type.
std::vector<fs::directory_entry> reserved_entries(fs::path const& directory) {
  std::vector<fs::directory_entry> entries;
  if (fs::is_directory(directory)) {
    for (fs::directory_entry const& entry : fs::directory_iterator(directory)) {
      std::string const name = name_of(entry.path());
      if ((is_whole_result(name) || is_remains(name)) && !is_foreign_page(entry)) {
        entries.push_back(entry);
      }
    }
  }
  return entries;
}

/// Returns true for a file, or for a link, which is replaced and not followed.
bool is_replaceable(fs::directory_entry const& entry) {
  fs::file_type const type = entry.symlink_status().type();
  return type == fs::file_type::regular || type == fs::file_type::symlink;
}

/// Returns true if both paths lead to the same file.
bool same_file(fs::path const& a, fs::path const& b) {
  std::error_code one_is_missing;  // then they are not the same
  return fs::equivalent(a, b, one_is_missing);
}

/// Returns true if a result is the case file of this run, which lies in the output directory.
bool is_case_file(fs::path const& result, RunInputs const& inputs) {
  return name_of(result) == "case.toml" && same_file(result, inputs.case_file);
}

/// Returns the results without the case file, which is never removed.
std::vector<fs::path> removable_results(fs::path const& directory, RunInputs const& inputs) {
  std::vector<fs::path> results = results_in(directory);
  std::erase_if(results, [&](fs::path const& result) { return is_case_file(result, inputs); });
  return results;
}

/// Returns the bytes that the disk gains if the file is removed: none if it has another hard link.
double bytes_freed_by(fs::path const& file) {
  struct stat status {};
  constexpr double block = 512.0;  // unit of st_blocks, independent of the file system
  bool const last_name =
      lstat(file.c_str(), &status) == 0 && S_ISREG(status.st_mode) && status.st_nlink == 1;
  return last_name ? block * static_cast<double>(status.st_blocks) : 0.0;
}

}  // namespace

std::string numbered_picture(std::int64_t iteration) { return fmt::format("u_{:06d}", iteration); }

/// Folders and devices under reserved names are left out; require_replaceable() refuses them.
std::vector<fs::path> results_in(fs::path const& directory) {
  std::vector<fs::path> results;
  for (fs::directory_entry const& entry : reserved_entries(directory)) {
    if (is_replaceable(entry)) {
      results.push_back(entry.path());
    }
  }
  return results;
}

OldFiles old_files(fs::path const& directory, OldResults old) {
  OldFiles files;
  for (fs::path const& file : results_in(directory)) {
    // Remains of killed runs are removed in any case.
    bool const goes = old == OldResults::remove || is_remains(name_of(file));
    files.removed_bytes += goes ? bytes_freed_by(file) : 0.0;
  }
  // Fields to resume from are removed later, one by one.
  if (old == OldResults::keep) {
    for (SnapshotFile const& file : list_snapshots(directory, "u")) {
      files.fields.push_back(
          {file.info.iteration, bytes_freed_by(file.path), file.info.is_checkpoint});
    }
  }
  return files;
}

bool can_be_resumed(fs::path const& directory) {
  std::vector<RejectedFile> unreadable;
  auto const files = list_snapshots(directory, "u", &unreadable);
  bool const found = newest_resumable(files) != nullptr;
  // A run from iteration 0 would overwrite the file, which may be worth saving.
  if (!found && !unreadable.empty()) {
    throw InputError(directory.string() +
                     " contains only a field that cannot be read to resume from: " +
                     unreadable.front().reason + " (remove it, or start over with --overwrite)");
  }
  return found;
}

namespace {

/// Tries to create the directory on a file system without any space, such as /proc, whose
/// permissions mean nothing. Elsewhere nothing is created, since another run might use the
/// directory at once.
void require_creatable(fs::path const& directory, fs::path const& part) {
  std::error_code fault;
  if (fs::exists(directory) || fs::space(part, fault).capacity != 0 || fault) return;
  fs::path const first =
      part / *fs::absolute(directory).lexically_normal().lexically_relative(part).begin();
  fs::create_directory(first, fault);
  if (fault) {
    throw InputError("[output] directory " + directory.string() +
                     " cannot be created: " + first.string() + ": " + fault.message());
  }
  fs::remove(first, fault);
}

/// Checks that the directory can be created or written to.
void require_writable(fs::path const& directory) {
  fs::path const part = existing_part(directory);
  if (!fs::is_directory(part)) {
    throw InputError("[output] directory " + directory.string() +
                     " cannot be created: " + part.string() + " is not a directory");
  }
  require_creatable(directory, part);
  // It is locked and listed, so it must be readable.
  int const wanted = W_OK | X_OK | (fs::exists(directory) ? R_OK : 0);
  if (access(part.c_str(), wanted) != 0) {
    throw InputError("[output] directory " + directory.string() + " cannot be written to: " +
                     part.string() + ": " + std::generic_category().message(errno));
  }
}

/// Locks the directory as long as the descriptor is open (flock, exclusive, without waiting). Only
/// a lock held by another run is an error: some file systems have no locks.
Descriptor lock(fs::path const& directory) {
  Descriptor descriptor = open_file(directory, O_RDONLY | O_DIRECTORY);
  if (flock(descriptor.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    throw InputError("another run is writing to " + directory.string() +
                     ": wait until it ends, or choose another directory with --output");
  }
  return descriptor;
}

/// Refuses directory entries that are neither files nor links, such as folders and devices, under
/// names that the run writes to.
void require_replaceable(fs::path const& directory) {
  for (fs::directory_entry const& entry : reserved_entries(directory)) {
    if (!is_replaceable(entry)) {
      throw InputError("[output] directory " + directory.string() + " contains " +
                       name_of(entry.path()) +
                       ", which is not a file but has the name of a result (choose another "
                       "directory with --output, or move it)");
    }
  }
}

/// Refuses to remove or replace a file that the run reads.
void require_no_input(std::vector<fs::path> const& results, RunInputs const& inputs) {
  std::vector<RunInputs::File> files = inputs.others;
  files.push_back({"the case", inputs.case_file});
  for (RunInputs::File const& file : files) {
    for (fs::path const& result : results) {
      if (same_file(file.path, result)) {
        throw InputError(
            fmt::format("{}, which is an input of this run ({}), would be replaced by its results: "
                        "choose another directory with --output, or move the file",
                        file.path.string(), file.named_by));
      }
    }
  }
}

/// Refuses results that may not be overwritten without --overwrite, and results that are inputs.
void require_results_may_go(fs::path const& directory, OldResults old, RunInputs const& inputs) {
  std::vector<fs::path> results = removable_results(directory, inputs);
  // Remains of killed runs are no results, so they need no permission.
  auto const first = std::find_if(results.begin(), results.end(),
                                  [](fs::path const& file) { return !is_remains(name_of(file)); });
  if (old == OldResults::refuse && first != results.end()) {
    throw InputError(fmt::format(
        "{} contains the results of a run ({}): continue it with --resume (without a FILE), "
        "replace the results with --overwrite, or choose another directory with --output",
        directory.string(), name_of(*first)));
  }
  if (old == OldResults::keep) {  // the run resumes from these fields; later it may remove old ones
    std::erase_if(results,
                  [](fs::path const& result) { return is_snapshot_name(name_of(result), "u"); });
  }
  require_no_input(results, inputs);
}

}  // namespace

/// Checks the directory itself first, then its entries.
void check_output_directory(fs::path const& directory, OldResults old,
                            RunInputs const& inputs) try {
  if (fs::exists(directory) && !fs::is_directory(directory)) {
    throw InputError("[output] directory " + directory.string() + " is a file, not a directory");
  }
  require_writable(directory);
  // Locks the directory for a moment, to see whether another run uses it.
  if (fs::exists(directory)) (void)lock(directory);
  require_replaceable(directory);
  require_results_may_go(directory, old, inputs);
} catch (fs::filesystem_error const& error) {
  throw InputError(std::string("[output] directory: ") + error.what());
}

namespace {

/// Removes half-written files of killed runs and returns their names.
std::vector<std::string> remove_remains(fs::path const& directory) {
  std::vector<std::string> removed;
  for (fs::path const& file : results_in(directory)) {
    if (is_remains(name_of(file))) {
      fs::remove(file);
      removed.push_back(name_of(file));
    }
  }
  std::sort(removed.begin(), removed.end());
  return removed;
}

/// Removes all results. The series are removed first, since they must not name missing files.
void remove_results(fs::path const& directory, RunInputs const& inputs) {
  std::vector<fs::path> results = removable_results(directory, inputs);
  std::stable_partition(results.begin(), results.end(), [](fs::path const& result) {
    return !is_snapshot_name(name_of(result), "u");
  });
  for (fs::path const& result : results) fs::remove(result);
}

/// The message for a failure to write.
std::string cannot_write_to(fs::path const& directory, std::exception const& error) {
  return "[output] directory " + directory.string() + " cannot be written to: " + error.what();
}

/// Detaches run.log from other names, since the run appends to it: the target of a link, or a file
/// with another hard link, must not change.
void detach_log(fs::path const& log) {
  if (fs::is_symlink(log)) fs::remove(log);
  if (fs::exists(log) && fs::hard_link_count(log) > 1) {
    fs::path const copy = temporary_path(log);
    fs::copy_file(log, copy);
    fs::rename(copy, log);
  }
}

/// Writes case.toml, unless it is the case file itself.
/// @return  true if the case file differs from `text` and was left unchanged
bool write_case(fs::path const& file, RunInputs const& inputs, std::string const& text) {
  if (is_case_file(file, inputs)) return read_text_file(file, "a case file") != text;
  write_file_atomically(file, text);
  return false;
}

}  // namespace

/// Until the lock is held nothing is removed. After that, errors are no InputError any more.
OutputDirectory prepare_output_directory(fs::path const& directory, OldResults old,
                                         RunInputs const& inputs, std::string const& case_text) {
  OutputDirectory ready;
  try {
    fs::create_directories(directory);
    ready.lock = lock(directory);
  } catch (fs::filesystem_error const& error) {
    throw InputError("[output] directory " + directory.string() + " cannot be created: " +
                     error.path1().string() + ": " + error.code().message());
  }
  try {
    ready.remains = remove_remains(directory);
    if (old == OldResults::remove) remove_results(directory, inputs);
    // Both describe the earlier run.
    fs::remove(directory / "summary.json");
    if (is_report(directory / report_name)) fs::remove(directory / report_name);
    detach_log(directory / "run.log");
    ready.case_file_differs = write_case(directory / "case.toml", inputs, case_text);
  } catch (std::exception const& error) {  // no InputError: some results may have been removed
    throw Error(cannot_write_to(directory, error));
  }
  return ready;
}

void require_in_place(Descriptor const& directory, fs::path const& path) {
  require(is_in_place(directory, path), "the output directory " + path.string() +
                                            " was moved, removed or replaced while the run wrote "
                                            "to it");
}

}  // namespace isotherm::app
