#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "app/run/report/page/run_files.hpp"

// The sections of a report. Each function returns HTML, or an empty text if the run has nothing to
// show in it. The members of a summary may be missing or of any type, since it comes from a file.

namespace isotherm::app {

/// Returns the status of the run and the message that explains it.
std::string status_part(RunFiles const& files);
/// Returns iterations, error, residuals and the statistics of the final field.
std::string result_section(nlohmann::json const& summary);
/// Returns the pictures of the initial and the final field.
std::string picture_section(RunFiles const& files);
/// Returns the curve of the residuals.
std::string residual_section(RunFiles const& files);
/// Returns the heat balance, the fluxes and the floating conductors.
std::string heat_section(nlohmann::json const& summary);
/// Returns the requested and discrete measures of all regions.
std::string region_section(nlohmann::json const& summary);
/// Returns how the time was spent.
std::string time_section(nlohmann::json const& summary);
/// Returns device, ranks, memory, and the versions of the program and its libraries.
std::string machine_section(nlohmann::json const& summary);
/// Returns the warnings, and the files that could not be read.
std::string warning_section(RunFiles const& files);
/// Returns links to the other files of the run.
std::string file_section(nlohmann::json const& summary);
/// Returns the case.
std::string case_section(RunFiles const& files);

}  // namespace isotherm::app
