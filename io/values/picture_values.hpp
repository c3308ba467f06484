#pragma once

#include <filesystem>
#include <memory>

#include "io/values/value_source.hpp"

namespace isotherm {

/// Reads the grey levels of a PNG picture, from 0 (black) to 1 (white), in steps of 1/255. Colours
/// become their luminance. Its first row has the largest index of the slower axis, so a picture of
/// an (x, y) plane has y upwards. All values are kept in memory.
/// @param stretch  the picture covers the grid's box, and a point has the value of the pixel that
///        contains it; otherwise it must have a pixel for each point
/// @throws InputError  if the file is not such a picture, if it has transparent pixels, or if the
///         shape does not have two axes
std::unique_ptr<ValueSource> open_picture(std::filesystem::path const& path, bool stretch,
                                          RequiredShape const& wanted);

}  // namespace isotherm
