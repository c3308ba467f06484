#pragma once

#include <optional>
#include <span>
#include <vector>

#include "solver/solver.hpp"

namespace isotherm {

/// The iteration at which a residual will have fallen to `wanted`, judged by its history, oldest
/// first: the logarithms of the newest third are fitted by a straight line, which is followed on.
/// Of a third and not of all, because a relaxation's residual falls steeply at first, while errors
/// of all lengths decay, and the more slowly the fewer are left. The line goes by medians, so that
/// single residuals that stand out do not turn it. Nothing where there are fewer than four
/// residuals, or they do not fall.
std::optional<double> forecast_iteration(std::span<Residual const> history, double wanted);

/// Keeps a history that is long enough for a forecast and short enough to be fitted often: where it
/// grows too long every second residual is left out.
class ResidualHistory {
 public:
  /// In the order of their iterations.
  void add(std::vector<Residual> const& residuals);
  [[nodiscard]] std::span<Residual const> residuals() const { return kept_; }

 private:
  std::vector<Residual> kept_{};
};

}  // namespace isotherm
