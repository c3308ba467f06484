#pragma once

#include <filesystem>
#include <vector>

#include "jobs/case/case_parts.hpp"

namespace isotherm {

/// The coordinates that tables x, y, z of [grid] list, or name a file of; empty where an axis has
/// none of them. @throws InputError  where one of these tables says nothing, or too much
PerAxis<std::vector<double>> listed_coordinates(CaseDocument const& document, int dimension);

/// The files that these tables name; empty where an axis has none.
PerAxis<std::filesystem::path> axis_files(CaseDocument const& document);

/// Whether a table of [grid] lists coordinates.
bool lists_coordinates(CaseSection const& grid, int axis);

/// The grid with these coordinates, and with those that [grid] says by a stretching.
/// @param grid  with points, lower and upper
Grid graded(CaseDocument const& document, Grid const& grid,
            PerAxis<std::vector<double>> const& listed);

}  // namespace isotherm
