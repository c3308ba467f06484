#pragma once

#include <string>

namespace isotherm {

/// A form of an operation, which differs from others in the memory that holds its operands. All
/// forms compute the same bits, unless their header states otherwise.
struct MemoryForm {
  std::string name;         ///< "global", "constant" …
  std::string description;  ///< what lies where, in a few words
};

}  // namespace isotherm
