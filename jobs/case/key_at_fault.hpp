#pragma once

#include <string>

#include "jobs/case/case.hpp"
#include "kernels/core/error.hpp"

namespace isotherm {

/// Where the case says `key` ("run.decomposition"), as a message begins that finds fault with it:
/// `case.toml:12: [run] plan = "fast": `. Empty where the case leaves the key out.
std::string place_of(Case const& chosen, std::string const& key);

/// Does `work`, which goes by what the case says under `key`, and returns what it returns. A
/// refusal of the kind `Refusal` finds fault with that key, so its message begins with
/// place_of(key); others pass as they are.
/// @throws InputError  what `work` throws, so worded
template <class Refusal = InputError, class Work>
auto blaming(Case const& chosen, std::string const& key, Work const& work) {
  try {
    return work();
  } catch (Refusal const& refusal) {
    throw InputError(place_of(chosen, key) + refusal.what());
  }
}

}  // namespace isotherm
