#pragma once

#include <string>

#include "jobs/case/case.hpp"
#include "solver/iteration/solver_interface.hpp"

namespace isotherm {

/// Where a field went wrong, for the message that says so: its first point that is not finite, or
/// the one with the largest value; which rank has it; and which key of the case may help. "; first
/// at x = 0.5, y = 0.25 (rank 1; 12 points in all); [grid] precision = "float64" holds larger
/// numbers". Collective.
std::string place_of_breakdown(mpi::Communicator const& ranks, Case const& chosen, Solver& solver);

}  // namespace isotherm
