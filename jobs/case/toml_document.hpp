#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace isotherm {

struct TomlEntry;

/// Keys and values in the order in which they were written.
struct TomlTable {
  std::vector<TomlEntry> entries;
  std::string where;  ///< where the table begins

  // Defined where TomlEntry is known.
  TomlTable();
  TomlTable(TomlTable const&);
  TomlTable(TomlTable&&) noexcept;
  TomlTable& operator=(TomlTable const&);
  TomlTable& operator=(TomlTable&&) noexcept;
  ~TomlTable();

  [[nodiscard]] TomlEntry const* find(std::string_view key) const;
  [[nodiscard]] TomlEntry* find(std::string_view key);
};

/// A date or a time, which no key of a case takes; as it was written.
struct TomlDate {
  std::string text{};
};

/// A value of a TOML document.
struct TomlValue {
  using List = std::vector<TomlValue>;
  std::variant<bool, std::int64_t, double, std::string, TomlDate, List, TomlTable> data{};
  std::string where{};  ///< "case.toml:12", or "--set method.iterations=50"

  /// The value, whose type is known.
  template <class T>
  [[nodiscard]] T const& get() const {
    return std::get<T>(data);
  }
  /// The value, or null where it is of another type.
  template <class T>
  [[nodiscard]] T const* as() const {
    return std::get_if<T>(&data);
  }
  template <class T>
  [[nodiscard]] T* as() {
    return std::get_if<T>(&data);
  }
};

struct TomlEntry {
  std::string key{};
  TomlValue value{};
  std::string where{};  ///< of the key
};

/// Parses TOML.
/// @param name  what `where` names beside the line
/// @throws InputError  "NAME:LINE: …" where the text is not TOML, or its values lie too deep
TomlTable parse_toml(std::string_view text, std::string const& name);

/// TOML that parses to the same values in the same order: keys first, then a [section] for each
/// table, in which further tables are written inline and lists of tables as [[section.key]].
std::string to_toml(TomlTable const& root);

/// The value as TOML writes it, on one line.
std::string to_toml(TomlValue const& value);

}  // namespace isotherm
