#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "case/toml/toml_document.hpp"

// The schema of case files: every key, its type, its choices and an example.
//
// A document is checked in two passes. check_names() checks that all keys are known, before
// constants are evaluated. Then check_keys() also checks the types of all values. Messages suggest
// the nearest valid key. The schema is generic: other TOML documents can use rules of their own.

namespace isotherm {

/// The type of value that a key accepts.
enum class KeyType {
  text,
  whole,
  number,
  flag,
  number_or_text,
  number_or_expression,
  function,            ///< a number, an expression in quotes, or a table that names a file
  function_or_list,    ///< a function, or a list with a function for each axis
  expression_or_file,  ///< an expression in quotes, or a table that names a file
  flag_or_text,
  flag_or_whole,
  wholes,   ///< a list
  numbers,  ///< a list
  texts,    ///< a list
  table,
  tables,  ///< a list
};

/// Returns whether a key of this type accepts a table { file, dataset } that names a dataset.
inline bool takes_files(KeyType type) {
  return type == KeyType::function || type == KeyType::function_or_list ||
         type == KeyType::expression_or_file;
}

/// The rule for one key of a document, for example:
///
///     KeyRule{"method", "cycle", KeyType::text, R"("V")", "V F W"}
///
/// The texts must outlive the rule, which does not own them.
struct KeyRule {
  std::string_view section;  ///< "grid"; "boundary.*" applies to every table in [boundary]
  std::string_view key;      ///< the name; "*" matches any name
  KeyType type;
  std::string_view example;       ///< a valid value, as TOML, for messages
  std::string_view choices = {};  ///< the valid texts, separated by blanks; empty: any
};

/// The keys that select points in a [[material]], [[source]], [[fixed]], [[insulated]] or
/// [[boundary.patch]]. A table has exactly one of them; a [[source]] may have `at` instead.
inline constexpr std::array<std::string_view, 5> region_keys{"where", "box", "ball", "cylinder",
                                                             "stl"};

/// Splits KeyRule::choices into words.
std::vector<std::string> words_of(std::string_view choices);

/// Returns a key in the form that messages use: "[method] iterations".
std::string key_name(std::string const& section, std::string const& key);

/// Returns the rule for a key of the table at `path` ("boundary.all"), or null if there is none. If
/// several rules match, the first one applies. The search is linear.
KeyRule const* rule_for(std::span<KeyRule const> rules, std::string const& path,
                        std::string_view key);

/// Checks that `rules` know all keys of a document, and that tables are where they expect them.
/// @throws InputError  as check_keys()
void check_names(TomlTable const& root, std::span<KeyRule const> rules);

/// Checks that `rules` know all keys of a document, and that each value has the right type.
/// @throws InputError  naming the place, the key, and the nearest valid key
void check_keys(TomlTable const& root, std::span<KeyRule const> rules);

/// Checks that a key such as {"method", "tolerance"} is valid, whether the document has it or not.
/// @param where  the place for messages
/// @throws InputError  as check_keys()
void check_path(std::vector<std::string> const& path, std::string const& where,
                std::span<KeyRule const> rules);

/// Returns the rules for all keys of a case.
std::span<KeyRule const> case_keys();

}  // namespace isotherm
