#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "io/files/descriptor.hpp"

namespace isotherm {

/// A table of numbers as CSV that grows while a run goes on: each row begins with the iteration
/// that it is of. Whole rows are in the file as soon as write() returns. Serial: the root's.
class TableFile {
 public:
  /// Starts a new file; or, if a run resumes at an iteration, keeps the rows up to `resumed_at`.
  /// Rows of an older version, which have fewer columns than the heading, get empty ones.
  /// @param heading   the first line, without its end
  /// @param together  rows of one iteration; the last ones are removed where some of them are
  ///                  missing
  /// @throws Error  where it cannot
  TableFile(std::filesystem::path path, std::string_view heading,
            std::optional<std::int64_t> resumed_at, std::int64_t together = 1);

  /// Of the last row that was there already; -1 where there was none.
  [[nodiscard]] std::int64_t known_up_to() const { return known_up_to_; }
  [[nodiscard]] std::filesystem::path const& path() const { return path_; }

  /// Takes whole rows, with their ends, to be written.
  void add(std::string_view rows) { unwritten_ += rows; }
  /// Writes the rows that are not in the file. Those that cannot be written are kept, and tried
  /// again with the next. @throws Error  where rows were not written, every time
  void write();

 private:
  std::filesystem::path path_;
  Descriptor file_;
  std::uintmax_t bytes_ = 0;       ///< of whole rows in the file
  std::string unwritten_{};        ///< rows
  std::int64_t known_up_to_ = -1;  ///< the iteration of the last row that was there already
};

/// The first line of a table, without its end; nothing where there is no such file, or it is empty.
/// Serial.
std::optional<std::string> heading_of(std::filesystem::path const& path);

/// Of a table's first row; nothing where there is none. Serial.
/// @throws InputError  where there is a file that cannot be opened, as heading_of()
std::optional<std::int64_t> first_iteration_in(std::filesystem::path const& path);

/// Whether the last column of a table may lack a number.
enum class LastColumn { has_numbers, may_be_empty };

/// Makes sure that a file is such a table, row by row. Serial.
/// @param heading  that it has to have; if empty, any that begins with the iteration
/// @throws InputError  naming the first row that is none
void check_table(std::filesystem::path const& path, std::string_view heading, std::string_view what,
                 LastColumn last = LastColumn::has_numbers);

}  // namespace isotherm
