#pragma once

#include <cstdint>
#include <string>

#include "kernels/core/queue/queue.hpp"
#include "solver/problem/settings.hpp"

namespace isotherm {

/// Returns the line of the log that reports that aggregates have replaced the coarser grids.
/// @param iteration  the first one with aggregates
/// @param rate       the part of the error that a step has left before
std::string event_of_aggregates(std::int64_t iteration, double rate);
/// Returns the line of the log that reports that coarser grids converge slowly, and why they are
/// not replaced: the backend is CUDA, or memory is short.
std::string event_without_aggregates(Backend backend, double rate);
/// Returns the remark of a run in time whose steps are preconditioned by aggregates.
std::string remark_on_aggregates(double rate);
/// @throws InputError  if the settings ask for aggregates on a device
void check_backend_of_aggregates(MultigridSettings const& settings, Backend backend);

}  // namespace isotherm
