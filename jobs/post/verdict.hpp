#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "io/snapshot/snapshot.hpp"

namespace isotherm {

/// Reads all of a snapshot whose description was read, and checks it: the values of all fields, and
/// the state to go on from. Serial. @throws InputError  where something is damaged
void require_sound(SnapshotFile const& file);

/// Adds "sound" and "damage" to what is said of a file. @param damage  empty where there is none
void add_verdict(nlohmann::ordered_json& json, std::string const& damage);

/// To standard output. In ASCII: names of files need not be UTF-8, which JSON has to be, and
/// nothing in it must reach a terminal as a command.
void print_json(nlohmann::ordered_json const& json);

}  // namespace isotherm
