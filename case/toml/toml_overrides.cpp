#include "case/toml/toml_overrides.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <string_view>

#include "case/basics/text/number_range.hpp"
#include "case/basics/text/wording.hpp"
#include "case/toml/case_schema.hpp"
#include "kernels/core/error.hpp"

namespace isotherm {
namespace {

constexpr std::string_view override_mark = "--set ";
constexpr std::string_view how_to_set = "write KEY=VALUE, as in --set method.iterations=50";
constexpr std::string_view how_to_take_out = "write !KEY, as in --set '!method.tolerance'";

/// A key that removes a contradicting key when an override sets it.
struct Displacement {
  std::string_view section;
  std::string_view key;
  std::string_view displaced;
};
constexpr std::array displacements{
    Displacement{"method", "steps", "end_time"},
    Displacement{"method", "end_time", "steps"},
    Displacement{"method", "time_step", "stable_fraction"},
    Displacement{"equation", "diffusivity", "conductivity"},
    Displacement{"equation", "diffusivity", "capacity"},
    Displacement{"equation", "conductivity", "diffusivity"},
    Displacement{"equation", "capacity", "diffusivity"},
    Displacement{"initial", "value", "file"},
    Displacement{"initial", "value", "dataset"},
    Displacement{"initial", "value", "resample"},
    Displacement{"initial", "file", "value"},
    Displacement{"initial", "file", "box"},
    Displacement{"initial", "file", "gaussian"},
};

using Path = std::vector<std::string>;

/// Returns the keys of "a.b.c = 0" once parsed; empty if the text defines more than one path.
std::optional<Path> single_path(TomlTable const& table) {
  Path path;
  for (TomlTable const* level = &table; level != nullptr;) {
    if (level->entries.size() != 1) {
      return std::nullopt;
    }
    path.push_back(level->entries[0].key);
    level = level->entries[0].value.as<TomlTable>();
  }
  return path;
}

/// Parses a path such as method.iterations by means of the TOML parser, so quoted keys work, too.
/// @param advice  the correct form, for the message
Path parse_path(std::string const& key, std::string const& where, std::string_view advice) {
  bool const holds_more = key.find_first_of("=#\n") != std::string::npos;  // than a key
  try {
    if (auto const path = single_path(parse_toml(key + " = 0", where)); path && !holds_more) {
      return *path;
    }
  } catch (InputError const&) {  // the error below refers to --set instead
  }
  throw InputError(where + ": " + in_quotes(key) + " is not a key (" + std::string(advice) + ')');
}

/// Assigns the override's place to a value and all values inside; messages then name the override.
void move_to(TomlValue& value, std::string const& where);

/// As above, for a table and its keys.
void move_to(TomlTable& table, std::string const& where) {
  table.where = where;
  for (TomlEntry& entry : table.entries) {
    entry.where = where;
    move_to(entry.value, where);
  }
}

/// As declared above.
void move_to(TomlValue& value, std::string const& where) {
  value.where = where;
  if (auto* table = value.as<TomlTable>()) {
    move_to(*table, where);
  } else if (auto* list = value.as<TomlValue::List>()) {
    for (TomlValue& element : *list) {
      move_to(element, where);
    }
  }
}

/// Parses the value of an override: TOML if valid, else a plain text. For example 50 is a number,
/// [1, 2] a list, "x" in quotes a text, and first without quotes a text as well.
TomlValue parse_value(std::string const& text, std::string const& where) {
  bool const is_list = text.find_first_not_of(' ') == text.find('[');
  for (std::string const& fault :
       {number_out_of_range(text), is_list ? whole_out_of_range(text) : std::string()}) {
    if (!fault.empty()) throw InputError(std::string(where).append(": ").append(fault));
  }
  TomlValue value;
  value.data = text;
  try {
    TomlTable const table = parse_toml("value = " + text, where);
    if (table.entries.size() == 1 && table.entries[0].key == "value") {
      value = table.entries[0].value;
    }
  } catch (InputError const&) {  // plain text, as in --set output.directory=first
  }
  if (value.as<TomlDate>() != nullptr) {
    value.data = text;  // as in --set run.wall_time=23:50:00, which TOML reads as a time
  }
  move_to(value, where);
  (void)parse_toml("value = " + to_toml(value), where);  // refuses texts that are not UTF-8
  return value;
}

/// Returns the value of `key` in `table`, and creates an empty table if it is missing.
TomlValue& entry_of(TomlTable& table, std::string const& key, std::string const& where) {
  if (TomlEntry* found = table.find(key)) {
    return found->value;
  }
  TomlTable made;
  made.where = where;
  table.entries.push_back({key, {std::move(made), where}, where});
  return table.entries.back().value;
}

/// Returns what distinguishes an entry of a list of tables for the user: its name, or the names
/// between which a contact lies; may be empty.
std::string distinction_of(TomlValue const& entry) {
  auto const* const table = entry.as<TomlTable>();
  if (table == nullptr) return "";
  std::string text;
  if (TomlEntry const* const name = table->find("name")) {
    if (auto const* const words = name->value.as<std::string>()) text = in_quotes(*words);
  } else if (TomlEntry const* const between = table->find("between")) {
    auto const* const names = between->value.as<TomlValue::List>();
    for (TomlValue const& one : names == nullptr ? TomlValue::List{} : *names) {
      auto const* const words = one.as<std::string>();
      if (words != nullptr) text += (text.empty() ? "" : " and ") + in_quotes(*words);
    }
  }
  return text;
}

/// Returns the entries of a list for messages: "material.0 ("copper"), material.1"; of entries
/// without names "points.0 … points.2". Lists of many entries are cut.
std::string entries_in_words(TomlValue::List const& list, std::string const& list_name) {
  constexpr std::size_t max_entries = 12;
  std::string const last = " … " + list_name + '.' + std::to_string(list.size() - 1);
  bool const has_names = std::ranges::any_of(
      list, [](TomlValue const& entry) { return !distinction_of(entry).empty(); });
  if (!has_names) return list_name + ".0" + (list.size() > 1 ? last : "");
  std::string text;
  for (std::size_t i = 0; i < std::min(list.size(), max_entries); ++i) {
    text += (i > 0 ? ", " : "") + list_name + '.' + std::to_string(i);
    std::string const distinction = distinction_of(list[i]);
    if (!distinction.empty()) text += " (" + distinction + ')';
  }
  return text + (list.size() > max_entries ? last : "");
}

/// Returns the element of a list that the number `key` selects.
TomlValue& element_of(TomlValue::List& list, std::string const& key, std::string const& list_name,
                      std::string const& where) {
  bool const is_index = key.size() < 10 && key.find_first_not_of("0123456789") == std::string::npos;
  std::size_t const index = is_index ? std::stoul(key) : list.size();
  if (index >= list.size()) {
    std::string const advice =
        list.empty()       ? "it has no entry"
        : list.size() == 1 ? "the only entry is " + entries_in_words(list, list_name)
                           : "select one by its index: " + entries_in_words(list, list_name);
    throw InputError(where + ": " + list_name + " is a list of " + std::to_string(list.size()) +
                     " (" + advice + ')');
  }
  return list[index];
}

/// Refuses to create an entry of a list of tables, such as [[material]], that the case lacks.
/// @param parent  the path of the table that should hold the list; empty for the whole case
/// @param index   the next key of the path
void check_list_exists(TomlTable const& table, std::string const& parent, std::string const& key,
                       std::string const& index, std::string const& where) {
  KeyRule const* const rule = rule_for(case_keys(), parent, key);
  if (rule == nullptr || rule->type != KeyType::tables || table.find(key) != nullptr) return;
  std::string const name = parent.empty() ? key : parent + '.' + key;
  bool const is_index = index.find_first_not_of("0123456789") == std::string::npos;
  throw InputError(where + ": the case has no [[" + name + "]]" +
                   (is_index ? " number " + one_line(index) : ""));
}

/// Descends one level from `parent`, whose path is `parent_name`, into a table or list.
TomlValue& child(TomlValue& parent, std::string const& key, std::string const& parent_name,
                 std::string const& where) {
  if (auto* table = parent.as<TomlTable>()) {
    return entry_of(*table, key, where);
  }
  if (auto* list = parent.as<TomlValue::List>()) {
    return element_of(*list, key, parent_name, where);
  }
  throw InputError(where + ": " + parent_name + " is " + to_toml(parent) + " and has no key " +
                   in_quotes(key) + " (set " + parent_name + " itself)");
}

/// Returns whether an override has set a value or part of it.
bool from_override(TomlValue const& value) {
  if (value.where.starts_with(override_mark)) return true;
  if (auto const* table = value.as<TomlTable>()) {
    return std::ranges::any_of(table->entries,
                               [](TomlEntry const& entry) { return from_override(entry.value); });
  }
  auto const* list = value.as<TomlValue::List>();
  return list != nullptr && std::ranges::any_of(*list, [](TomlValue const& element) {
           return from_override(element);
         });
}

/// Returns the table that holds the last key of a path, or null if a list holds it. All levels of
/// the path exist.
TomlTable* table_around(TomlTable& root, Path const& path) {
  TomlTable* table = &root;
  for (std::size_t level = 0; level + 1 < path.size() && table != nullptr; ++level) {
    TomlValue& value = table->find(path[level])->value;
    auto* const list = value.as<TomlValue::List>();
    // In a list, the next key of the path is the number of an element.
    table = list == nullptr ? value.as<TomlTable>()
                            : (*list)[std::stoul(path[++level])].as<TomlTable>();
  }
  return table;
}

/// Returns whether a key selects the region of a table in a list; see region_keys. For example
/// material.0.box, or boundary.patch.0.ball: a new shape replaces the old one, whatever key it has.
bool is_region_key(Path const& path) {
  constexpr std::array<std::string_view, 4> lists{"material", "source", "fixed", "insulated"};
  bool const of_a_list = path.size() == 3 && std::ranges::find(lists, path[0]) != lists.end();
  bool const of_a_patch = path.size() == 4 && path[0] == "boundary" && path[1] == "patch";
  return (of_a_list || of_a_patch) &&
         std::ranges::find(region_keys, path.back()) != region_keys.end();
}

/// Removes keys that contradict the one just set, except those that overrides have set. Such a
/// conflict between overrides is an error, which the reader reports.
///
/// For example "--set method.end_time=1" removes `steps` of the case. With "--set method.steps=10
/// --set method.end_time=1" both remain, and the reader reports the contradiction.
///
/// Returns the removed keys as messages name them.
std::vector<std::string> displace(TomlTable& root, Path const& path) {
  std::vector<std::string_view> displaced;
  for (auto const& [section, key, other] : displacements) {
    if (path.size() == 2 && path[0] == section && path[1] == key) displaced.push_back(other);
  }
  if (is_region_key(path)) {
    std::ranges::remove_copy(region_keys, std::back_inserter(displaced), path.back());
  }
  // Only keys of the same table can contradict each other.
  TomlTable* const table = displaced.empty() ? nullptr : table_around(root, path);
  std::vector<std::string> removed;
  if (table == nullptr) return removed;
  Path const outer(path.begin(), path.end() - 1);
  std::erase_if(table->entries, [&](TomlEntry const& entry) {
    bool const goes =
        std::ranges::find(displaced, entry.key) != displaced.end() && !from_override(entry.value);
    if (goes) removed.push_back(key_name(join(outer, "."), entry.key));
    return goes;
  });
  return removed;
}

/// Assigns the override's place to a key that existed before, also in a table of a list.
void mark_key(TomlTable& root, Path const& path, std::string const& where) {
  TomlTable* table = &root;
  TomlValue::List* list = nullptr;
  for (std::string const& key : path) {
    TomlEntry* const entry = table == nullptr ? nullptr : table->find(key);
    if (entry == nullptr && list == nullptr) return;
    TomlValue& value = entry != nullptr ? entry->value : (*list)[std::stoul(key)];
    if (entry != nullptr && &key == &path.back()) entry->where = where;
    table = value.as<TomlTable>();
    list = value.as<TomlValue::List>();
  }
}

/// Returns whether values of a type are lists.
bool is_list(KeyType type) {
  using enum KeyType;
  return type == wholes || type == numbers || type == texts || type == tables;
}

/// Returns whether a key of a path is the number of a list's entry.
bool is_number_of_entry(std::string const& key) {
  return !key.empty() && key.find_first_not_of("0123456789") == std::string::npos;
}

/// Refuses to remove entries of a list, or keys inside a number or text. A key of an entry of a
/// list of tables may be removed. @returns  the path without numbers of entries, as rules name it
Path check_leads_through_tables(Path const& path, std::string const& where) {
  std::string name;
  Path named;
  for (std::size_t level = 0; level + 1 < path.size(); ++level) {
    KeyRule const* const rule = rule_for(case_keys(), name, path[level]);
    if (rule == nullptr) return path;  // check_path() reports it
    name += (name.empty() ? "" : ".") + path[level];
    named.push_back(path[level]);
    if (rule->type == KeyType::table || takes_files(rule->type)) continue;
    bool const is_key_of_entry = rule->type == KeyType::tables && level + 2 < path.size() &&
                                 is_number_of_entry(path[level + 1]);
    if (is_key_of_entry) {
      ++level;
      continue;
    }
    if (rule->type == KeyType::tables && !is_number_of_entry(path[level + 1])) {
      throw InputError(where + ": " + one_line(name) +
                       " is a list of tables (give the number of one, as in !" + one_line(name) +
                       ".0." + one_line(path[level + 1]) + ')');
    }
    throw InputError(where + ": " + one_line(name) +
                     (is_list(rule->type) ? " is a list, which can only be removed as a whole"
                                          : " is not a table and has no keys") +
                     " (write !" + one_line(name) + ')');
  }
  named.push_back(path.back());
  return named;
}

/// Removes a key if the case has it. The path must be valid in any case, so misspellings are found.
void remove_key(TomlTable& root, Path const& path, std::string const& where) {
  check_path(check_leads_through_tables(path, where), where, case_keys());
  TomlTable* table = &root;
  std::string name;
  for (std::size_t level = 0; level + 1 < path.size(); ++level) {
    check_list_exists(*table, name, path[level], path[level + 1], where);
    TomlEntry* const entry = table->find(path[level]);
    if (entry == nullptr) return;
    name += (name.empty() ? "" : ".") + path[level];
    auto* const list = entry->value.as<TomlValue::List>();
    TomlValue& value =
        list == nullptr ? entry->value : element_of(*list, path[++level], name, where);
    table = value.as<TomlTable>();
    if (table == nullptr) return;
  }
  std::erase_if(table->entries, [&](TomlEntry const& entry) { return entry.key == path.back(); });
}

}  // namespace

std::string override_position(std::string const& assignment) {
  return std::string(override_mark) + one_line(assignment);
}

// Positions and values of an override are those of the command line, so messages quote it.
std::vector<std::string> apply_override(TomlTable& root, std::string const& assignment) {
  std::string const where = override_position(assignment);
  if (assignment.starts_with('!')) {
    remove_key(root, parse_path(assignment.substr(1), where, how_to_take_out), where);
    return {};
  }
  std::size_t const equals = assignment.find('=');
  if (equals == std::string::npos) {
    throw InputError(where + ": no value (" + std::string(how_to_set) + ')');
  }
  Path const path = parse_path(assignment.substr(0, equals), where, how_to_set);
  // Descends to the value and creates missing sections. Names of keys are checked later.
  if (path.size() > 1) check_list_exists(root, "", path[0], path[1], where);
  TomlValue* place = &entry_of(root, path[0], where);
  std::string name = path[0];
  for (std::size_t level = 1; level < path.size(); ++level) {
    auto const* table = place->as<TomlTable>();
    if (table != nullptr && level + 1 < path.size()) {
      check_list_exists(*table, name, path[level], path[level + 1], where);
    }
    place = &child(*place, path[level], name, where);
    name += '.' + path[level];
  }
  *place = parse_value(assignment.substr(equals + 1), where);
  mark_key(root, path, where);
  return displace(root, path);
}

}  // namespace isotherm
