#include "app/sweep/run_row.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <string_view>
#include <system_error>

#include "case/basics/text/csv_table.hpp"
#include "case/basics/text/wording.hpp"
#include "case/toml/toml_document.hpp"
#include "io/files/presence.hpp"
#include "kernels/core/error.hpp"

namespace isotherm::app {

namespace {

namespace fs = std::filesystem;

/// Where summary.json has the values of columns with short names. A column "flux.x_lower" begins
/// with the name "flux".
std::map<std::string, std::string, std::less<>> const& short_columns() {
  static std::map<std::string, std::string, std::less<>> const columns{
      {"iterations", "result.iterations"},
      {"time", "result.time_s"},
      {"error", "result.residual.error"},
      {"converged", "result.converged"},
      {"min", "result.field.min"},
      {"max", "result.field.max"},
      {"mean", "result.field.mean"},
      {"flux", "result.flux"},
      {"floating", "result.floating"},
      {"heat_balance", "result.heat_balance"},
      {"mean_flux", "result.mean_flux"},
      {"effective_conductivity", "result.effective_conductivity"},
      {"wall_s", "performance.wall_s"},
      {"stop_time", "result.stop.time_s"}};
  return columns;
}

/// Converts a text of a table or of a setting: a number, true, false, or the text without quotes.
TableCell cell_of(std::string_view text) {
  if (text == "true" || text == "false") return text == "true";
  std::int64_t whole = 0;
  double number = 0.0;
  char const* const end = text.data() + text.size();
  if (auto const [at, error] = std::from_chars(text.data(), end, whole);
      error == std::errc{} && at == end) {
    return whole;
  }
  if (auto const [at, error] = std::from_chars(text.data(), end, number);
      error == std::errc{} && at == end) {
    return number;
  }
  bool const is_quoted = text.size() > 1 && (text.front() == '"' || text.front() == '\'') &&
                         text.back() == text.front();
  return std::string(is_quoted ? text.substr(1, text.size() - 2) : text);
}

/// The first and the last complete line of a table.
struct TableEnds {
  std::vector<std::string> names, last;
};

/// Reads both ends of a table, without the lines between them. Nothing if there is no row.
std::optional<TableEnds> ends_of(fs::path const& path) {
  constexpr std::streamoff tail_bytes = 65536;  // longer than any row
  std::ifstream file(path, std::ios::binary);
  std::string first;
  if (!file || !std::getline(file, first)) return std::nullopt;
  auto const after_first = static_cast<std::streamoff>(file.tellg());
  file.seekg(0, std::ios::end);
  auto const size = static_cast<std::streamoff>(file.tellg());
  if (after_first < 0 || size <= after_first) return std::nullopt;
  file.seekg(std::max(after_first, size - tail_bytes));
  std::string last;
  for (std::string line; std::getline(file, line);) {
    if (!line.empty()) last = line;
  }
  return TableEnds{csv_cells(first), csv_cells(last)};
}

/// Returns true if the table has one row for each moment, unlike that of a line of points.
bool has_single_rows(TableEnds const& table) {
  return std::ranges::find(table.names, "distance") == table.names.end();
}

/// Converts a value of a case.
TableCell cell_of(TomlValue const& value) {
  if (auto const* const flag = value.as<bool>()) return *flag;
  if (auto const* const whole = value.as<std::int64_t>()) return *whole;
  if (auto const* const number = value.as<double>()) return *number;
  if (auto const* const text = value.as<std::string>()) return *text;
  return to_toml(value);
}

}  // namespace

std::optional<std::string> contents_of(fs::path const& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

RunRow::RunRow(fs::path directory, std::vector<Setting> settings)
    : directory_(std::move(directory)), settings_(std::move(settings)) {
  if (directory_.empty()) return;
  auto const text = contents_of(directory_ / "summary.json");
  if (!text) return;
  summary_ = nlohmann::ordered_json::parse(*text, nullptr, false);
  if (!summary_.is_object()) {
    throw InputError((directory_ / "summary.json").string() + " is not the summary of a run");
  }
}

void RunRow::read_settings() {
  settings_.clear();
  auto const found = summary_.find("overrides");
  if (found == summary_.end()) return;
  for (auto const& one : *found) {
    std::string const text = one.is_string() ? one.get<std::string>() : "";
    auto const equals = text.find('=');
    std::string const key = text.substr(0, equals);
    if (equals == std::string::npos || key == "output.directory" || key.starts_with("run.")) {
      continue;
    }
    // A later value replaces an earlier one.
    std::erase_if(settings_, [&](Setting const& earlier) { return earlier.key == key; });
    settings_.push_back({key, text.substr(equals + 1)});
  }
}

void RunRow::keep_settings(std::vector<std::string> const& keys) {
  std::erase_if(settings_,
                [&](Setting const& one) { return std::ranges::find(keys, one.key) == keys.end(); });
}

TableCell RunRow::value(std::string const& column) const {
  if (TableCell found = setting(column); !found.is_null()) return found;
  if (auto const cell = cells_.find(column); cell != cells_.end()) return cell->second;
  if (column == "status" && !status_.empty()) return status_;
  if (directory_.empty()) return {};
  if (column == "run") return directory_.filename().string();
  if (column == "directory") return directory_.string();
  auto const dot = column.find('.');
  auto const known = short_columns().find(column.substr(0, dot));
  if (known != short_columns().end()) {
    return in_summary(known->second + (dot == std::string::npos ? "" : column.substr(dot)));
  }
  if (TableCell found = in_summary(column); !found.is_null()) return found;
  if (TableCell found = in_table(column); !found.is_null()) return found;
  if (TableCell found = in_case(column); !found.is_null()) return found;
  // A case may have given a spacing instead.
  return column == "points" || column == "grid.points" ? in_summary("case.points") : TableCell();
}

TableCell RunRow::setting(std::string const& column) const {
  for (Setting const& one : settings_) {
    if (one.key == column) return cell_of(one.value);
  }
  for (Setting const& one : settings_) {
    if (short_name(one.key) == column) return cell_of(one.value);
  }
  return {};
}

/// A name may contain a dot itself, so each part is as long as possible.
TableCell RunRow::in_summary(std::string const& path) const {
  nlohmann::ordered_json const* at = &summary_;
  std::string_view rest = path;
  while (!rest.empty()) {
    if (!at->is_object()) return {};
    std::size_t end = rest.size();
    while (end != 0 && end != std::string_view::npos &&
           !at->contains(std::string(rest.substr(0, end)))) {
      end = rest.rfind('.', end - 1);
    }
    if (end == 0 || end == std::string_view::npos) return {};
    at = &(*at)[std::string(rest.substr(0, end))];
    rest = end < rest.size() ? rest.substr(end + 1) : std::string_view();
  }
  if (at->is_object()) return {};
  return at->is_array() ? TableCell(at->dump()) : *at;
}

TableCell RunRow::in_table(std::string const& column) const {
  auto const dot = column.find('.');
  std::string const table = column.substr(0, dot);
  if (table != "quantities" && !table.starts_with("probe_")) return {};
  auto const ends = ends_of(directory_ / (table + ".csv"));
  if (!ends) return {};
  std::string const name = dot == std::string::npos ? "value" : column.substr(dot + 1);
  auto const found = std::ranges::find(ends->names, name);
  auto const i = static_cast<std::size_t>(found - ends->names.begin());
  bool const has_value = i < ends->last.size() && !ends->last[i].empty();
  return has_value ? cell_of(ends->last[i]) : TableCell();
}

TableCell RunRow::in_case(std::string const& key) const {
  auto const text = contents_of(directory_ / "case.toml");
  if (!text) return {};
  TomlTable const root = parse_toml(*text, (directory_ / "case.toml").string());
  TomlTable const* table = &root;
  std::istringstream parts(key);
  TomlEntry const* entry = nullptr;
  for (std::string part; std::getline(parts, part, '.');) {
    if (table == nullptr || (entry = table->find(part)) == nullptr) return {};
    table = entry->value.as<TomlTable>();
  }
  return entry == nullptr || table != nullptr ? TableCell() : cell_of(entry->value);
}

std::vector<std::string> RunRow::table_columns() const {
  if (directory_.empty()) return {};
  std::vector<std::string> tables;
  std::error_code failure;
  for (auto const& file : fs::directory_iterator(directory_, failure)) {
    std::string const stem = file.path().stem().string();
    bool const is_table = file.path().extension() == ".csv";
    if (is_table && (stem == "quantities" || stem.starts_with("probe_"))) tables.push_back(stem);
  }
  std::ranges::sort(tables, precedes_naturally);
  std::vector<std::string> columns;
  for (std::string const& table : tables) {
    auto const ends = ends_of(directory_ / (table + ".csv"));
    if (!ends || !has_single_rows(*ends)) continue;
    for (std::string const& name : ends->names) {
      if (name == "iteration" || name == "time") continue;
      std::string column = table;
      if (name != "value") column.append(1, '.').append(name);
      columns.push_back(std::move(column));
    }
  }
  return columns;
}

std::vector<std::string> RunRow::result_columns() const {
  std::vector<std::string> columns{"status", "iterations", "min", "max", "mean"};
  auto const result = summary_.is_object() ? summary_.find("result") : summary_.end();
  if (result != summary_.end()) {
    for (char const* const group : {"flux", "heat_balance", "effective_conductivity"}) {
      if (!result->contains(group)) continue;
      for (auto const& item : (*result)[group].items()) {
        columns.push_back(std::string(group) + '.' + item.key());
      }
    }
    if (auto const floating = result->find("floating"); floating != result->end()) {
      for (auto const& item : floating->items()) {
        columns.push_back("floating." + item.key() + ".value");
      }
    }
  }
  std::ranges::copy(table_columns(), std::back_inserter(columns));
  return columns;
}

std::vector<fs::path> find_runs(std::vector<fs::path> const& directories) {
  std::vector<fs::path> runs;
  for (fs::path const& directory : directories) {
    std::error_code failure;
    if (fs::exists(directory / "summary.json", failure)) {
      runs.push_back(directory);
      continue;
    }
    require_directory(directory, "needs the output directory of a run, or of a sweep");
    std::vector<std::string> names;
    for (auto const& entry : fs::directory_iterator(directory, failure)) {
      std::error_code ignored;
      if (fs::exists(entry.path() / "summary.json", ignored)) {
        names.push_back(entry.path().filename().string());
      }
    }
    if (names.empty()) {
      throw InputError(directory.string() +
                       " contains no run (needs a directory with a summary.json, or one of such "
                       "directories)");
    }
    std::ranges::sort(names, precedes_naturally);
    for (std::string const& name : names) runs.push_back(directory / name);
  }
  return runs;
}

}  // namespace isotherm::app
