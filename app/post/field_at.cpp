#include "app/post/field_at.hpp"

#include <algorithm>
#include <iostream>
#include <system_error>

#include "case/basics/text/wording.hpp"
#include "io/snapshot/snapshot.hpp"

namespace isotherm::app {

std::filesystem::path field_at(std::filesystem::path const& path) {
  std::error_code ignored_error;  // reading the file reports the reason
  if (!std::filesystem::is_directory(path, ignored_error)) {
    return path;
  }
  std::vector<RejectedFile> rejected;
  // Sorted by iteration, the lowest first.
  auto const files = list_snapshots(path, "u", &rejected);
  // A damaged newest field must not go unnoticed when an older one is used.
  for (RejectedFile const& file : rejected) {
    std::cerr << "isotherm: warning: ignored: " << visible(file.reason) << "\n";
  }
  if (files.empty()) {
    throw InputError("there is no field in " + path.string() +
                     (rejected.empty() ? "" : " that can be read: " + rejected.front().reason));
  }
  // If two files have the last iteration (a cut and its checkpoint), the one with the whole field
  // is used.
  std::int64_t const last = files.back().info.iteration;
  auto const whole = std::find_if(files.rbegin(), files.rend(), [&](SnapshotFile const& file) {
    return file.info.can_resume || file.info.iteration < last;
  });
  // If no file of the last iteration has the whole field, the last file is used, a cut.
  bool const found = whole != files.rend() && whole->info.iteration == last;
  return found ? whole->path : files.back().path;
}

}  // namespace isotherm::app
