#pragma once

#include "case/toml/toml_document.hpp"

namespace isotherm {

/// Turns a case of one axis, with one number in [grid] points or spacing, into one of two axes.
///
/// The y axis has length 1 and is periodic with a single point, so nothing varies along it. Lists
/// with one number for each axis, such as lower, upper and at, get a second one. Other cases remain
/// unchanged.
/// @param root  a document whose keys and types are checked
void add_second_axis(TomlTable& root);

}  // namespace isotherm
