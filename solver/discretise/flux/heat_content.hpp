#pragma once

#include <vector>

#include "kernels/core/box.hpp"
#include "solver/problem/problem.hpp"

namespace isotherm {

/// The heat content per volume, H(u) = ∫ c du, of a heat capacity c that may depend on the field.
///
/// The integral is that of Gauss's rule of three points on fixed pieces of the axis of u. They end
/// where c or its slope jumps and are as short as c requires (ScalarFunction::breaks_in_u, or
/// pieces_in_u()). H is a continuous function of u alone: the heat between two values does not
/// depend on the steps that lead from one to the other, nor on the other values of the problem.
class HeatContent {
 public:
  /// @param problem  must outlive the object
  explicit HeatContent(Problem const& problem);

  /// True if the capacity depends on the field. If not, H = c u.
  [[nodiscard]] bool depends_on_u() const { return capacity_->depends_on_u; }
  /// Returns c(u) at a point (global index).
  [[nodiscard]] double capacity(Index3 global, double u) const;
  /// Returns H(to) − H(from) at a point. NaN if c is not a positive number between both.
  [[nodiscard]] double between(Index3 global, double from, double to) const;

 private:
  Grid const* grid_;
  ScalarFunction const* capacity_;
  std::vector<double> ends_{};  ///< of pieces, ascending
};

/// True if ∫ c du exists from u = 0 to the given values, so a heat content can be counted from 0.
/// Always true if the capacity does not depend on the field.
bool counts_heat_from_zero(Problem const& problem);

}  // namespace isotherm
