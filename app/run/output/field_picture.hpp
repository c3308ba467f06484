#pragma once

#include <filesystem>
#include <string>

#include "case/case.hpp"
#include "decomposition/field/point_mask.hpp"
#include "decomposition/grid/subdomain.hpp"
#include "decomposition/ranks/mpi.hpp"
#include "io/files/atomic_file.hpp"
#include "io/picture/picture.hpp"
#include "solver/problem/values.hpp"

namespace isotherm::app {

/// Returns the flags of the points that this rank owns: which of them are excluded. Collective only
/// if points can be excluded.
PointMask owned_excluded_points(mpi::Communicator const& ranks, Subdomain const& subdomain,
                                Problem const& problem);

/// Returns options with the functions of a problem, which must outlive them: the number of the
/// material and the conductivities at a point.
PictureOptions picture_options(Problem const& problem);

/// Draws a field of a case, as [output] asks for: the excluded points white, with grey lines
/// between materials. Collective.
/// @param title     one line
/// @param values    of the points that this rank owns, dense, x fastest
/// @param excluded  owned_excluded_points()
/// @throws Error  on every rank
void draw_field(mpi::Communicator const& ranks, std::filesystem::path const& file,
                Case const& chosen, std::string const& title, PictureFormat format,
                Subdomain const& subdomain, ConstValues values, PointMask const& excluded,
                MayReplace const& may_replace = {});

}  // namespace isotherm::app
