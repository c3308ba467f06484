#pragma once

#include <memory>
#include <optional>
#include <string>

#include "jobs/case/case_parts.hpp"
#include "solver/problem/body.hpp"

namespace isotherm {

/// Some of the points of space, as a table of a case means them.
struct CaseRegion {
  Region region{};
  GlobalBox within{};  ///< the points of the grid beyond are not in it
  /// Where the point of a grid lies that is in the region if any is: nearest to here. None where
  /// the region is an expression.
  std::optional<PerAxis<double>> middle{};
  std::string key{};                  ///< that says it
  std::shared_ptr<DataField> data{};  ///< where it is a file
};

/// What a table of a case means by `where`, `box`, `ball` or `cylinder`. Needs the grid.
/// @param face  whose points a file that is named there is of; none: the grid's
CaseRegion read_region(CaseSection const& section, Problem const& problem,
                       CaseDocument const& document, std::optional<Face> face = std::nullopt);

/// Refuses a region that has none of `points`, where that can be told: an expression is looked at
/// at all of them if they are few enough,
/// and a file when its values are checked.
/// @param whose  "the grid's points", "the points of the face z_lower"
void require_points(CaseSection const& section, CaseRegion const& region, Grid const& grid,
                    GlobalBox const& points, std::string const& whose);

/// The name of a region, for the columns of tables; empty where it has none.
std::string read_region_name(CaseSection const& section);

}  // namespace isotherm
