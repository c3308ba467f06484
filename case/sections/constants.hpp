#pragma once

#include <span>
#include <string>
#include <vector>

#include "case/expressions/expression_names.hpp"
#include "case/toml/case_schema.hpp"
#include "case/toml/toml_document.hpp"

// Section [constants]: named numbers for use in expressions, and in place of numbers.
//
// Two steps: read_constants() evaluates the section. Then with_numbers() replaces texts such as
// "2*width" by numbers, so the readers of all other sections see plain numbers.

namespace isotherm {

/// Evaluates [constants]. A constant may be an expression of others, in any order.
/// @throws InputError  naming place and constant, if a name is invalid or has another meaning, if a
///        value is not finite, or if constants refer to each other in a circle
Constants read_constants(TomlTable const& root);

/// Returns the names of the constants that a document defines.
std::vector<std::string> constant_names(TomlTable const& root);

/// Refuses a constant that no expression uses, unless it is one of `known`: an override has
/// probably misspelled a constant of the case.
/// @param known  the constants of the case file, without overrides
/// @pre check_names() has accepted the document
/// @throws InputError  naming place and constant
void refuse_unused_constants(TomlTable const& root, std::vector<std::string> const& known);

/// Replaces texts by numbers for all keys that accept a number, by evaluating the text as an
/// expression of constants. Keys that accept arbitrary texts keep them.
/// @pre check_names() has accepted the document
/// @throws InputError  naming place and key, if an expression is invalid or its value does not fit
TomlTable with_numbers(TomlTable root, std::span<KeyRule const> rules, Constants const& constants);

}  // namespace isotherm
