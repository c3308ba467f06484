#pragma once

#include <string>
#include <vector>

#include "jobs/case/case.hpp"
#include "jobs/run/measurement.hpp"
#include "jobs/run/run_plan.hpp"
#include "jobs/run/summary.hpp"

namespace isotherm {

/// The lines before the first iteration: build, case, devices, decomposition, memory, output.
/// @param transport, sweep  as the solver has them, or what is known of them without one
/// @param shared_devices    true where ranks share a GPU on any host
std::vector<std::string> header_lines(Case const& chosen, RunPlan const& plan, int ranks,
                                      std::string const& transport, SweepPlan const& sweep,
                                      bool shared_devices);

/// The lines about what will be written and whether it fits.
std::vector<std::string> output_lines(Case const& chosen, OutputSizes const& sizes);

/// One line: how the run ended, after how many iterations, with what residual, and what to do.
std::string outcome_line(Case const& chosen, Summary const& summary);

/// The lines after the last iteration: where the time went, and the rate.
std::vector<std::string> footer_lines(Performance const& performance);

}  // namespace isotherm
