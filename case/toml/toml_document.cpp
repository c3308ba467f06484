#include "case/toml/toml_document.hpp"

#include <algorithm>
#include <cctype>
#include <sstream>
#include <toml++/toml.h>

#include "case/basics/text/wording.hpp"
#include "case/toml/toml_depth.hpp"
#include "kernels/core/error.hpp"

namespace isotherm {
namespace {

/// Returns the place of a position: "case.toml:12". Positions without a line have the name alone.
std::string at(std::string const& name, toml::source_position position) {
  return position.line == 0 ? name : name + ':' + std::to_string(position.line);
}

/// Returns a date, a time, or both, in TOML's format.
TomlDate date_text(toml::node const& node) {
  std::ostringstream text;
  if (auto const* date = node.as_date()) {
    text << date->get();
  } else if (auto const* time = node.as_time()) {
    text << time->get();
  } else if (auto const* both = node.as_date_time()) {
    text << both->get();
  }
  return {text.str()};
}

/// Returns a line by its number, counted from 1; empty if there is none.
std::string_view line_of(std::string_view text, std::size_t number) {
  for (; number > 1 && !text.empty(); --number) {
    auto const end = text.find('\n');
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return text.substr(0, text.find('\n'));
}

/// Returns a text without leading and trailing blanks.
std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r";
  auto const first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

/// Returns advice on `key = sin(x)`, a word or an expression without quotes; an empty text for
/// other lines. toml++ would only report an unexpected character.
std::string advice_on_quotes(std::string_view line) {
  auto const equals = line.find('=');
  if (equals == std::string_view::npos) return "";
  std::string_view const key = trimmed(line.substr(0, equals));
  std::string_view const value = trimmed(line.substr(equals + 1, line.find('#') - equals - 1));
  bool const is_bare = value.find_first_of("\"'[]{}=") == std::string_view::npos;
  bool const has_words_or_sums = std::ranges::any_of(value, [](unsigned char letter) {
    return std::isalpha(letter) != 0 ||
           std::string_view("*/^()").find(static_cast<char>(letter)) != std::string_view::npos;
  });
  if (key.empty() || !is_bare || !has_words_or_sums) return "";
  return " (strings and expressions need quotes: " + one_line(key) + " = " + quoted(value) + ')';
}

// Conversion from toml++'s nodes, recursive; check_depth() has limited the depth.
TomlTable converted(toml::table const& table, std::string const& name);

TomlValue converted(toml::node const& node, std::string const& name) {
  TomlValue value;
  value.where = at(name, node.source().begin);
  if (auto const* table = node.as_table()) {
    value.data = converted(*table, name);
  } else if (auto const* list = node.as_array()) {
    TomlValue::List values;
    for (toml::node const& element : *list) {
      values.push_back(converted(element, name));
    }
    value.data = std::move(values);
  } else if (auto const* text = node.as_string()) {
    value.data = text->get();
  } else if (auto const* whole = node.as_integer()) {
    value.data = whole->get();
  } else if (auto const* number = node.as_floating_point()) {
    value.data = number->get();
  } else if (auto const* flag = node.as_boolean()) {
    value.data = flag->get();
  } else {
    value.data = date_text(node);
  }
  return value;
}

/// Converts a table. toml++ sorts keys by name, so the order of the text is restored from their
/// positions.
TomlTable converted(toml::table const& table, std::string const& name) {
  std::vector<std::pair<toml::source_position, TomlEntry>> found;
  for (auto const& [key, node] : table) {
    auto const position = key.source().begin;
    found.push_back(
        {position, {std::string(key.str()), converted(node, name), at(name, position)}});
  }
  std::stable_sort(found.begin(), found.end(),
                   [](auto const& a, auto const& b) { return a.first < b.first; });
  TomlTable result;
  result.where = at(name, table.source().begin);
  for (auto& [position, entry] : found) {
    result.entries.push_back(std::move(entry));
  }
  return result;
}

}  // namespace

TomlTable::TomlTable() = default;
TomlTable::TomlTable(TomlTable const&) = default;
TomlTable::TomlTable(TomlTable&&) noexcept = default;
TomlTable& TomlTable::operator=(TomlTable const&) = default;
TomlTable& TomlTable::operator=(TomlTable&&) noexcept = default;
TomlTable::~TomlTable() = default;

TomlEntry const* TomlTable::find(std::string_view key) const {
  auto const found = std::find_if(entries.begin(), entries.end(),
                                  [&](TomlEntry const& entry) { return entry.key == key; });
  return found == entries.end() ? nullptr : &*found;
}

TomlEntry* TomlTable::find(std::string_view key) {
  return const_cast<TomlEntry*>(std::as_const(*this).find(key));
}

TomlTable parse_toml(std::string_view text, std::string const& name) {
  check_depth(text, name);
  try {
    return converted(toml::parse(text, name), name);
  } catch (toml::parse_error const& error) {
    throw InputError(at(name, error.source().begin) +
                     ": not valid TOML: " + one_line(error.description(), 200) +
                     advice_on_quotes(line_of(text, error.source().begin.line)));
  }
}

}  // namespace isotherm
