#include "app/sweep/run_table.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <system_error>

#include "app/sweep/grid_study.hpp"
#include "case/basics/exit_code.hpp"
#include "case/basics/text/wording.hpp"
#include "io/files/atomic_file.hpp"
#include "kernels/core/error.hpp"

namespace isotherm::app {

namespace {

/// Appends a text unless it is in the list.
void add_new(std::vector<std::string>& list, std::string const& text) {
  if (std::ranges::find(list, text) == list.end()) list.push_back(text);
}

/// Returns a cell with all digits of a number; empty for null.
std::string exact_text(TableCell const& cell) {
  if (cell.is_null()) return "";
  return cell.is_string() ? cell.get<std::string>() : cell.dump();
}

/// Returns a cell for reading; "-" for null.
std::string short_text(TableCell const& cell) {
  if (cell.is_null()) return "-";
  if (cell.is_number_float()) return fmt::format("{:.6g}", cell.get<double>());
  return visible(exact_text(cell));
}

/// Returns a field of a table with commas, in quotes if it needs them (RFC 4180).
std::string quoted_if_needed(std::string const& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (char const c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + '"';
}

std::string csv_table(std::vector<RunRow> const& rows, std::vector<std::string> const& columns) {
  std::vector<std::string> names;
  names.reserve(columns.size());
  for (std::string const& column : columns) names.push_back(quoted_if_needed(column));
  std::string text = join(names, ",") + '\n';
  for (RunRow const& row : rows) {
    std::vector<std::string> cells;
    cells.reserve(columns.size());
    for (std::string const& column : columns) {
      cells.push_back(quoted_if_needed(exact_text(row.value(column))));
    }
    text += join(cells, ",") + '\n';
  }
  return text;
}

std::string json_table(std::vector<RunRow> const& rows, std::vector<std::string> const& columns) {
  TableCell list = TableCell::array();
  for (RunRow const& row : rows) {
    TableCell object = TableCell::object();
    for (std::string const& column : columns) object[column] = row.value(column);
    list.push_back(object);
  }
  return list.dump(2, ' ', false, TableCell::error_handler_t::replace) + '\n';
}

/// Numbers are aligned at the right, texts at the left.
std::string aligned_table(std::vector<RunRow> const& rows,
                          std::vector<std::string> const& columns) {
  std::vector<std::string> lines(rows.size() + 1);
  for (std::size_t c = 0; c < columns.size(); ++c) {
    std::vector<std::string> cells{columns[c]};
    bool is_text = false;
    for (RunRow const& row : rows) {
      TableCell const cell = row.value(columns[c]);
      is_text = is_text || cell.is_string();
      cells.push_back(short_text(cell));
    }
    std::size_t width = 0;
    for (std::string const& cell : cells) width = std::max(width, cell.size());
    for (std::size_t i = 0; i < cells.size(); ++i) {
      lines[i] += (c > 0 ? "  " : "") + (is_text ? fmt::format("{:<{}}", cells[i], width)
                                                 : fmt::format("{:>{}}", cells[i], width));
    }
  }
  std::string text;
  for (std::string& line : lines) {
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  return text;
}

/// Removes the settings that are the same in all rows, and keeps the order of the others.
void keep_what_differs(std::vector<RunRow>& rows) {
  std::map<std::string, std::set<std::string>> values;
  std::map<std::string, std::size_t> counts;
  for (RunRow const& row : rows) {
    for (Setting const& one : row.settings()) {
      values[one.key].insert(one.value);
      ++counts[one.key];
    }
  }
  std::vector<std::string> keys;
  for (auto const& [key, found] : values) {
    if (found.size() > 1 || counts[key] < rows.size()) keys.push_back(key);
  }
  for (RunRow& row : rows) row.keep_settings(keys);
}

/// Returns the number that a text consists of; none for other texts.
std::optional<double> number_in(std::string const& text) {
  double number = 0.0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  bool const is_number = error == std::errc() && end == text.data() + text.size();
  return is_number && std::isfinite(number) ? std::optional(number) : std::nullopt;
}

/// True if the settings of a run precede those of another one: numbers by their value, before all
/// other texts. @pre  both have the same keys
bool precedes(RunRow const& a, RunRow const& b) {
  for (std::size_t i = 0; i < a.settings().size(); ++i) {
    std::string const& one = a.settings()[i].value;
    std::string const& two = b.settings()[i].value;
    auto const first = number_in(one), second = number_in(two);
    if (first.has_value() != second.has_value()) return first.has_value();
    if (first && *first != *second) return *first < *second;
    if (first) continue;
    if (precedes_naturally(one, two)) return true;
    if (precedes_naturally(two, one)) return false;
  }
  return false;
}

/// Sorts runs by the values of their settings, if all have the same keys.
void sort_by_settings(std::vector<RunRow>& rows) {
  auto const has_keys_of_first = [&](RunRow const& row) {
    return std::ranges::equal(row.settings(), rows.front().settings(), {}, &Setting::key,
                              &Setting::key);
  };
  if (std::ranges::all_of(rows, has_keys_of_first)) std::ranges::stable_sort(rows, precedes);
}

}  // namespace

std::vector<std::string> default_columns(std::vector<RunRow> const& rows) {
  std::vector<std::string> columns;
  for (RunRow const& row : rows) {
    for (Setting const& one : row.settings()) add_new(columns, one.key);
  }
  if (columns.empty()) columns.emplace_back("run");
  for (RunRow const& row : rows) {
    for (std::string const& column : row.result_columns()) add_new(columns, column);
  }
  return columns;
}

std::vector<std::string> unknown_columns(std::vector<RunRow> const& rows,
                                         std::vector<std::string> const& columns) {
  std::vector<std::string> unknown;
  for (std::string const& column : columns) {
    bool const is_known =
        std::ranges::any_of(rows, [&](RunRow const& row) { return !row.value(column).is_null(); });
    if (!is_known) unknown.push_back(column);
  }
  return unknown;
}

std::string format_table(std::vector<RunRow> const& rows, std::vector<std::string> const& columns,
                         TableFormat format) {
  switch (format) {
    case TableFormat::csv:
      return csv_table(rows, columns);
    case TableFormat::json:
      return json_table(rows, columns);
    case TableFormat::text:
      break;
  }
  return aligned_table(rows, columns);
}

TableFormat format_for(std::filesystem::path const& file) {
  return file.extension() == ".csv"    ? TableFormat::csv
         : file.extension() == ".json" ? TableFormat::json
                                       : TableFormat::text;
}

void require_regular_file(std::filesystem::path const& file) {
  std::error_code unknown;
  if (!std::filesystem::exists(std::filesystem::symlink_status(file, unknown))) return;
  if (std::filesystem::is_regular_file(file, unknown)) return;
  throw InputError(visible(file.string()) + " is not a regular file, so it is not replaced");
}

void check_table_file(std::filesystem::path const& file, std::string const& first_column,
                      std::string const& advice) {
  std::error_code unknown;
  if (!std::filesystem::exists(std::filesystem::symlink_status(file, unknown))) return;
  // Reading from a pipe might never end.
  require_regular_file(file);
  std::string begin(4096, '\0');
  std::ifstream stream(file, std::ios::binary);
  stream.read(begin.data(), std::ssize(begin));
  begin.resize(static_cast<std::size_t>(std::max<std::streamsize>(stream.gcount(), 0)));
  begin.erase(0, begin.find_first_not_of(" \n\"[{"));
  if (begin.starts_with(first_column)) return;
  throw InputError(visible(file.string()) + " exists and is not a table that begins with " +
                   in_quotes(first_column) + " (" + advice + ")");
}

namespace {

/// Refuses to replace a file of one of the runs that the table is made from. @throws InputError
void require_no_file_of_runs(std::filesystem::path const& file,
                             std::vector<std::filesystem::path> const& directories) {
  std::error_code unknown;
  for (auto const& directory : find_runs(directories)) {
    for (auto const& entry : std::filesystem::directory_iterator(directory)) {
      if (!std::filesystem::equivalent(file, entry.path(), unknown)) continue;
      throw InputError("--output " + visible(file.string()) + ": " +
                       visible(entry.path().string()) + " is an input file: choose another name");
    }
  }
}

}  // namespace

int make_table(TableOptions const& options) {
  std::vector<RunRow> rows;
  for (auto const& directory : find_runs(options.directories)) {
    rows.emplace_back(directory);
    rows.back().read_settings();
  }
  keep_what_differs(rows);
  // Directories in another order than the alphabetical one are in the order of the user.
  if (std::ranges::is_sorted(options.directories)) sort_by_settings(rows);
  std::vector<std::string> const known = default_columns(rows);
  for (std::string const& column : unknown_columns(rows, options.columns)) {
    std::string const near = nearest_name(column, known, 1);
    throw InputError("--columns: no run has " + in_quotes(column) + " (" +
                     (near.empty() ? "" : "did you mean " + near + "? ") + "there are " +
                     join(known) + ", and all values of summary.json and of the case)");
  }
  std::vector<std::string> columns = options.columns.empty() ? known : options.columns;
  std::vector<RunRow> added;
  if (options.extrapolate) {
    std::vector<std::string> remarks;
    added = extrapolated_rows(rows, columns, remarks);
    for (std::string const& remark : remarks) {
      std::cerr << "isotherm: warning: " + visible(remark) + '\n';
    }
    auto const names_row = [&](std::string const& column) {
      return added.front().value(column).is_string();
    };
    // Otherwise the added rows look like further runs.
    if (std::ranges::none_of(columns, names_row)) columns.insert(columns.begin(), "run");
  }
  if (options.overwrite) {
    require_regular_file(options.file);
    require_no_file_of_runs(options.file, options.directories);
  } else if (!options.file.empty()) {
    check_table_file(options.file, columns.front(),
                     "--overwrite replaces it, or name another with --output");
  }
  std::ranges::move(added, std::back_inserter(rows));
  std::string const text =
      format_table(rows, columns, options.format.value_or(format_for(options.file)));
  if (options.file.empty()) {
    std::cout << text;
  } else {
    write_file_atomically(options.file, text);
  }
  return exit_code::done;
}

}  // namespace isotherm::app
