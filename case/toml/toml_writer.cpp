#include <algorithm>
#include <array>
#include <cstdio>

#include "case/basics/text/wording.hpp"
#include "case/toml/toml_document.hpp"
#include "kernels/core/text.hpp"

namespace isotherm {
namespace {

/// Returns a character as part of a TOML basic string. Bytes of UTF-8 sequences are unchanged.
std::string escaped(unsigned char letter) {
  switch (letter) {
    case '"':
      return "\\\"";
    case '\\':
      return "\\\\";
    case '\n':
      return "\\n";
    case '\t':
      return "\\t";
    default:
      break;
  }
  if (letter >= 0x20 && letter != 0x7f) {
    return {static_cast<char>(letter)};
  }
  std::array<char, 8> code{};
  std::snprintf(code.data(), code.size(), "\\u%04X", static_cast<unsigned>(letter));
  return code.data();
}

/// Returns a text as a TOML basic string.
std::string text_in_quotes(std::string const& text) {
  std::string result = "\"";
  for (char const letter : text) {
    result += escaped(static_cast<unsigned char>(letter));
  }
  return result + '"';
}

/// Returns a floating-point number. TOML distinguishes 20.0 from the integer 20.
std::string floating(double value) {
  std::string const text = shortest(value);
  bool const looks_whole = text.find_first_not_of("-0123456789") == std::string::npos;
  return looks_whole ? text + ".0" : text;
}

/// Returns a key, in quotes unless it is a bare key.
std::string key_text(std::string const& key) {
  bool const bare = !key.empty() && key.find_first_not_of(
                                        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                        "0123456789_-") == std::string::npos;
  return bare ? key : text_in_quotes(key);
}

/// Returns a list on one line.
std::string inline_list(TomlValue::List const& list) {
  std::vector<std::string> words;
  for (TomlValue const& value : list) {
    words.push_back(to_toml(value));
  }
  return '[' + join(words) + ']';
}

/// Returns a table on one line.
std::string inline_table(TomlTable const& table) {
  std::vector<std::string> words;
  for (TomlEntry const& entry : table.entries) {
    words.push_back(key_text(entry.key) + " = " + to_toml(entry.value));
  }
  return words.empty() ? "{}" : "{ " + join(words) + " }";
}

/// Returns whether a value can be written as [[name]] blocks. An empty list cannot.
bool is_list_of_tables(TomlValue const& value) {
  auto const* list = value.as<TomlValue::List>();
  return list != nullptr && !list->empty() &&
         std::all_of(list->begin(), list->end(),
                     [](TomlValue const& element) { return element.as<TomlTable>() != nullptr; });
}

/// Returns the lines of a section, without lists of tables.
std::string key_lines(TomlTable const& table) {
  std::string lines;
  for (TomlEntry const& entry : table.entries) {
    if (!is_list_of_tables(entry.value)) {
      lines += key_text(entry.key) + " = " + to_toml(entry.value) + '\n';
    }
  }
  return lines;
}

/// Returns the [[section.key]] blocks of a section, such as [[initial.gaussian]]. They must follow
/// its plain keys. Tables inside a block are written inline.
std::string lists_of_tables(TomlTable const& table, std::string const& section) {
  std::string blocks;
  for (TomlEntry const& entry : table.entries) {
    if (is_list_of_tables(entry.value)) {
      for (TomlValue const& element : entry.value.get<TomlValue::List>()) {
        blocks +=
            "\n[[" + section + key_text(entry.key) + "]]\n" + key_lines(element.get<TomlTable>());
      }
    }
  }
  return blocks;
}

}  // namespace

std::string to_toml(TomlValue const& value) {
  if (auto const* flag = value.as<bool>()) {
    return *flag ? "true" : "false";
  }
  if (auto const* whole = value.as<std::int64_t>()) {
    return std::to_string(*whole);
  }
  if (auto const* number = value.as<double>()) {
    return floating(*number);
  }
  if (auto const* text = value.as<std::string>()) {
    return text_in_quotes(*text);
  }
  if (auto const* list = value.as<TomlValue::List>()) {
    return inline_list(*list);
  }
  if (auto const* table = value.as<TomlTable>()) {
    return inline_table(*table);
  }
  return value.get<TomlDate>().text;
}

std::string to_toml(TomlTable const& root) {
  TomlTable top;
  // Plain keys must precede the first section, since TOML would otherwise assign them to it.
  std::string sections;
  for (TomlEntry const& entry : root.entries) {
    if (auto const* table = entry.value.as<TomlTable>()) {
      std::string const section = key_text(entry.key);
      sections +=
          "\n[" + section + "]\n" + key_lines(*table) + lists_of_tables(*table, section + '.');
    } else {
      top.entries.push_back(entry);
    }
  }
  return key_lines(top) + lists_of_tables(top, "") + sections;
}

}  // namespace isotherm
