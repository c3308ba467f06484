#pragma once

#include <string>
#include <utility>
#include <vector>

#include "solver/problem/problem.hpp"

// Heat sources in a region or at a place.
//
// The discrete equation integrates the source over control volumes V. A region covers the share s
// of each, so a density q puts in q s V there. A total power P is divided in proportion:
//
//   P s V / Σ s V
//
// The sum extends over the points that can be heated. Fixed and insulated points cannot be heated,
// nor can points on Dirichlet faces. What an insulated region covers does not count either, so s is
// then the share outside of it. Therefore exactly P is put in, on any grid and any number of
// ranks. A power at a place is divided among the corners of the grid cell around it by the weights
// of multilinear interpolation, which preserve its centroid.
//
// The bounds of a source are rounded. If it overlaps a volume, or the open part of one, by less
// than 1e-7 of what it could, that is no overlap. Else a source that ends at a wall would heat the
// chamber beyond, which may have no given value.

namespace isotherm {

/// Heat that is put into a part of the box.
class RegionalSource {
 public:
  /// Makes a source in a region. Every rank evaluates the shares of all points of `within`, on all
  /// threads, so the sums have the same bits everywhere.
  /// @param within  a box that contains all points of the region (global indices)
  RegionalSource(Problem const& problem, Region const& where, GlobalBox within);
  /// Makes a source at a place inside the grid.
  RegionalSource(Problem const& problem, PerAxis<double> const& place);

  /// Returns the volume (in 2D: the area) that the region covers of control volumes that can be
  /// heated. At a place, the fraction of its weights; 0 if nothing can be heated.
  [[nodiscard]] double heated() const { return heated_; }
  /// Returns the volume that the region covers of all control volumes.
  [[nodiscard]] double covered() const { return covered_; }

  /// Returns the source term of a density of heat, for which f = density · s.
  [[nodiscard]] ScalarFunction of_density(ScalarFunction const& density) const;
  /// Returns the source term of a total power, a constant or a function of time.
  /// @pre heated() > 0
  [[nodiscard]] ScalarFunction of_power(ScalarFunction const& power) const;

 private:
  using Shares = std::function<double(PerAxis<double> const& point)>;

  /// Returns the function value · s · factor. `value` is not called if s is 0.
  [[nodiscard]] ScalarFunction with_shares(ScalarFunction const& value, double factor) const;

  std::string text_;      ///< description for ScalarFunction::text
  Shares shares_;         ///< s; at a place, the weight per volume
  double covered_ = 0.0;  ///< these two: see their functions
  double heated_ = 0.0;
};

/// Returns the volume (in 2D: the area) that a region covers of control volumes, with the bits of
/// RegionalSource::covered() unless a source overlaps a volume by rounding. Evaluated on all
/// threads.
/// @param within  a box that contains all points of the region (global indices)
double covered_volume(Grid const& grid, Region const& region, GlobalBox within);

/// A volume by samples, with the standard error that random places would have.
struct SampledVolume {
  double volume = 0.0;
  double error = 0.0;
};
/// Returns the volume (in 2D: the area) of a region by a million places, on a Cartesian grid. It
/// does not depend on how the grid covers the region. Evaluated on all threads.
/// @param within  a box that contains all points of the region (global indices)
SampledVolume sampled_volume(Grid const& grid, Region const& region, GlobalBox within);

/// Returns the source that is the sum of a function and of terms. The function applies to the open
/// shares of control volumes.
ScalarFunction sum_of(Problem const& problem, ScalarFunction const& everywhere,
                      std::vector<SourceTerm> const& terms);

}  // namespace isotherm
