#pragma once

#include <optional>
#include <string>

#include "app/run/prepare/prepared_run.hpp"
#include "app/run/schedule/convergence_check.hpp"
#include "case/probe.hpp"
#include "solver/solver.hpp"

// Heat balance of a steady field. In a solution of ∇·(k∇u) + f = 0 the boundary fluxes and the
// source add up to 0. In an approximation they leave the imbalance −1ᵀA e, with e the error and A
// the operator. An imbalance larger than any error within the tolerance can cause (largest_balance)
// refutes the estimated error.

namespace isotherm::app {

/// The heat balance of a field that claims to be steady: the flows into and out of the unknown
/// points. They are summed point by point, in float64 and with the numbers of the case.
struct HeatBalance {
  double in = 0.0;        ///< sum of the flows into unknown points
  double out = 0.0;       ///< sum of the flows out of them, positive
  double net = 0.0;       ///< imbalance; 0 in a solution
  double rounding = 0.0;  ///< maximum of |net| that rounding of the stored field explains
  /// Maximum of |net| that an error within the tolerance explains (largest_balance). Infinite if
  /// the tolerance bounds the residual instead of the error.
  double allowed = 0.0;
  /// The flow that the range of values would cause across all conductances to given values; 0 if
  /// the range is not known.
  double scale = 0.0;
  /// Returns false if the error of the field must be larger than the tolerance.
  [[nodiscard]] bool closes() const;
};

/// Returns true if the meter of a quantity, flux or energy, fits into the memory in addition to the
/// run, on all ranks. Collective.
bool fits_with_run(mpi::Communicator const& ranks, PreparedRun const& run, Quantity quantity);

/// Measures the heat balance of the solver's field. Collective.
///
/// Reads the field at faces and around fixed regions only, but evaluates the source at all points.
/// @returns  none if the balance is no test of the field: no point has a given value, or the source
///           is modified to cancel (compatible = "project"). None, too, if the memory does not
///           suffice on any rank.
/// @param check  the confirmation that the tolerance is reached; its residual tightens the bound
std::optional<HeatBalance> measure_heat_balance(mpi::Communicator const& ranks,
                                                PreparedRun const& run, Solver& solver,
                                                ConvergenceCheck const& check);

/// Returns "inflow 3.15, outflow 3.2, point by point at faces, fixed and floating regions and
/// sources: they differ by 0.05", followed by an explanation if the difference exceeds 1 % of the
/// flow. If it exceeds the sum of both bounds,
/// they follow instead.
std::string describe(HeatBalance const& balance);

}  // namespace isotherm::app
