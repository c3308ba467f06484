#pragma once

#include <optional>

#include "app/run/report/summary.hpp"
#include "app/run/resume/resume.hpp"
#include "case/case.hpp"
#include "decomposition/ranks/mpi.hpp"

namespace isotherm::app {

/// Returns true if a run of this method has no iteration left to do from this state. It is at its
/// limit, or at a check with a residual that meets the tolerance. Not collective.
/// @pre the time steps of `method` are laid out from `state`; see continue_from()
bool is_at_end(MethodSettings const& method, SolverState const& state);

/// Returns the outcome of the earlier run if resuming it would change nothing.
///
/// The run in the output directory must have reached its end with the field of `point` and written
/// its summary. Its case must be the same, except for the execution (device, ranks, plan).
/// Otherwise the result is empty. Collective; the root reads the files.
/// @returns  Outcome::done, Outcome::not_converged, or nothing; the same on every rank
std::optional<Outcome> ended_run(mpi::Communicator const& ranks, Case const& chosen,
                                 ResumePoint const& point);

}  // namespace isotherm::app
