#pragma once

#include <string>

#include "io/snapshot/snapshot.hpp"
#include "jobs/case/case.hpp"
#include "solver/solver.hpp"

namespace isotherm {

/// What a file says of a solver's field beside its values. Collective.
SnapshotInfo describe_field(Case const& chosen, Solver& solver);

/// A solver's state as a JSON object, every bit of its numbers kept.
std::string to_json(SolverState const& state);

/// The inverse. @throws InputError  where the text is no such object, or one of a state that cannot
///                                  be: a negative iteration, a residual that is no norm
SolverState solver_state_from_json(std::string const& text);

/// The state in a snapshot file. @throws InputError  as above, naming the file; also where the
/// state
///                                                   is of another iteration than the file
SolverState solver_state_of(SnapshotFile const& file);

}  // namespace isotherm
