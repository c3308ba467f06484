#pragma once

#include <string>
#include <vector>

namespace isotherm {

/// Joins PNG files of one size to an animated PNG, which repeats forever (PNG, third edition,
/// 2025). All browsers play it; programs that do not know it show the first frame. No pixel
/// changes.
/// @param seconds   for which each frame is shown
/// @param last_s    for which the last frame is shown
/// @throws InputError  if a file is no PNG, or if sizes or types of pixels differ
std::string animated_png(std::vector<std::string> const& frames, double seconds, double last_s);

}  // namespace isotherm
