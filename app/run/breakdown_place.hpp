#pragma once

#include <string>

#include "case/case.hpp"
#include "solver/iteration/solver_interface.hpp"

namespace isotherm::app {

/// Describes the place at which a field broke down, as a suffix of an error message.
///
/// Names the first point that is not finite, or the largest value if all are finite. Also names the
/// rank that owns the point, and the key of the case that may help. Example: "; 12 values are not
/// finite, the first at x = 0.5, y = 0.25 (rank 1); [grid] precision = "float64" allows numbers up
/// to 1e308 instead of 1e38". Collective; copies the field to host memory.
/// @pre every rank has caught the Breakdown, since the search is collective
std::string place_of_breakdown(mpi::Communicator const& ranks, Case const& chosen, Solver& solver);

}  // namespace isotherm::app
