#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/run/prepare/prepared_run.hpp"
#include "decomposition/ranks/mpi.hpp"
#include "solver/solver.hpp"

namespace isotherm::app {

/// A component along an axis.
struct AxisValue {
  int axis = 0;  ///< 0, 1 or 2: x, y or z
  double value = 0.0;
};

/// The mean heat flux density through a periodic cell whose field has a mean gradient G.
struct MeanFlux {
  /// Along each periodic axis of two points or more (EnergyMeter::mean_flux), in units of
  /// κ · u / length.
  std::vector<AxisValue> flux{};
  /// If G points along one axis: −flux / G, that axis' column of the tensor of the effective
  /// conductivity, in units of κ. Empty if G has several components, if anything else drives a flux
  /// (a source, a face, or fixed regions of different values), or in diffusion.
  std::vector<AxisValue> conductivity{};
};

/// Measures the mean flux of the solver's field. None if the problem has no mean gradient, or if
/// there is no memory left for the measurement. Collective; waits.
std::optional<MeanFlux> measure_mean_flux(mpi::Communicator const& ranks, PreparedRun const& run,
                                          Solver& solver);

/// Returns the text for the log: "x -1.5, y 0; effective conductivity x 1.5, y 0".
std::string describe(MeanFlux const& found);

}  // namespace isotherm::app
