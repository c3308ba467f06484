#include "jobs/output_directory.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <string>
#include <string_view>
#include <sys/file.h>
#include <system_error>
#include <unistd.h>

#include "io/atomic_file.hpp"
#include "kernels/error.hpp"

namespace isotherm {

namespace fs = std::filesystem;

namespace {

constexpr std::array plain_names{"u.xmf",         "u.vtkhdf.series", "u.png",   "u_initial.png",
                                 "residuals.csv", "summary.json",    "run.log", "case.toml"};

/// u_000500.vtkhdf, or what an interrupted run left of one; not u_best.vtkhdf, which is somebody's.
bool is_field(std::string const& name) {
  std::string_view rest = name;
  for (std::string_view const end : {".tmp", ".vtkhdf"}) {
    rest.remove_suffix(rest.ends_with(end) ? end.size() : 0);
  }
  bool const ends_well = name.ends_with(".vtkhdf") || name.ends_with(".vtkhdf.tmp");
  return ends_well && rest.size() > 2 && rest.starts_with("u_") &&
         rest.find_first_not_of("0123456789", 2) == std::string_view::npos;
}

bool is_result(fs::directory_entry const& entry) {
  std::string const name = entry.path().filename().string();
  bool const known = std::find(plain_names.begin(), plain_names.end(), name) != plain_names.end();
  return entry.is_regular_file() && (known || is_field(name));
}

}  // namespace

std::vector<fs::path> results_in(fs::path const& directory) {
  std::vector<fs::path> results;
  if (fs::is_directory(directory)) {
    for (fs::directory_entry const& entry : fs::directory_iterator(directory)) {
      if (is_result(entry)) {
        results.push_back(entry.path());
      }
    }
  }
  return results;
}

double bytes_of(std::vector<fs::path> const& files) {
  double bytes = 0.0;
  for (fs::path const& file : files) {
    bytes += static_cast<double>(fs::file_size(file));
  }
  return bytes;
}

namespace {

/// The directory, or the nearest one above it that is there already.
fs::path existing_part(fs::path const& directory) {
  fs::path part = fs::absolute(directory).lexically_normal();
  while (!fs::exists(fs::symlink_status(part)) && part.has_relative_path()) {
    part = part.parent_path();
  }
  return part;
}

void require_writable(fs::path const& directory) {
  fs::path const part = existing_part(directory);
  if (!fs::is_directory(part)) {
    throw InputError("[output] directory " + directory.string() +
                     " cannot be made: " + part.string() + " is not a directory");
  }
  if (access(part.c_str(), W_OK | X_OK) != 0) {
    throw InputError("[output] directory " + directory.string() + " cannot be written to: " +
                     part.string() + ": " + std::generic_category().message(errno));
  }
}

/// Locks the directory for as long as the descriptor is open.
Descriptor lock(fs::path const& directory) {
  Descriptor descriptor = open_file(directory, O_RDONLY | O_DIRECTORY);
  if (flock(descriptor.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    throw InputError("another run is writing to " + directory.string() +
                     ": wait for its end, or choose another directory with --output");
  }
  return descriptor;
}

}  // namespace

void check_output_directory(fs::path const& directory, OldResults old) try {
  if (fs::exists(directory) && !fs::is_directory(directory)) {
    throw InputError("[output] directory " + directory.string() + " is a file, not a directory");
  }
  require_writable(directory);
  if (fs::exists(directory)) (void)lock(directory);
  auto const results = results_in(directory);
  if (old == OldResults::refuse && !results.empty()) {
    throw InputError(fmt::format(
        "{} holds the results of a run ({}): go on from them with --resume, replace them with "
        "--overwrite, or choose another directory with --output",
        directory.string(), results.front().filename().string()));
  }
} catch (fs::filesystem_error const& error) {
  throw InputError(std::string("[output] directory: ") + error.what());
}

Descriptor prepare_output_directory(fs::path const& directory, OldResults old,
                                    std::string const& case_text) try {
  fs::create_directories(directory);
  Descriptor locked = lock(directory);
  if (old == OldResults::remove) {
    for (fs::path const& file : results_in(directory)) {
      fs::remove(file);
    }
  }
  fs::remove(directory / "summary.json");  // would speak of a run that is over
  write_file_atomically(directory / "case.toml", case_text);
  return locked;
} catch (InputError const&) {
  throw;
} catch (std::exception const& error) {
  throw InputError("[output] directory " + directory.string() +
                   " cannot be written to: " + error.what());
}

}  // namespace isotherm
