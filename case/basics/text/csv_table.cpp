#include "case/basics/text/csv_table.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <limits>
#include <optional>

#include "case/basics/text/text.hpp"
#include "case/basics/text/text_file.hpp"
#include "kernels/core/error.hpp"
#include "kernels/core/text.hpp"

namespace isotherm {

namespace {

constexpr std::string_view blanks = " \t";
constexpr std::size_t max_mebibytes = 64;
constexpr std::size_t max_columns = 1000;
constexpr std::size_t max_cells = 10'000'000;

/// Returns the number that a cell holds, or nothing. Numbers beyond the range of double become
/// infinite or zero.
std::optional<double> number_in(std::string_view cell) {
  if (cell.starts_with('+')) cell.remove_prefix(1);
  double number = 0.0;
  auto const [end, fault] = std::from_chars(cell.data(), cell.data() + cell.size(), number);
  if (end != cell.data() + cell.size()) return std::nullopt;
  if (fault == std::errc::result_out_of_range) {
    return std::strtod(std::string(cell).c_str(), nullptr);
  }
  return fault == std::errc() ? std::optional(number) : std::nullopt;
}

/// Removes the text up to the next separator from a line, with the separator.
/// @return  whether there was a separator, so another cell follows
bool skip_separator(std::string_view& line, char separator) {
  line.remove_prefix(std::min(line.find(separator), line.size()));
  if (line.empty()) return false;
  line.remove_prefix(1);
  return true;
}

/// Takes the next cell from the beginning of a line, with the separator that follows.
/// @param more  becomes false if no separator follows
/// @return  the cell without blanks and quotes
std::string next_cell(std::string_view& line, char separator, bool& more) {
  std::string_view const around = separator == '\t' ? " " : blanks;
  std::string_view const start = trimmed(line, around);
  if (!start.starts_with('"')) {
    std::string cell(trimmed(line.substr(0, line.find(separator)), around));
    more = skip_separator(line, separator);
    return cell;
  }
  std::string cell;
  line = start.substr(1);
  while (!line.empty()) {
    bool const is_escaped = line.starts_with("\"\"");
    if (line.front() == '"' && !is_escaped) break;
    cell += line.front();
    line.remove_prefix(is_escaped ? 2 : 1);
  }
  more = skip_separator(line, separator);
  return cell;
}

/// Returns what separates the cells of a table with this header: commas, or else semicolons or
/// tabs.
char separator_of(std::string_view header) {
  for (char const separator : {',', ';', '\t'}) {
    if (header.find(separator) != std::string_view::npos) return separator;
  }
  return ',';
}

/// Returns "65" of "[65,33]"; any other cell unchanged.
std::string first_of_list(std::string const& cell) {
  if (!cell.starts_with('[') || !cell.ends_with(']')) return cell;
  return std::string(trimmed(std::string_view(cell).substr(1, cell.find_first_of(",]") - 1)));
}

/// Reads the lines of a table one after the other.
class CsvParser {
 public:
  CsvParser(std::string_view text, std::filesystem::path const& file, ListCells lists)
      : rest_(text), table_{file}, lists_(lists) {}

  CsvTable parsed() {
    constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
    if (rest_.starts_with(byte_order_mark)) rest_.remove_prefix(byte_order_mark.size());
    if (rest_.empty()) throw InputError(table_.path.string() + " is empty");
    std::string_view header = next_line();
    while (is_comment(header) && !rest_.empty()) header = next_line();
    read_header(header);
    while (!rest_.empty()) {
      std::string_view const line = next_line();
      // Blank lines are no rows, except in a table of one column.
      bool const is_blank = trimmed(line, blanks).empty() && table_.columns.size() > 1;
      if (!is_blank && !is_comment(line)) read_row(line);
    }
    return std::move(table_);
  }

 private:
  static bool is_comment(std::string_view line) { return line.starts_with('#'); }

  /// Takes a line without its end.
  std::string_view next_line() {
    ++line_number_;
    std::size_t const end = std::min(rest_.find('\n'), rest_.size());
    std::string_view line = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    return line;
  }

  [[noreturn]] void fail(std::string const& reason) const {
    throw InputError(fmt::format("{}: line {} {}", table_.path.string(), line_number_, reason));
  }

  void read_header(std::string_view line) {
    auto const is_binary = [](char c) {
      return static_cast<unsigned char>(c) < 0x20U && c != '\t';
    };
    if (std::ranges::any_of(line, is_binary)) {
      fail("is not a header: it contains control characters (needs a table in CSV)");
    }
    separator_ = separator_of(line);
    bool has_name = false;
    for (bool more = true; more;) {
      table_.columns.push_back({next_cell(line, separator_, more)});
      std::string const& name = table_.columns.back().name;
      has_name = has_name || !(name.empty() || number_in(name));
      if (table_.columns.size() > max_columns) {
        fail(fmt::format("has more than {} columns", max_columns));
      }
    }
    if (!has_name) fail("is not a header: it names no columns (needs names, as in time,value)");
  }

  void read_row(std::string_view line) {
    std::size_t const count = table_.columns.size();
    std::size_t cells = 0;
    for (bool more = true; more; ++cells) {
      std::string const cell = next_cell(line, separator_, more);
      if (cells < count) add(table_.columns[cells], cell);
    }
    if (cells != count) {
      fail(fmt::format("has {} instead of {}, unlike the header",
                       format_count(static_cast<long long>(cells), "column"), count));
    }
    ++table_.rows;
    table_.lines.push_back(line_number_);
    if (table_.rows * count > max_cells) {
      throw InputError(fmt::format("{} has more than {} cells", table_.path.string(), max_cells));
    }
  }

  /// Adds a cell to a column.
  void add(CsvColumn& column, std::string const& cell) const {
    auto const number = number_in(lists_ == ListCells::first_number ? first_of_list(cell) : cell);
    column.numbers.push_back(number.value_or(std::numeric_limits<double>::quiet_NaN()));
    if (number || cell.empty() || column.first_text_line > 0) return;
    column.first_text = cell;
    column.first_text_line = line_number_;
    column.begins_with_text =
        std::ranges::all_of(column.numbers, [](double one) { return std::isnan(one); });
  }

  std::string_view rest_;
  CsvTable table_;
  ListCells lists_;
  std::int64_t line_number_ = 0;
  char separator_ = ',';
};

}  // namespace

CsvColumn const* CsvTable::find(std::string_view name) const {
  auto const found = std::ranges::find(columns, name, &CsvColumn::name);
  return found == columns.end() ? nullptr : &*found;
}

CsvTable parse_csv(std::string_view text, std::filesystem::path const& file, ListCells lists) {
  return CsvParser(text, file, lists).parsed();
}

std::vector<std::string> csv_cells(std::string_view line) {
  std::vector<std::string> cells;
  for (bool more = true; more;) cells.push_back(next_cell(line, ',', more));
  return cells;
}

CsvTable read_csv(std::filesystem::path const& file, ListCells lists) {
  return parse_csv(read_text_file(file, "a table", "", max_mebibytes), file, lists);
}

}  // namespace isotherm
