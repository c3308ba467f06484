#pragma once

#include <string>

#include "solver/solver.hpp"

namespace isotherm {

/// A solver's state as a JSON object, every bit of its numbers kept.
std::string to_json(SolverState const& state);

/// The inverse. @throws InputError  where the text is no such object
SolverState solver_state_from_json(std::string const& text);

}  // namespace isotherm
