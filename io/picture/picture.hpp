#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "decomposition/grid/subdomain.hpp"
#include "decomposition/ranks/mpi.hpp"

namespace isotherm {

/// Writes a PNG of a field with axes and a colour bar: in 2D the field, in 3D the three mid slices.
/// Collective: each rank contributes its share of at most a screenful of sampled points, the root
/// draws and writes (to a temporary name, renamed). `owned`: dense, x fastest.
template <class Real>
void write_picture(mpi::Communicator const& ranks, std::filesystem::path const& path,
                   Subdomain const& subdomain, Real const* owned, std::string const& title);

}  // namespace isotherm
