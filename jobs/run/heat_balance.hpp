#pragma once

#include <optional>
#include <string>

#include "jobs/run/convergence_check.hpp"
#include "jobs/run/prepared_run.hpp"
#include "solver/solver.hpp"

namespace isotherm {

/// The heat balance of a field that claims to be steady: what flows into the points whose values
/// are unknown, and out of them, point by point, in float64 and of the case's own numbers.
struct HeatBalance {
  double in = 0.0;
  double out = 0.0;
  double net = 0.0;       ///< what is left, which is 0 in a solution
  double rounding = 0.0;  ///< the largest |net| that rounding of the stored field explains
  double allowed = 0.0;   ///< the largest |net| that an error within the tolerance explains
                          ///< (largest_balance); infinite if the tolerance bounds the residual
  /// False if the error of the field must be larger than the tolerance.
  [[nodiscard]] bool closes() const;
};

/// Measures the heat balance of the solver's field. Reads the field at faces and around fixed
/// regions only, but evaluates the source at all points. None where it says nothing of the field:
/// where no point has a given value, or the source is changed so that it cancels
/// (compatible = "project"); or where the memory does not suffice. Collective.
/// @param check  what has confirmed that the tolerance is reached
std::optional<HeatBalance> measure_heat_balance(mpi::Communicator const& ranks,
                                                PreparedRun const& run, Solver& solver,
                                                ConvergenceCheck const& check);

/// "3.15 flows in and 3.2 out: they differ by 0.05", and what explains that, or does not.
std::string in_words(HeatBalance const& balance);

}  // namespace isotherm
