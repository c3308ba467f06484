#pragma once

#include <string>

#include "decomposition/field/value_refusal.hpp"
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

/// The key of the case that decides on a value which a ValueRefusal names: for "boundary.x_lower"
/// that, "boundary.x" or "boundary.all"; for "equation.conductivity" that, or the one material's.
std::string deciding_key(Case const& chosen, std::string const& key);

/// Does `work`, as blaming(): for values of the case's expressions that are not finite at a point
/// that the case reader did not look at.
template <class Work>
auto blaming_values(Case const& chosen, Work const& work) {
  try {
    return work();
  } catch (ValueRefusal const& refusal) {
    throw InputError(place_of(chosen, deciding_key(chosen, refusal.key())) + refusal.what());
  }
}

}  // namespace isotherm
