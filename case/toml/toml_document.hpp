#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

// A TOML document in memory, with the order of its keys and the line of each value.
//
// toml++ parses the text, but its tables are sorted by name. These types keep the order, so
// to_toml() reproduces a readable case, and messages can name file and line.

namespace isotherm {

/// A key of a table, with its value.
struct TomlEntry;

/// A table: keys and values in the order of the text.
struct TomlTable {
  std::vector<TomlEntry> entries;
  std::string where;  ///< the place where the table begins

  // Defaulted in the source file, where TomlEntry is complete.
  TomlTable();
  TomlTable(TomlTable const&);
  TomlTable(TomlTable&&) noexcept;
  TomlTable& operator=(TomlTable const&);
  TomlTable& operator=(TomlTable&&) noexcept;
  ~TomlTable();

  /// Returns the entry of a key, or null if there is none.
  [[nodiscard]] TomlEntry const* find(std::string_view key) const;
  [[nodiscard]] TomlEntry* find(std::string_view key);
};

/// A date or a time, in its original text. No key of a case accepts one.
struct TomlDate {
  std::string text{};
};

/// A value of a TOML document, with its place.
struct TomlValue {
  using List = std::vector<TomlValue>;
  std::variant<bool, std::int64_t, double, std::string, TomlDate, List, TomlTable> data{};
  std::string where{};  ///< "case.toml:12", or "--set method.iterations=50"

  /// Returns the value. @pre it has type T
  template <class T>
  [[nodiscard]] T const& get() const {
    return std::get<T>(data);
  }
  /// Returns a pointer to the value, or null if it has another type.
  template <class T>
  [[nodiscard]] T const* as() const {
    return std::get_if<T>(&data);
  }
  template <class T>
  [[nodiscard]] T* as() {
    return std::get_if<T>(&data);
  }
};

/// A key with its value, and the place of the key.
struct TomlEntry {
  std::string key{};
  TomlValue value{};
  std::string where{};  ///< of the key
};

/// Parses a TOML document.
/// @param name  the name of the document; a place is this name and the number of a line
/// @throws InputError  "NAME:LINE: …" if the text is not TOML, or its values are nested too deeply
TomlTable parse_toml(std::string_view text, std::string const& name);

/// Writes TOML that parses to the same values in the same order. Plain keys come first, then a
/// [section] for each table. Tables within a section are written inline, and lists of tables as
/// [[section.key]]. Comments of the original text are not reproduced.
///
///     TomlTable const table = parse_toml("[grid]\npoints = [9, 9]", "case.toml");
///     std::string const text = to_toml(table);    // "\n[grid]\npoints = [9, 9]\n"
std::string to_toml(TomlTable const& root);

/// Writes a value as TOML on one line.
std::string to_toml(TomlValue const& value);

}  // namespace isotherm
