#pragma once

#include <filesystem>
#include <vector>

/// Verification of result files: checksums of fields, structure of tables, and the references of
/// series. It needs neither the case nor a device.
///
///   VerifyOptions options{{"run", "copy/u_000500.vtkhdf"}};
///   return verify(options);  // exit_code::done or exit_code::bad_input

namespace isotherm::app {

/// The options of `isotherm verify`, which checks that result files are unchanged since they were
/// written.
struct VerifyOptions {
  std::vector<std::filesystem::path> paths{};  ///< files, or directories of result files
  bool json = false;                           ///< print one JSON list at the end
};

/// Prints "sound", or "damaged" and the reason, for each file. The line appears as soon as the file
/// is checked. Serial; the cost is that of reading all files once.
///
/// In a directory, snapshots, series, summary.json, residuals.csv and tables of probes are checked.
/// Pictures and logs have no checksums and are skipped.
/// @returns  exit_code::bad_input if a file is damaged or cannot be read, else exit_code::done
int verify(VerifyOptions const& options);

}  // namespace isotherm::app
