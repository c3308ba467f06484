#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "io/snapshot/snapshot.hpp"

/// Functions that `isotherm info`, `verify` and `compare` share: verification of a snapshot, and
/// JSON output.

namespace isotherm::app {

/// Verifies a snapshot whose description was already read: the values of all fields, and the state
/// of the solver from which a run resumes. Reads the whole file. Serial.
/// @throws InputError  naming the file and the first damage found
void require_sound(SnapshotFile const& file);

/// Adds "sound" (a flag) and "damage" (a text or null) to a file's JSON object.
/// @param damage  the reason; empty if the file is sound
void add_verification(nlohmann::ordered_json& json, std::string const& damage);

/// Prints JSON on standard output, escaped to ASCII. File names need not be UTF-8, but JSON must
/// be. The escapes also prevent a terminal from interpreting control characters.
void print_json(nlohmann::ordered_json const& json);

}  // namespace isotherm::app
