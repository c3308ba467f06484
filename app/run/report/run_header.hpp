#pragma once

#include <string>
#include <vector>

#include "app/run/prepare/run_plan.hpp"
#include "app/run/report/measurement.hpp"
#include "app/run/report/summary.hpp"
#include "app/run/report/time_estimate.hpp"
#include "case/case.hpp"

// The lines that a run prints, each with a keyword in a column of 14 characters. They describe the
// run in the words of the case; all numbers come from the plan and the summary.

namespace isotherm::app {

/// Returns the lines before the first iteration: build, problem and grid, method, devices, memory.
/// @param shared_devices  true if ranks share a GPU on any host
std::vector<std::string> header_lines(Case const& chosen, RunPlan const& plan, int ranks,
                                      bool shared_devices);

/// Returns lines on the execution, for users who examine the speed: the decomposition, the
/// transport of halos, and the sweep plan.
/// @param transport, sweep  those of the solver, or as planned if there is no solver
std::vector<std::string> detail_lines(Case const& chosen, RunPlan const& plan,
                                      std::string const& transport, SweepPlan const& sweep);

/// Returns the line on default checkpoints: their interval, and the space that they may need. Empty
/// if the case sets its own checkpoints, or if there are none.
std::string default_checkpoint_line(Case const& chosen, OutputSizes const& sizes,
                                    BackgroundOutput const& background);

/// Returns lines on the output: directory, sizes, free space, and whether it is written in the
/// background.
std::vector<std::string> output_lines(Case const& chosen, OutputSizes const& sizes,
                                      BackgroundOutput const& background);

/// Returns one line on the outcome of the run: iterations, residual, and advice if the tolerance
/// was not reached.
std::string outcome_line(Case const& chosen, Summary const& summary);

/// Returns the lines after the last iteration: the division of the time, the rate, and fields that
/// were not written.
std::vector<std::string> footer_lines(Performance const& performance, OutputCounts const& output);

/// Returns the last lines: statistics of the field, fluxes, and the files to open.
std::vector<std::string> result_lines(Case const& chosen, Summary const& summary);

/// Returns one line of a dry run: the estimated time of the run, and the measurement behind it.
std::string estimate_line(Case const& chosen, TimeEstimate const& estimate);

}  // namespace isotherm::app
