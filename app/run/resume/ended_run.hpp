#pragma once

#include <optional>

#include "app/run/report/summary.hpp"
#include "app/run/resume/resume.hpp"
#include "case/case.hpp"
#include "decomposition/ranks/mpi.hpp"

namespace isotherm {

/// Returns true if a run of this method has no iteration left to do from this state. It is at its
/// limit, or at a check with a residual that meets the tolerance.
bool is_at_end(MethodSettings const& method, SolverState const& state);

/// Returns the outcome of the earlier run if resuming it would change nothing.
///
/// That is true if the run in the output directory reached its end with the field of `point`, wrote
/// its summary, and had the same case. Only the place and manner of computing may differ (device,
/// ranks, plan). Otherwise the result is empty. Collective; the root reads the files.
std::optional<Outcome> ended_run(mpi::Communicator const& ranks, Case const& chosen,
                                 ResumePoint const& point);

}  // namespace isotherm
