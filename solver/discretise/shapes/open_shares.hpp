#pragma once

#include <vector>

#include "solver/discretise/shapes/cell.hpp"
#include "solver/problem/problem.hpp"

// The open shares of control volumes and of their faces: the fractions that lie outside of
// insulated regions.
//
// A link whose face has the open share α conducts g = κ A α / h, and a control volume holds the
// heat of its open share. Every point whose volume is open is an unknown, even if the point itself
// lies in the region. The solution is then second order in the heat flow (Y. T. Ng, C. Min and F.
// Gibou, J. Comput. Phys. 228, 8807, 2009).
//
// Sheets that are thinner than a spacing must separate their two sides:
//
// - A flat sheet across a link (a box, or the ends of a cylinder) may lie between two faces. Its
//   share is then taken where the sheet is, so a plane sheet is exact at any offset.
// - For an expression, a link is open only if a path through its face avoids the region: from point
//   to point, or to the open corners of a volume whose point lies inside. A point inside is shut if
//   the region divides the corners of its volume.
//
// Fluids on the surface of an insulated region ([[convection]]) shut what they fill, too; their
// heat enters by films (films/surface_film.hpp).
//
// Fixed regions lie on top of insulated ones, so what they cover is open. Regions that are known at
// points only have no surface and no part in these functions: the points in them are shut.

namespace isotherm {

/// Volumes with a smaller open share are shut.
constexpr double minimum_open_share = 1e-3;

/// Share of a gap, or of a control volume's width, within which the surface of an expression
/// coincides with a face.
constexpr double coincidence = 1e-8;

/// False if no insulated region has a surface, so all shares are 1.
bool has_open_shares(Problem const& problem);

/// Returns the fraction of a cell outside of insulated regions, between 0 and 1.
/// @param point  the grid point that the cell belongs to
double open_share(Problem const& problem, Cell const& cell, PerAxis<double> const& point);
/// Returns the open fraction of a point's control volume. (Global indices.)
double open_share_of_volume(Problem const& problem, Index3 global);
/// Returns the open fraction of a part of a boundary face. Surfaces that end short of the face by
/// rounding lie on it.
/// @param section  the part, without length across the face
double open_share_on(Problem const& problem, Face face, Cell section, PerAxis<double> const& point);
/// Returns the open fraction of a boundary face of a point's control volume.
double open_share_of_boundary(Problem const& problem, Face face, Index3 global);
/// Returns the open fraction of the face between a point and the next one along an axis. It has the
/// same bits from whichever point it is asked for.
/// @param lower  the lower point of the link, in global indices
double open_share_of_link(Problem const& problem, int axis, Index3 lower);

/// Returns the fraction of a point's control volume that a region covers outside of insulated
/// regions.
double open_share_within(Problem const& problem, Region const& region, Index3 global);

/// True if a point lies in an insulated region that is known at points only.
bool is_insulated_point(Problem const& problem, Index3 global);
/// True if the medium reaches into the volume of a point that lies in an insulated region or a
/// fluid: the volume is open, and so is a link of the point, or fluids alone shut all its links.
bool is_open(Problem const& problem, Index3 global);

/// True if insulation leaves no open part of the volume of a point outside of all regions, as a
/// half space without its surface does ("y > 0").
bool is_shut_in(Problem const& problem, Index3 global);

/// True if a point lies in a fluid that is thinner than the point's control volume along an axis.
/// Its surfaces then cancel in the volume, so the point remains fixed, and films on its links join
/// the neighbours to it.
bool is_in_thin_fluid(Problem const& problem, Index3 global);

/// Returns a source term, multiplied by the open share of each control volume.
ScalarFunction source_in_open_part(Problem const& problem, ScalarFunction const& source);
/// Returns a heat capacity, multiplied by the open share of each control volume; shut volumes keep
/// theirs, which nothing depends on.
/// @param layers  those that the capacity is the mean of: values[0] is the capacity. A volume that
///                insulation cuts then has the mean over its open part. None: the same everywhere
ScalarFunction capacity_of_open_part(Problem const& problem, ScalarFunction const& capacity,
                                     std::vector<MediumLayer> const& layers = {});

}  // namespace isotherm
