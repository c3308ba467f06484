#include "app/run/report/page/html.hpp"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>

#include "case/basics/text/wording.hpp"
#include "io/files/xml_text.hpp"

namespace isotherm::app {

std::string html_text(std::string_view text) { return xml_text(visible_lines(text)); }

std::string html_line(std::string_view text) {
  constexpr std::size_t max_bytes = 300;
  return xml_text(one_line(text, max_bytes));
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    // Three bytes are four digits of six bits. Missing bytes are zero, and their digits '='.
    std::size_t const count = std::min<std::size_t>(3, bytes.size() - i);
    unsigned group = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      group = group << 8U | (k < count ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      unsigned const digit = group >> (18U - 6U * static_cast<unsigned>(k)) & 63U;
      text += k <= count ? digits[digit] : '=';
    }
  }
  return text;
}

HtmlTable::HtmlTable(std::string columns, std::vector<std::string> const& heading)
    : columns_(std::move(columns)) {
  if (!heading.empty()) heading_ = "<thead>" + cells(heading, "th") + "</thead>\n";
}

void HtmlTable::row(std::vector<std::string> const& texts) {
  bool const is_empty = std::all_of(texts.begin() + 1, texts.end(),
                                    [](std::string const& text) { return text.empty(); });
  if (!is_empty) rows_ += cells(texts, "td");
}

std::string HtmlTable::cells(std::vector<std::string> const& texts, std::string_view tag) const {
  std::string row = "<tr>";
  for (std::size_t i = 0; i < texts.size(); ++i) {
    bool const is_number = i < columns_.size() && columns_[i] == 'r';
    row += fmt::format("<{}{}>{}</{}>", tag, is_number ? " class=\"number\"" : "",
                       html_line(texts[i]), tag);
  }
  return row + "</tr>\n";
}

std::string HtmlTable::text() const {
  if (rows_.empty()) return "";
  return "<div class=\"wide\"><table>\n" + heading_ + "<tbody>\n" + rows_ +
         "</tbody></table></div>\n";
}

std::string html_section(std::string_view heading, std::string const& contents) {
  if (contents.empty()) return "";
  return fmt::format("<section>\n<h2>{}</h2>\n{}</section>\n", html_line(heading), contents);
}

}  // namespace isotherm::app
