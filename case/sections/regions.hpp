#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "case/case.hpp"
#include "case/sections/parts.hpp"
#include "solver/problem/medium.hpp"

// Region selection: which points a [[material]], [[source]], [[fixed]], [[insulated]] or
// [[boundary.patch]] covers.
//
// A table selects points by exactly one of `where` (an expression, or a file of flags), `box`,
// `ball`, `cylinder` and `stl` (a surface in a file). Shapes are closed sets: points on their
// surface belong to them, with a tolerance of a billionth of the narrowest gap.

namespace isotherm {

/// A set of points in space, as a table of a case selects it.
struct CaseRegion {
  Region region{};
  /// A bounding box in grid points: no point outside of it is in the region.
  GlobalBox within{};
  /// The center of the region. If the region contains any point of the grid, it contains the one
  /// nearest to the center. Empty if the region is an expression.
  std::optional<PerAxis<double>> middle{};
  /// The key that selects the region: "where", "box", "ball", "cylinder" or "stl".
  std::string key{};
  /// The values of the file, if `where` names one.
  std::shared_ptr<DataField> data{};
  /// The extent of a surface from a file, for messages; else empty.
  std::string extent{};
};

/// Reads the region that a table selects. Needs the grid.
/// @param face  the face to whose points a file belongs; none: the points of the grid
/// @throws InputError  if no key selects points, if several do, or if a shape is invalid
CaseRegion read_region(CaseSection const& section, Problem const& problem,
                       CaseDocument const& document, std::optional<Face> face = std::nullopt);

/// Returns true if an expression is true at some place of the grid's box, between points, too. The
/// expression needs bounds; a region without volume has no such place.
bool contains_a_place(Region const& region, Grid const& grid);

/// Refuses a region that contains none of `points`, as far as that can be determined.
///
/// An expression is evaluated at all points unless there are too many of them. A file is checked
/// later, with its values.
/// @param whose  names the points in the message: "the grid's points", "the points of the face
///        z_lower"
/// @param closes  the first point of a periodic axis counts at the axis's upper end, too
void require_points(CaseSection const& section, CaseRegion const& region, Grid const& grid,
                    GlobalBox const& points, std::string const& whose, bool closes = false);

/// Returns whether [grid] shapes is "exact", the default. Regions then cover exact shares of links,
/// faces and volumes. Otherwise they are sets of grid points.
bool has_exact_shapes(CaseDocument const& document);

/// Refuses a power that is not finite, or depends on the place.
/// @param of_what  what has the power, for the message: "source, or an expression of t"
void require_power(CaseSection const& section, ScalarFunction const& power,
                   std::string const& of_what);

/// Refuses a solid that has no volume within the grid, or no area on a face.
/// @param face  the face of a patch; none: the volume is required
/// @pre  region.region.solid is set, so the region is a box, a ball or a cylinder
void require_volume(CaseSection const& section, CaseRegion const& region, Grid const& grid,
                    std::optional<Face> face = std::nullopt);

/// Returns where the grid or the face is, and the region, as the end of a message:
/// " (the face has x from 0 to 1, y from 0 to 1, z = 1; the ball has x from …)". Empty if the
/// region is not a box, ball or cylinder.
/// @param face  the face of a patch; none: the grid
std::string sizes_in_words(CaseRegion const& region, Grid const& grid,
                           std::optional<Face> face = std::nullopt);

/// Returns all regions of a case that are to be measured, in the order of the case. Needs a valid
/// case.
std::vector<PlacedRegion> list_regions(CaseDocument const& document, Problem const& problem);

/// Returns the name of a region, which becomes part of column names; empty if it has none.
std::string read_region_name(CaseSection const& section);

}  // namespace isotherm
