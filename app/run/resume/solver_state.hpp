#pragma once

#include <string>

#include "case/case.hpp"
#include "io/snapshot/snapshot.hpp"
#include "solver/solver.hpp"

namespace isotherm::app {

/// Returns the description that a file stores with the values of a solver's field: iteration, time,
/// case, fingerprint, solver state and version. Collective; waits for the newest residual.
SnapshotInfo describe_field(Case const& chosen, Solver& solver);

/// Returns a solver's state as a JSON object. Numbers keep every bit, so a resumed run is exact.
std::string to_json(SolverState const& state);

/// Adds the point at which a criterion ended the run to such an object, as "stop". A resumed run
/// ignores it.
std::string with_stop_point(std::string const& state, StopPoint const& point);

/// The inverse of to_json().
/// @throws InputError  if the text is no such object, or describes an impossible state, such as a
///                     negative iteration or residual
SolverState solver_state_from_json(std::string const& text);

/// Returns the solver's state in a snapshot file, from its description. Serial; no file is read.
/// @throws InputError  like solver_state_from_json(), naming the file; also if the iterations or
///                     times of state and file disagree
SolverState solver_state_of(SnapshotFile const& file);

}  // namespace isotherm::app
