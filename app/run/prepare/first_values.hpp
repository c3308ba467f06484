#pragma once

#include <memory>
#include <optional>

#include "app/run/prepare/prepared_run.hpp"

namespace isotherm::app {

/// Creates the solver of a prepared run and sets its initial values.
///
/// The values are those of the case, of an [initial] file, or of the file that the run resumes
/// from. Warnings are added to those of the run. Collective.
///
/// This is the first function of a run that allocates fields. It writes nothing to the disk.
/// @pre `run` comes from prepare_run() or prepare_unwritten_run()
/// @param[out] resumed_from  the file that the run resumes from, if there is one
/// @throws InputError  on every rank, if values are damaged or not finite, or the requested
///                     transport cannot work here
std::unique_ptr<Solver> make_first_values(mpi::Communicator const& ranks, PreparedRun& run,
                                          std::optional<ResumePoint>& resumed_from);

}  // namespace isotherm::app
