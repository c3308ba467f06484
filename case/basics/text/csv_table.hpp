#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

// Tables in CSV: one line with the names of the columns, then rows. Cells are separated by commas,
// or in the whole file by semicolons or tabs, and may be in double quotes (RFC 4180). Lines that
// begin with # are comments. The tables that a run writes are such files.
//
//     CsvTable const table = read_csv("probe_middle.csv");
//     if (CsvColumn const* const value = table.find("value")) plot(value->numbers);

namespace isotherm {

/// A column of numbers, or of texts.
struct CsvColumn {
  std::string name;
  /// One number for each row; NaN for an empty cell, for "nan", and for a text.
  std::vector<double> numbers{};
  std::string first_text{};          ///< the first cell that is not a number
  std::int64_t first_text_line = 0;  ///< its line in the file, from 1; 0: all cells are numbers
  bool begins_with_text = false;     ///< the first cell that is not empty is a text
};

/// A table with at least one column.
struct CsvTable {
  std::filesystem::path path;
  std::vector<CsvColumn> columns{};
  std::size_t rows = 0;
  std::vector<std::int64_t> lines{};  ///< the line in the file of each row, from 1

  /// Returns the first column of this name, or null.
  [[nodiscard]] CsvColumn const* find(std::string_view name) const;
};

/// What a list of numbers in a cell is, such as "[65,65]" for the points of a grid.
enum class ListCells {
  text,         ///< not a number
  first_number  ///< its first number
};

/// Reads a table. Serial.
/// @throws InputError  one line with the file and the reason: if it cannot be read, has more than
///         64 MiB, 1000 columns or 10 million cells, is empty or binary, its first line has numbers
///         only, or a row has another number of cells than the first line
CsvTable read_csv(std::filesystem::path const& file, ListCells lists = ListCells::text);

/// Returns the cells of a line of a table, without blanks and quotes at their ends. A list of words
/// with commas has the same form.
///
///     csv_cells("time, \"a,b\",3")   // "time", "a,b", "3"
std::vector<std::string> csv_cells(std::string_view line);

/// Parses the text of a table; see read_csv().
/// @param file  its name, for messages
CsvTable parse_csv(std::string_view text, std::filesystem::path const& file,
                   ListCells lists = ListCells::text);

}  // namespace isotherm
