#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "kernels/core/error.hpp"

namespace isotherm {

/// A form of an operation, which differs from others in its algorithm or in the memory that holds
/// its operands. Forms that differ in memory compute the same bits.
struct KernelForm {
  std::string name;         ///< "global", "atomics-block" …
  std::string description;  ///< how it computes, or what lies where, in a few words
};

/// Returns the number of the form of this name.
/// @param operation  what the forms compute, for the message
/// @throws Error  if there is none
inline std::size_t form_number(std::vector<KernelForm> const& forms, std::string const& name,
                               std::string const& operation) {
  auto const found = std::ranges::find(forms, name, &KernelForm::name);
  require(found != forms.end(),
          "there is no form \"" + name + "\" of " + operation + " on this backend");
  return static_cast<std::size_t>(found - forms.begin());
}

}  // namespace isotherm
