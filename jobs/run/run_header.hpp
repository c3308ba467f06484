#pragma once

#include <string>
#include <vector>

#include "jobs/case/case.hpp"
#include "jobs/run/measurement.hpp"
#include "jobs/run/run_plan.hpp"
#include "jobs/run/summary.hpp"
#include "jobs/run/time_estimate.hpp"

namespace isotherm {

/// The lines before the first iteration, in the words of the case: build, problem and grid, method,
/// devices, memory.
/// @param shared_devices  true where ranks share a GPU on any host
std::vector<std::string> header_lines(Case const& chosen, RunPlan const& plan, int ranks,
                                      bool shared_devices);

/// How it is done, for those who look after speed: the ranks' parts, how halos travel, the sweeps.
/// @param transport, sweep  as the solver has them, or what is known of them without one
std::vector<std::string> detail_lines(Case const& chosen, RunPlan const& plan,
                                      std::string const& transport, SweepPlan const& sweep);

/// The lines about what will be written, how, and whether it fits.
std::vector<std::string> output_lines(Case const& chosen, OutputSizes const& sizes,
                                      BackgroundOutput const& background);

/// One line: how the run ended, after how many iterations, with what residual, and what to do.
std::string outcome_line(Case const& chosen, Summary const& summary);

/// The lines after the last iteration: where the time went, the rate, and what was not written.
std::vector<std::string> footer_lines(Performance const& performance, OutputCounts const& output);

/// The last lines: what the field is like, and which files to open.
std::vector<std::string> result_lines(Case const& chosen, Summary const& summary);

/// One line of a dry run: how long the case will compute, and how that was judged.
std::string estimate_line(Case const& chosen, TimeEstimate const& estimate);

}  // namespace isotherm
