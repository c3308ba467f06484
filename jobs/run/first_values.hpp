#pragma once

#include <memory>
#include <optional>

#include "jobs/run/prepared_run.hpp"

namespace isotherm {

/// Builds the solver of a prepared run, with the values that the run begins with: the case's own, a
/// person's, or those of the file that it goes on from. Warnings are added to the run's.
/// Collective.
/// @param[out] resumed_from  that file, where there is one
/// @throws InputError  on every rank, where values are damaged or not finite, or the transport that
///                     is asked for cannot work here
std::unique_ptr<Solver> make_first_values(mpi::Communicator const& ranks, PreparedRun& run,
                                          std::optional<ResumePoint>& resumed_from);

}  // namespace isotherm
