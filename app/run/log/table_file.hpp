#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "io/files/descriptor.hpp"

// Tables in CSV that survive a killed run. Only whole rows are appended, and incomplete rows are
// removed. A resumed run keeps the rows up to its first iteration.

namespace isotherm::app {

/// A table of numbers as CSV that grows during a run. Each row begins with its iteration. Whole
/// rows are in the file when write() returns. Serial, root only.
///
/// The file is never rewritten after construction; rows are appended to it. It is not synced, so a
/// power cut may lose the last rows.
///
///   TableFile table(path, "iteration,value", {});
///   table.add("10,0.5\n");
///   table.write();
class TableFile {
 public:
  /// Creates the file. If a run resumes, the rows up to iteration `resumed_at` are kept. Rows of an
  /// older version with fewer columns are filled up with empty ones.
  /// @param heading   the first line, without its newline
  /// @param resumed_at  iteration at which a resumed run starts; none: the table starts empty
  /// @param rows_per_iteration  number of rows of each iteration; if those of the last iteration
  /// are
  ///                  incomplete, they are removed
  /// @throws Error  if the file cannot be written
  TableFile(std::filesystem::path path, std::string_view heading,
            std::optional<std::int64_t> resumed_at, std::int64_t rows_per_iteration = 1);

  /// Returns the iteration of the last row that existed at the start, or -1 if there was none.
  [[nodiscard]] std::int64_t known_up_to() const { return known_up_to_; }
  [[nodiscard]] std::filesystem::path const& path() const { return path_; }

  /// Stores whole rows, with their newlines, in memory until write().
  void add(std::string_view rows) { unwritten_ += rows; }
  /// Writes all stored rows. If that fails, they are kept for the next call.
  /// @throws Error  every time that rows were not written, and if the file was moved or replaced
  void write();

 private:
  std::filesystem::path path_;
  Descriptor file_;
  std::uintmax_t bytes_ = 0;       ///< length of the whole rows in the file
  std::string unwritten_{};        ///< rows that are not in the file yet
  std::int64_t known_up_to_ = -1;  ///< see known_up_to()
};

/// Returns the first line of a table without its newline, or nothing if the file is missing or
/// empty. Serial.
/// @throws InputError  if it exists but cannot be opened
std::optional<std::string> heading_of(std::filesystem::path const& path);

/// Returns the iteration of a table's first row, or nothing if there is none. Serial.
/// @throws InputError  like heading_of()
std::optional<std::int64_t> first_iteration_in(std::filesystem::path const& path);

/// Whether a number may be missing in the last column of a table.
enum class LastColumn { has_numbers, may_be_empty };

/// Checks that a file is such a table, row by row. Serial.
/// @param heading  the required heading; if empty, any that begins with the iteration
/// @param what     description of the table's contents, for messages
/// @param last     whether the last column may be empty
/// @throws InputError  naming the first bad row
void check_table(std::filesystem::path const& path, std::string_view heading, std::string_view what,
                 LastColumn last = LastColumn::has_numbers);

}  // namespace isotherm::app
