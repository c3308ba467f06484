#pragma once

#include <cstdint>
#include <string>

namespace isotherm {

/// Returns the line of the log that reports that cycles have replaced direct solutions.
/// @param iteration  the first one with cycles
std::string event_of_multigrid(std::int64_t iteration);
/// Returns the line of the log that reports that aggregates have replaced the coarser grids.
/// @param iteration  the first one with aggregates
/// @param rate       the part of the error that a cycle has left before
std::string event_of_aggregates(std::int64_t iteration, double rate);
/// Returns the line of the log that reports that coarser grids converge slowly, but are not
/// replaced, because memory is short.
std::string event_without_aggregates(double rate);
/// Returns the remark of a run in time whose steps are preconditioned by aggregates.
std::string remark_on_aggregates(double rate);

}  // namespace isotherm
