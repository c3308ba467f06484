#pragma once

#include <filesystem>
#include <string>

#include "decomposition/grid/subdomain.hpp"
#include "decomposition/ranks/mpi.hpp"
#include "io/files/atomic_file.hpp"
#include "io/picture/picture_format.hpp"
#include "io/picture/picture_look.hpp"

namespace isotherm {

struct PictureOptions {
  std::string title;        ///< on one line; what cannot be drawn is replaced
  std::string field = "u";  ///< stands above the colour bar
  PictureFormat format = PictureFormat::png;
  PictureLook look{};
};

/// More bytes than a picture takes, as far as that can be known before: all points of the panels
/// in full colour, which no compression makes smaller where the field is noise, and beside them
/// axes, title and fonts. Contours of noise in "svg" and "pdf" may take more.
double most_picture_bytes(PictureFormat format, bool contours);

/// Draws a field with axes and a colour bar: in 2D the field, in 3D the planes that are asked for.
/// Collective: each rank contributes its share of at most a screenful of sampled points, the root
/// draws and writes (to a temporary name, renamed). `owned`: dense, x fastest.
/// @throws Error  also what `may_replace` throws on the root
template <class Real>
void write_picture(mpi::Communicator const& ranks, std::filesystem::path const& path,
                   Subdomain const& subdomain, Real const* owned, PictureOptions const& options,
                   MayReplace const& may_replace = {});

}  // namespace isotherm
