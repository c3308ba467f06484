#pragma once

#include <optional>
#include <span>
#include <vector>

#include "solver/solver.hpp"

// Linear convergence, r(n) ≈ C·qⁿ, is a straight line in a plot of log r over n. The forecast fits
// such a line to the newest residuals and extrapolates it.

namespace isotherm::app {

/// Predicts the iteration at which the residual falls to `wanted`.
///
/// Fits a straight line to the logarithms of the newest third of the history (the Theil–Sen
/// estimator) and extrapolates it. Only a third, since the residual of a relaxation falls steeply
/// at first, while errors of all wavelengths decay, and later more slowly. Medians keep the line
/// robust against outliers.
/// @param history  residuals, oldest first
/// @param wanted   the residual to be reached, in the unit of the history
/// @return         the iteration, not rounded; nothing if there are fewer than four residuals, if
/// one
///                 of the newest is 0, or if they do not fall
std::optional<double> forecast_iteration(std::span<Residual const> history, double wanted);

/// A history of residuals, long enough for a forecast and short enough to be fitted often. If it
/// becomes too long, every second residual is dropped.
class ResidualHistory {
 public:
  /// Appends residuals in the order of their iterations. Repeated iterations are ignored.
  void add(std::vector<Residual> const& residuals);
  /// Returns the residuals that are kept, oldest first.
  [[nodiscard]] std::span<Residual const> residuals() const { return kept_; }

 private:
  std::vector<Residual> kept_{};
};

}  // namespace isotherm::app
