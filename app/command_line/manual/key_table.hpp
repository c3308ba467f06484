#pragma once

#include <string>

namespace isotherm::app {

/// Returns all keys of a case file for the pages of the documents, one a line, in the order of
/// case_keys(). A line has five columns, separated by tabs: section, key, the values that the key
/// accepts, an example, and the valid words, separated by blanks. A section "boundary.*" stands for
/// any face or axis.
std::string key_table();

}  // namespace isotherm::app
