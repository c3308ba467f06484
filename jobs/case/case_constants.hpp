#pragma once

#include <span>

#include "jobs/case/case_schema.hpp"
#include "jobs/case/expression_names.hpp"
#include "jobs/case/toml_document.hpp"

namespace isotherm {

/// The values of [constants], which may be expressions of each other in any order.
/// @throws InputError  naming place and constant: a name that is none or means something already, a
///                     value that is not finite, or a circle
Constants read_constants(TomlTable const& root);

/// The document with numbers in place of texts, where a key takes a number and the text is an
/// expression of constants. Texts that a key takes as they are stay. Needs checked names of keys
/// (check_names).
/// @throws InputError  naming place, key, what is wrong with the expression, or what it came to
TomlTable with_numbers(TomlTable root, std::span<KeyRule const> rules, Constants const& constants);

}  // namespace isotherm
