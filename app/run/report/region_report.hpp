#pragma once

#include <optional>
#include <string>
#include <vector>

#include "case/case.hpp"

// The regions of a case on its grid: requested and discrete volumes, areas and powers.

namespace isotherm::app {

/// A region with its measure: a volume (in 2D an area), or for a patch, a [[contact]], the surface
/// of a [[convection]] or [[radiation]], and the film of a [[fixed]], an area (in 2D a length).
struct MeasuredRegion {
  PlacedRegion placed;
  std::optional<double> asked{};  ///< of the shape, within the grid; none for most expressions
  std::optional<double> found{};  ///< on the grid; none if it would take long to find
  /// Source regions: the fraction of `found` that lies in control volumes of unknowns. The rest
  /// cannot be heated (RegionalSource). 1 for other regions.
  double heated_share = 1.0;
  /// The measure of an expression or a surface of triangles by samples, if it differs from `found`:
  /// the grid misses parts that are thinner than half a spacing.
  std::optional<double> sampled{};

  /// Returns (found − asked) / asked, if both are known.
  [[nodiscard]] std::optional<double> deviation() const;
};

/// Measures all regions of a case. A region that is an expression is measured only if the grid has
/// at most two million points. Not collective.
std::vector<MeasuredRegion> measure_regions(Case const& chosen);

/// Returns why a region of a kind has the measure 0: "the materials do not touch".
std::string reason_for_zero(std::string const& kind);

/// Returns a warning for each contact, convection and radiation that acts nowhere, for each region
/// of which the grid misses a part, and for each film whose area differs by more than 1 %.
std::vector<std::string> remarks_on_regions(std::vector<MeasuredRegion> const& regions);

/// Returns a warning for each face and patch whose constant flux enters nowhere, because insulated
/// regions shut all of it. Not collective.
std::vector<std::string> remarks_on_fluxes(Problem const& problem);

/// Returns a warning if parts of the medium are thinner than the spacing: open volumes near no grid
/// point of the medium, whose values no picture, extreme or probe shows. None on grids of more than
/// 200 000 points. Not collective.
std::vector<std::string> remarks_on_thin_parts(Problem const& problem);

/// Returns a line for each region, with a warning if the measures differ by more than 0.1 %. If
/// there are more than twenty regions, only remarkable ones have lines, at most twenty. A last line
/// gives the number of the others.
std::vector<std::string> region_lines(std::vector<MeasuredRegion> const& regions, Grid const& grid);

}  // namespace isotherm::app
