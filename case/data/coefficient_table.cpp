#include "case/data/coefficient_table.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "case/basics/text/csv_table.hpp"
#include "case/basics/text/digest.hpp"
#include "case/basics/text/text.hpp"
#include "case/basics/text/text_file.hpp"
#include "case/basics/text/wording.hpp"
#include "kernels/core/error.hpp"
#include "kernels/core/text.hpp"

namespace isotherm {

namespace {

/// The rows of a table.
struct Rows {
  std::vector<double> u{};
  std::vector<double> value{};

  /// Returns the interval of rows that contains u, or the first or last one: the number of its
  /// upper row, from 1.
  [[nodiscard]] std::size_t upper_row(double at) const {
    auto const above = std::upper_bound(u.begin() + 1, u.end() - 1, at);
    return static_cast<std::size_t>(above - u.begin());
  }
};

[[noreturn]] void fail(std::filesystem::path const& file, std::string const& fault) {
  throw InputError(file.string() + ": " + fault);
}

/// Requires that the numbers of a column are finite and increase, or are finite only.
void check_column(CsvTable const& table, CsvColumn const& column, bool increases) {
  std::filesystem::path const& file = table.path;
  for (std::size_t row = 0; row < column.numbers.size(); ++row) {
    double const number = column.numbers[row];
    std::string const what =
        "line " + std::to_string(table.lines[row]) + ": " + in_quotes(column.name);
    if (!std::isfinite(number)) fail(file, what + " is not a finite number");
    if (!increases || row == 0 || number > column.numbers[row - 1]) continue;
    fail(file, what + " is " + shortest(number) + ", not above that of the row before (" +
                   shortest(column.numbers[row - 1]) + "); needs numbers that increase");
  }
}

Rows read_rows(std::filesystem::path const& file, bool values_increase) {
  constexpr std::size_t fewest = 2, most = 10000;
  CsvTable const table =
      parse_csv(read_text_file(file, "a table of u and values", "", /*max_mebibytes=*/1), file);
  if (table.columns.size() != 2) {
    fail(file, "has " + format_count(static_cast<long long>(table.columns.size()), "column") +
                   " (needs two with a header, as in \"u,value\")");
  }
  if (table.rows < fewest || table.rows > most) {
    fail(file, "has " + format_count(static_cast<long long>(table.rows), "row") +
                   " below the header (needs 2 to 10000)");
  }
  check_column(table, table.columns[0], true);
  check_column(table, table.columns[1], values_increase);
  return {table.columns[0].numbers, table.columns[1].numbers};
}

/// Returns a function of u without its evaluation.
ScalarFunction function_of(Rows const& rows, std::string const& kind) {
  std::string all;
  for (std::size_t i = 0; i < rows.u.size(); ++i) {
    all += shortest(rows.u[i]) + ' ' + shortest(rows.value[i]) + '\n';
  }
  ScalarFunction function;
  function.depends_on_u = true;
  function.breaks_in_u = rows.u;
  function.varies_along = {false, false, false};
  function.text = kind + " of " + std::to_string(rows.u.size()) + " rows, digest " + digest(all);
  return function;
}

}  // namespace

ScalarFunction read_coefficient(std::filesystem::path const& file) {
  auto const rows = std::make_shared<Rows const>(read_rows(file, false));
  ScalarFunction function = function_of(*rows, "table");
  function.evaluate = [rows](double, double, double, double u) {
    auto const& [at, value] = *rows;
    if (!(u > at.front())) return std::isnan(u) ? u : value.front();
    if (u >= at.back()) return value.back();
    std::size_t const upper = rows->upper_row(u), lower = upper - 1;
    double const part = (u - at[lower]) / (at[upper] - at[lower]);
    return (1.0 - part) * value[lower] + part * value[upper];
  };
  return function;
}

ScalarFunction read_capacity_of_enthalpy(std::filesystem::path const& file) {
  auto const rows = std::make_shared<Rows const>(read_rows(file, true));
  ScalarFunction function = function_of(*rows, "enthalpy");
  function.evaluate = [rows](double, double, double, double u) {
    auto const& [at, heat] = *rows;
    std::size_t const upper = rows->upper_row(u), lower = upper - 1;
    double const capacity = (heat[upper] - heat[lower]) / (at[upper] - at[lower]);
    return std::isnan(u) ? u : capacity;
  };
  return function;
}

}  // namespace isotherm
