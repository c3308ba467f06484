#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/sweep/run_row.hpp"

// Tables of the results of several runs, one row for each run.

namespace isotherm::app {

/// How a table is written: aligned for reading, with commas, or as a JSON list of objects.
enum class TableFormat { text, csv, json };

/// Returns the columns of a table by default: the settings, in the order in which they first occur,
/// then RunRow::result_columns() of all rows.
std::vector<std::string> default_columns(std::vector<RunRow> const& rows);

/// Returns the columns that no row has.
std::vector<std::string> unknown_columns(std::vector<RunRow> const& rows,
                                         std::vector<std::string> const& columns);

/// Formats a table. Values that a run does not have are empty; in JSON they are null. Numbers have
/// all their digits; in aligned text they have six.
std::string format_table(std::vector<RunRow> const& rows, std::vector<std::string> const& columns,
                         TableFormat format);

/// Returns the format that the extension of a file names: .csv, .json, otherwise aligned text.
TableFormat format_for(std::filesystem::path const& file);

/// Checks that a table may be written to a file: it does not exist, or is a table with the same
/// first column, in whatever format.
/// @throws InputError  if another file would be replaced
void check_table_file(std::filesystem::path const& file, std::string const& first_column,
                      std::string const& advice);

/// Options of `isotherm table`.
struct TableOptions {
  std::vector<std::filesystem::path> directories;  ///< of runs, or of directories with runs
  std::vector<std::string> columns{};              ///< empty: default_columns()
  /// None: that of the file, or aligned text on standard output.
  std::optional<TableFormat> format{};
  std::filesystem::path file{};  ///< empty: standard output
  bool overwrite = false;        ///< replace a file that is not such a table
  bool extrapolate = false;      ///< add the rows of extrapolated_rows()
};

/// Makes a table from the results of existing runs. Serial. Returns an exit code.
///
/// By default the settings are the keys whose overrides differ between the runs.
/// @throws InputError  if there is no run, no run has one of the columns, or check_table_file()
///                     refuses the file
/// @throws Error       if the file cannot be written
int make_table(TableOptions const& options);

}  // namespace isotherm::app
