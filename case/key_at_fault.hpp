#pragma once

#include <string>

#include "case/case.hpp"
#include "decomposition/field/value_refusal.hpp"
#include "kernels/core/error.hpp"

// Attributes errors that a run detects to the key of the case that causes them.

namespace isotherm {

/// Returns the beginning of a message about `key`. For "run.plan" that may be `case.toml:12: [run]
/// plan = "fast": `. Returns an empty text if the case does not contain the key.
std::string place_of(Case const& chosen, std::string const& key);

/// Calls `work`, which depends on the value of `key`, and returns its result. An exception of type
/// `Refusal` is the fault of that key, so its message gets the prefix place_of(key). Other
/// exceptions pass unchanged.
///
///     auto const plan = blaming(chosen, "run.plan", [&] { return plan_named(chosen.run.plan); });
///
/// @throws InputError  with that message
template <class Refusal = InputError, class Work>
auto blaming(Case const& chosen, std::string const& key, Work const& work) {
  try {
    return work();
  } catch (Refusal const& refusal) {
    throw InputError(place_of(chosen, key) + refusal.what());
  }
}

/// Returns the key of the case that determines the value which a ValueRefusal names. For
/// "boundary.x_lower" that is this key, "boundary.x" or "boundary.all". For "equation.conductivity"
/// it is this key, or the key of a material if a single one sets it. For "fixed" or "insulated" it
/// is the key that selects the first of these regions. For "convection.hall.h" it is the key of the
/// [[convection]] of the region "hall".
std::string deciding_key(Case const& chosen, std::string const& key);

/// Calls `work` as blaming() does, and attributes a ValueRefusal to the key that its `key()` names.
/// Such a refusal occurs if an expression is not finite at a point outside the reader's sample.
///
///     auto const values = blaming_values(chosen, [&] { return first_values(chosen.problem); });
///
/// @throws InputError  with the place of deciding_key() before the message
template <class Work>
auto blaming_values(Case const& chosen, Work const& work) {
  try {
    return work();
  } catch (ValueRefusal const& refusal) {
    throw InputError(place_of(chosen, deciding_key(chosen, refusal.key())) + refusal.what());
  }
}

}  // namespace isotherm
