#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "app/run/report/page/run_files.hpp"

namespace isotherm::app {

/// The name of the report in the output directory.
inline constexpr std::string_view report_name = "report.html";

/// Returns the report of a run as one HTML page: status, results, pictures, residuals, regions,
/// time, machine, warnings and the case. The page is self-contained: it has no scripts, and loads
/// nothing. It is well-formed XML, too. All texts are escaped.
/// @param directory  its name, for the title of a run without a case
std::string report_page(RunFiles const& files, std::filesystem::path const& directory);

/// Returns whether a file begins like a report that isotherm has written. A file that is missing or
/// cannot be read is none. Serial.
bool is_report(std::filesystem::path const& file);

/// Checks that a report is complete. Serial.
/// @throws InputError  if it is not
void check_report(std::filesystem::path const& file);

}  // namespace isotherm::app
