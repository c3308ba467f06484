#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "jobs/case/toml_document.hpp"

namespace isotherm {

/// What kind of value a key takes.
enum class KeyType {
  text,
  whole,
  number,
  flag,
  number_or_text,
  number_or_expression,
  function,          ///< a number, an expression, or a table that names a file
  function_or_list,  ///< a list of one of these for each axis
  expression_or_file,
  flag_or_text,
  flag_or_whole,
  wholes,   ///< a list
  numbers,  ///< a list
  texts,    ///< a list
  table,
  tables,  ///< a list
};

/// Whether a table there names a file.
inline bool takes_files(KeyType type) {
  return type == KeyType::function || type == KeyType::function_or_list ||
         type == KeyType::expression_or_file;
}

/// A key that a document may hold.
struct KeyRule {
  std::string_view section;  ///< "grid"; "boundary.*" for any table in [boundary]
  std::string_view key;      ///< "*": of any name
  KeyType type;
  std::string_view example;       ///< a value, as TOML
  std::string_view choices = {};  ///< the texts that are valid, with blanks between; empty: any
};

/// One of these says which points a table means: a material, a fixed or insulated region, a patch.
inline constexpr std::array<std::string_view, 4> region_keys{"where", "box", "ball", "cylinder"};

/// The words of KeyRule::choices.
std::vector<std::string> words_of(std::string_view choices);

/// "[method] iterations": a key as messages name it.
std::string key_name(std::string const& section, std::string const& key);

/// The rule for a key of the table at `path` ("boundary.all"); null where there is none.
KeyRule const* rule_for(std::span<KeyRule const> rules, std::string const& path,
                        std::string_view key);

/// Checks that a document holds only keys that `rules` know, and tables where they want tables.
/// @throws InputError  as check_keys()
void check_names(TomlTable const& root, std::span<KeyRule const> rules);

/// Checks that a document holds only keys that `rules` know, each with a value of its type.
/// @throws InputError  naming the place, the key, and the nearest valid one
void check_keys(TomlTable const& root, std::span<KeyRule const> rules);

/// Checks that a document may hold a key, {"method", "tolerance"}, whether it does or not.
/// @throws InputError  as above, naming the place `where`
void check_path(std::vector<std::string> const& path, std::string const& where,
                std::span<KeyRule const> rules);

/// The keys that a case may hold.
std::span<KeyRule const> case_keys();

}  // namespace isotherm
