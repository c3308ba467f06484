#include "case/toml/toml_document.hpp"

#include <algorithm>
#include <cctype>
#include <regex>
#include <sstream>
#include <toml++/toml.h>

#include "case/basics/text/number_range.hpp"
#include "case/basics/text/wording.hpp"
#include "kernels/core/error.hpp"
#include "kernels/core/text.hpp"

namespace isotherm {
namespace {

/// Maximum depth of a value. Valid documents use six levels, as in boundary.patch.0.box.lower.0.
constexpr int max_levels = 16;

/// Refuses lines with more dots than any key has; decimal points do not count. toml++ limits the
/// depth of brackets only, and its destructors need stack memory for each level of a dotted key.
void check_dots(std::string_view text, std::string const& name) {
  constexpr int max_dots = 100;
  int line = 1;
  int dots = 0;
  for (std::size_t n = 0; n < text.size(); ++n) {
    auto const is_digit = [&](std::size_t at) {
      return at < text.size() && std::isdigit(static_cast<unsigned char>(text[at])) != 0;
    };
    if (is_digit(n) && is_digit(n + 2) && text[n + 1] == '.') {
      for (n += 2; is_digit(n + 1);) ++n;
    }
    if (text[n] == '\n') {
      ++line;
      dots = 0;
    } else if (text[n] == '.' && ++dots > max_dots) {
      throw InputError(name + ':' + std::to_string(line) + ": more than " +
                       std::to_string(max_dots) + " dots in a line (no key needs more than 5)");
    }
  }
}

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

/// Returns advice on a number with a unit ("50 W"), a decimal comma ("0,5") or a list without
/// brackets ("21, 21"); an empty text for other values.
std::string advice_on_number(std::string_view value) {
  static std::string const number = R"(([-+]?[0-9.]+(?:[eE][-+]?[0-9]+)?))";
  static std::regex const with_unit(number + R"(\s+([A-Za-z%°µ].*))");
  static std::regex const with_comma(R"(([-+]?[0-9]+),([0-9]+))");
  static std::regex const without_brackets(number + R"((?:\s*,\s*)" + number + ")+");
  static std::regex const unit_within(R"([=\[,]\s*)" + number + R"(\s+[A-Za-z%°µ])");
  static std::regex const comma_within(R"(=\s*([-+]?[0-9]+),([0-9]+)\s*[,}])");
  std::string const text(value.substr(0, 100));
  std::smatch found;
  if (std::regex_match(text, found, with_unit) || std::regex_search(text, found, unit_within)) {
    return " (numbers have no units: " + found[1].str() + ", in units that fit each other)";
  }
  if (std::regex_match(text, found, with_comma) || std::regex_search(text, found, comma_within)) {
    return " (a number has a decimal point: " + found[1].str() + '.' + found[2].str() + ')';
  }
  if (std::regex_match(text, without_brackets)) {
    return " (a list needs brackets: [" + text + "])";
  }
  return "";
}

/// Returns advice on a line with a string or a table that does not end; an empty text for others.
std::string advice_on_ends(std::string_view line) {
  if (line.find("\"\"\"") != std::string_view::npos) return "";
  if (std::ranges::count(line, '"') % 2 != 0) return " (a quotation mark is missing)";
  if (std::ranges::count(line, '{') > std::ranges::count(line, '}')) {
    return " (a } is missing: a table in braces ends on its line)";
  }
  return "";
}

/// Returns advice on `key = sin(x)`, a word or an expression without quotes; an empty text for
/// other lines. toml++ would only report an unexpected character.
std::string advice_on_quotes(std::string_view line) {
  auto const equals = line.find('=');
  if (equals == std::string_view::npos) return "";
  std::string_view const key = trimmed(line.substr(0, equals));
  std::string_view const value = trimmed(line.substr(equals + 1, line.find('#') - equals - 1));
  if (value.find("\u201c") != std::string_view::npos ||
      value.find("\u201d") != std::string_view::npos) {
    return " (texts are in straight quotes, \")";
  }
  for (std::string const& advice : {advice_on_number(value), advice_on_ends(line)}) {
    if (!advice.empty()) return advice;
  }
  bool const is_bare = value.find_first_of("\"'[]{}=") == std::string_view::npos;
  bool const has_words_or_sums = std::ranges::any_of(value, [](unsigned char letter) {
    return std::isalpha(letter) != 0 ||
           std::string_view("*/^()").find(static_cast<char>(letter)) != std::string_view::npos;
  });
  if (key.empty() || !is_bare || !has_words_or_sums) return "";
  return " (strings and expressions need quotes: " + one_line(key) + " = " + in_quotes(value) + ')';
}

/// Converts toml++'s nodes, recursively.
/// @param level  depth of the node; that of the keys of the document is 1
TomlTable converted(toml::table const& table, std::string const& name, int level);

TomlValue converted(toml::node const& node, std::string const& name, int level) {
  TomlValue value;
  value.where = at(name, node.source().begin);
  if (level > max_levels) {
    throw InputError(value.where + ": a value has more than " + std::to_string(max_levels) +
                     " levels (no key needs more than 6, as in boundary.patch.0.box.lower.0)");
  }
  if (auto const* table = node.as_table()) {
    value.data = converted(*table, name, level + 1);
  } else if (auto const* list = node.as_array()) {
    TomlValue::List values;
    for (toml::node const& element : *list) {
      values.push_back(converted(element, name, level + 1));
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
TomlTable converted(toml::table const& table, std::string const& name, int level) {
  std::vector<std::pair<toml::source_position, TomlEntry>> found;
  for (auto const& [key, node] : table) {
    auto const position = key.source().begin;
    found.push_back(
        {position, {std::string(key.str()), converted(node, name, level), at(name, position)}});
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
  check_dots(text, name);
  try {
    return converted(toml::parse(text, name), name, 1);
  } catch (toml::parse_error const& error) {
    std::string_view const line = line_of(text, error.source().begin.line);
    for (std::string const& fault : {number_out_of_range(line), whole_out_of_range(line)}) {
      if (!fault.empty()) throw InputError(at(name, error.source().begin) + ": " + fault);
    }
    throw InputError(at(name, error.source().begin) + ": not valid TOML: " +
                     one_line(error.description(), 200) + advice_on_quotes(line));
  }
}

}  // namespace isotherm
