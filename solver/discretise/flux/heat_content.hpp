#pragma once

#include "kernels/core/box.hpp"
#include "solver/problem/problem.hpp"

namespace isotherm {

/// The heat content per volume, H(u) = ∫ c du, of a heat capacity c that may depend on the field.
///
/// The integral is that of Gauss's rule of three points on panels of fixed places, which is exact
/// for polynomials up to degree 5. Panels end where c or its slope jumps
/// (ScalarFunction::breaks_in_u), so tables are integrated exactly, too. H is a continuous function
/// of u alone: the heat between two values does not depend on the steps that lead from one to the
/// other.
class HeatContent {
 public:
  /// @param problem  must outlive the object; its given_range() determines the panels
  explicit HeatContent(Problem const& problem);

  /// True if the capacity depends on the field. If not, H = c u.
  [[nodiscard]] bool depends_on_u() const { return capacity_->depends_on_u; }
  /// Returns c(u) at a point (global index).
  [[nodiscard]] double capacity(Index3 global, double u) const;
  /// Returns H(to) − H(from) at a point. NaN if c is not a positive number between both, or if they
  /// are more than a thousand ranges of the given values apart.
  [[nodiscard]] double between(Index3 global, double from, double to) const;

 private:
  /// Returns the begin of the panel that contains u, and the end of the panel that begins at u.
  [[nodiscard]] double panel_begin(double u) const;
  [[nodiscard]] double panel_end(double u) const;

  Grid const* grid_;
  ScalarFunction const* capacity_;
  double width_ = 1.0;  ///< of panels
};

/// True if ∫ c du exists from u = 0 to the given values, so a heat content can be counted from 0.
/// Always true if the capacity does not depend on the field.
bool counts_heat_from_zero(Problem const& problem);

}  // namespace isotherm
