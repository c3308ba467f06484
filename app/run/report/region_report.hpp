#pragma once

#include <optional>
#include <string>
#include <vector>

#include "case/case.hpp"

// What the grid makes of the regions of a case: asked and discrete volumes, areas and powers.

namespace isotherm {

/// A region with its measure: a volume (in 2D an area), or for a patch an area (in 2D a length).
struct MeasuredRegion {
  PlacedRegion placed;
  std::optional<double> asked{};  ///< of the shape, within the grid; none for an expression
  std::optional<double> found{};  ///< on the grid; none if it would take long to find
  /// The part of a source or of a patch with a power that can be heated, of what was found.
  double heated_share = 1.0;

  /// Returns (found − asked) / asked, if both are known.
  [[nodiscard]] std::optional<double> deviation() const;
};

/// Measures all regions. Regions that are expressions are measured on grids of up to two million
/// points.
std::vector<MeasuredRegion> measure_regions(Case const& chosen);

/// Returns a line for each region, and a warning in the line if the measures differ by more than
/// 0.1 %. Of more than twenty regions only those that differ have lines, and one tells the number
/// of the others.
std::vector<std::string> region_lines(std::vector<MeasuredRegion> const& regions, int dimension);

}  // namespace isotherm
