#include "app/run/report/page/write_report.hpp"

#include <system_error>

#include "app/run/report/page/report_page.hpp"
#include "app/run/report/page/run_files.hpp"

namespace isotherm::app {

namespace fs = std::filesystem;

bool may_become_report(fs::path const& file) {
  std::error_code unknown;
  fs::file_status const status = fs::symlink_status(file, unknown);
  return !fs::exists(status) || fs::is_symlink(status) || is_report(file);
}

void write_report(fs::path const& directory, fs::path const& output,
                  MayReplace const& may_replace) {
  write_file_atomically(output, report_page(read_run_files(directory), directory), may_replace);
}

}  // namespace isotherm::app
