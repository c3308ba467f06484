#pragma once

#include <optional>

#include "decomposition/ranks/mpi.hpp"
#include "jobs/case/case.hpp"
#include "jobs/run/resume.hpp"
#include "jobs/run/summary.hpp"

namespace isotherm {

/// Whether a run of the method has no iteration left to do from this state.
bool is_at_end(MethodSettings const& method, SolverState const& state);

/// How the run ended that wrote the case's output directory, where it came to its end with the
/// field to go on from, wrote its summary, and had the same case but for where and how it was
/// computed: then there is nothing to do. Collective.
std::optional<Outcome> ended_run(mpi::Communicator const& ranks, Case const& chosen,
                                 ResumePoint const& point);

}  // namespace isotherm
