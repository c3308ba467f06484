#include "app/post/report.hpp"

#include <iostream>
#include <system_error>

#include "app/post/output_file.hpp"
#include "app/run/report/page/report_page.hpp"
#include "app/run/report/page/write_report.hpp"
#include "case/basics/exit_code.hpp"
#include "case/basics/text/wording.hpp"
#include "io/files/presence.hpp"
#include "kernels/core/error.hpp"

namespace isotherm::app {

namespace {

namespace fs = std::filesystem;

/// Checks that there is a run to report. @throws InputError
void check_directory(fs::path const& directory) {
  require_directory(directory, "needs the output directory of a run");
  std::error_code unknown;
  for (char const* const name : {"summary.json", "case.toml"}) {
    if (fs::is_regular_file(directory / name, unknown)) return;
  }
  throw InputError(directory.string() +
                   " holds no run: there is neither summary.json nor case.toml in it");
}

/// Checks that the page may be written. @throws InputError
void check_output(fs::path const& output, bool overwrite) {
  std::error_code unknown;
  if (output.extension() != ".html") {
    throw InputError("--output " + output.string() + ": the name must end in .html");
  }
  require_folder(output);
  if (may_become_report(output)) return;
  if (!fs::is_regular_file(output, unknown)) {
    throw InputError(output.string() + " is not a regular file, so it is not replaced");
  }
  if (!overwrite) {
    throw InputError(output.string() +
                     " exists and is not a report of isotherm: --overwrite replaces it, or name "
                     "another with --output");
  }
}

}  // namespace

int report(ReportOptions const& options) {
  check_directory(options.directory);
  fs::path const output = options.output.value_or(options.directory / report_name);
  check_output(output, options.overwrite);
  write_report(options.directory, output);
  std::cout << "wrote " << visible(output.string()) << "\n";
  return exit_code::done;
}

}  // namespace isotherm::app
