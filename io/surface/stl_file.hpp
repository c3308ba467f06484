#pragma once

#include <filesystem>
#include <vector>

#include "io/surface/closed_surface.hpp"

namespace isotherm {

/// Reads the triangles of an STL file, binary or text. Normals and attributes are ignored, since
/// the order of the corners determines the side. A file may have at most 5 million triangles.
/// @param scale  factor of all coordinates, as 0.001 for a file in millimetres
/// @param offset  is added after that
/// @throws InputError  if the file cannot be read, is damaged, or contains no triangle
std::vector<Triangle> read_stl(std::filesystem::path const& path, double scale,
                               PerAxis<double> const& offset);

}  // namespace isotherm
