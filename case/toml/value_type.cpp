#include "case/toml/value_type.hpp"

#include <algorithm>
#include <cmath>

#include "case/basics/text/wording.hpp"
#include "kernels/core/error.hpp"

namespace isotherm {
namespace {

bool is_text(TomlValue const& value) { return value.as<std::string>() != nullptr; }
bool is_flag(TomlValue const& value) { return value.as<bool>() != nullptr; }
bool is_whole(TomlValue const& value) { return value.as<std::int64_t>() != nullptr; }
bool is_number(TomlValue const& value) { return is_whole(value) || value.as<double>() != nullptr; }
bool is_table(TomlValue const& value) { return value.as<TomlTable>() != nullptr; }

/// Returns the type of a list's elements; for other types the type itself.
KeyType element_type(KeyType type) {
  switch (type) {
    case KeyType::wholes:
      return KeyType::whole;
    case KeyType::numbers:
      return KeyType::number;
    case KeyType::texts:
      return KeyType::text;
    case KeyType::tables:
      return KeyType::table;
    case KeyType::function_or_list:
      return KeyType::function;
    default:
      return type;
  }
}

/// Returns whether a single value has a type. Whole numbers are also numbers. Lists are not single
/// values; check_type() checks their elements.
bool fits(TomlValue const& value, KeyType type) {
  switch (type) {
    case KeyType::text:
      return is_text(value);
    case KeyType::whole:
      return is_whole(value);
    case KeyType::number:
      return is_number(value);
    case KeyType::flag:
      return is_flag(value);
    case KeyType::number_or_text:
    case KeyType::number_or_expression:
      return is_number(value) || is_text(value);
    case KeyType::function:
      return is_number(value) || is_text(value) || is_table(value);
    case KeyType::expression_or_file:
      return is_text(value) || is_table(value);
    case KeyType::flag_or_text:
      return is_flag(value) || is_text(value);
    case KeyType::flag_or_whole:
      return is_flag(value) || is_whole(value);
    case KeyType::table:
      return is_table(value);
    default:
      return false;
  }
}

/// Describes a value for messages.
std::string described(TomlValue const& value) {
  if (is_text(value)) {
    return "the string " + in_quotes(value.get<std::string>());
  }
  if (is_table(value)) {
    return "a table";
  }
  if (value.as<TomlValue::List>() != nullptr) {
    return "a list";
  }
  return value.as<TomlDate>() != nullptr ? "a date" : to_toml(value);
}

/// Describes a valid value, with an example from the rule.
std::string right_way(TomlEntry const& entry, KeyRule const& rule, std::string const& section) {
  std::string const example =
      rule.type == KeyType::tables ? "write [[" + (section.empty() ? "" : section + '.') +
                                         entry.key + "]] on a line of its own"
      : rule.example.empty() ? "write [" + entry.key + "] on a line of its own"
                             : "as in " + entry.key + " = " + std::string(rule.example);
  return "needs " + needed(rule.type) + ", " + example;
}

/// Suggests 20 if a whole number is required but 20.0 is given; an empty text for other values.
std::string as_whole(TomlValue const& value) {
  auto const* number = value.as<double>();
  if (number == nullptr || *number != std::rint(*number) || std::abs(*number) > 1e15) {
    return "";
  }
  return "needs a whole number: write " + std::to_string(static_cast<std::int64_t>(*number));
}

/// Throws an error about a value or an element of a list.
[[noreturn]] void fail(TomlEntry const& entry, TomlValue const& value, KeyRule const& rule,
                       std::string const& section) {
  std::string const verb = &entry.value == &value ? " is " : " contains ";
  std::string advice;
  if (element_type(rule.type) == KeyType::whole) {
    advice = as_whole(value);
  }
  // A list on the command line that is not valid TOML is a plain text.
  auto const* text = value.as<std::string>();
  if (element_type(rule.type) != rule.type && text != nullptr && text->starts_with('[')) {
    advice = R"(quote each expression within the list, as in [0.5, "2*pi"])";
  }
  throw InputError(value.where + ": " + key_name(section, entry.key) + verb + described(value) +
                   " (" + (advice.empty() ? right_way(entry, rule, section) : advice) + ')');
}

/// Checks the type of a single value, and that it is finite.
void check_value(TomlEntry const& entry, TomlValue const& value, KeyRule const& rule,
                 std::string const& section) {
  if (!fits(value, element_type(rule.type))) {
    fail(entry, value, rule, section);
  }
  auto const* number = value.as<double>();
  if (number != nullptr && !std::isfinite(*number)) {
    throw InputError(value.where + ": " + key_name(section, entry.key) + " is " + to_toml(value) +
                     " (needs a finite number)");
  }
}

}  // namespace

// Every type needs a description, although some keys accept only certain words.
std::string needed(KeyType type) {
  switch (type) {
    case KeyType::text:
      return "a string in quotes";
    case KeyType::whole:
      return "a whole number";
    case KeyType::number:
      return "a number";
    case KeyType::flag:
      return "true or false";
    case KeyType::number_or_text:
      return "a number or a string in quotes";
    case KeyType::number_or_expression:
      return "a number, or an expression in quotes";
    case KeyType::function:
      return "a number, an expression in quotes, or { file, dataset }";
    case KeyType::function_or_list:
      return "a number, an expression in quotes, { file, dataset }, or a list of these, one per "
             "axis";
    case KeyType::expression_or_file:
      return "an expression in quotes, or { file, dataset }";
    case KeyType::flag_or_text:
      return "true, false or a string in quotes";
    case KeyType::flag_or_whole:
      return "true, false or a whole number";
    case KeyType::wholes:
      return "a list of whole numbers";
    case KeyType::numbers:
      return "a list of numbers";
    case KeyType::texts:
      return "a list of strings in quotes";
    case KeyType::table:
      return "a table";
    case KeyType::tables:
      return "a list of tables";
  }
  return "another type";
}

// An empty list has the right type; the readers of sections check the number of entries.
void check_type(TomlEntry const& entry, KeyRule const& rule, std::string const& section) {
  // A single value, then a function that may also be a list, then a list.
  if (element_type(rule.type) == rule.type) {
    return check_value(entry, entry.value, rule, section);
  }
  auto const* list = entry.value.as<TomlValue::List>();
  if (list == nullptr && rule.type == KeyType::function_or_list) {
    return check_value(entry, entry.value, rule, section);
  }
  if (list == nullptr) {
    fail(entry, entry.value, rule, section);
  }
  for (TomlValue const& value : *list) {
    check_value(entry, value, rule, section);
  }
}

}  // namespace isotherm
