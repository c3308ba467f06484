#pragma once

#include <string>
#include <string_view>
#include <vector>

// Parts of an HTML page. All texts may be hostile: they are escaped here.

namespace isotherm::app {

/// Escapes a text for HTML: it is valid between tags and inside double quotes. Control characters
/// and bytes that are not UTF-8 become visible escapes; newlines and tabs remain.
std::string html_text(std::string_view text);

/// Returns one line of at most 300 bytes, escaped.
std::string html_line(std::string_view text);

/// Encodes bytes in base64 (RFC 4648).
std::string base64(std::string_view bytes);

/// A table of a page. Rows whose cells are all empty except the first one are left out.
///
///     HtmlTable table("lr", {"flow", "value"});
///     table.row({"in", "1.5"});
///     page += table.text();
class HtmlTable {
 public:
  /// @param columns  for each column l (text, on the left) or r (number, on the right)
  /// @param heading  the names of the columns; empty: no heading
  explicit HtmlTable(std::string columns, std::vector<std::string> const& heading = {});

  /// Adds a row. The cells are texts, which are escaped.
  void row(std::vector<std::string> const& cells);
  /// Returns the table; empty if it has no rows.
  [[nodiscard]] std::string text() const;

 private:
  /// Returns a row of cells with this tag.
  [[nodiscard]] std::string cells(std::vector<std::string> const& texts,
                                  std::string_view tag) const;

  std::string columns_;
  std::string heading_{};
  std::string rows_{};
};

/// Returns a section with a heading; empty if it has no contents.
/// @param contents  HTML
std::string html_section(std::string_view heading, std::string const& contents);

}  // namespace isotherm::app
