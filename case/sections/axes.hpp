#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "case/sections/parts.hpp"

// Reads the tables x, y and z of [grid], which make an axis graded.
//
// Such a table has `coordinates`, `segments`, a `file` with a `dataset`, or a `stretch` function
// with a `strength`. The first three list the coordinates of all points; a stretching computes them
// from [grid] points, lower and upper. An axis without a table is uniform.

namespace isotherm {

/// Maximum number of listed coordinates on an axis: as many as read_list() accepts from a file.
constexpr std::int64_t max_listed = std::int64_t{1} << 22;

/// Reads the coordinates that the tables of [grid] list, or reads them from the named file. An axis
/// without a list has an empty vector.
/// @throws InputError  if a table defines no coordinates, defines them twice, or lists invalid ones
PerAxis<std::vector<double>> listed_coordinates(CaseDocument const& document, int dimension);

/// Returns the paths of the files with coordinates. An axis without one has an empty path.
PerAxis<std::filesystem::path> axis_files(CaseDocument const& document);

/// Returns whether the table of an axis lists coordinates, itself or in a file.
bool lists_coordinates(CaseSection const& grid, int axis);

/// Returns the grid with the listed coordinates, and with those that a stretching computes.
/// @param grid  a uniform grid, with its points, lower and upper
/// @param listed  the result of listed_coordinates()
/// @throws InputError  if a graded axis is periodic, has too many points, or a gap is not valid
Grid graded(CaseDocument const& document, Grid const& grid,
            PerAxis<std::vector<double>> const& listed);

}  // namespace isotherm
