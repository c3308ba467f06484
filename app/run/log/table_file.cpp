#include "app/run/log/table_file.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <unistd.h>

#include "io/files/atomic_file.hpp"
#include "io/files/presence.hpp"
#include "kernels/core/error.hpp"

// A killed run may leave an incomplete row or only some of an iteration's rows. Both are removed
// when the run is resumed, so each iteration has all its rows exactly once.

namespace isotherm::app {

namespace {

/// Returns the number before the first comma of a row, or nothing for a heading or an incomplete
/// row.
std::optional<std::int64_t> iteration_of(std::string const& row) {
  std::int64_t iteration = 0;
  auto const [end, error] = std::from_chars(row.data(), row.data() + row.size(), iteration);
  // Rows begin with digits and a comma; anything else is a heading or garbage.
  if (error != std::errc{} || end == row.data() + row.size() || *end != ',') {
    return std::nullopt;
  }
  return iteration;
}

/// Returns the number of columns of a row or a heading.
std::int64_t columns_of(std::string_view row) { return 1 + std::ranges::count(row, ','); }

/// Returns true if a row has a number in each column, and an iteration in the first.
bool is_whole(std::string const& row, std::int64_t columns, LastColumn last) {
  if (!iteration_of(row)) return false;
  char const* at = row.c_str();
  for (std::int64_t column = 1; column <= columns; ++column) {
    if (column == columns && *at == '\0') return last == LastColumn::may_be_empty;
    char* end = nullptr;
    // strtod also accepts "nan" and "inf", so such results are no damage.
    (void)std::strtod(at, &end);
    if (end == at || *end != (column < columns ? ',' : '\0')) return false;
    at = end + 1;
  }
  return true;
}

/// Opens a file for reading. Failing to open it is an error, not an empty table: its rows must not
/// be lost.
std::ifstream opened(std::filesystem::path const& path) {
  std::ifstream file(path);
  if (!file) throw InputError(path.string() + " cannot be read: " + reason_not_readable(errno));
  return file;
}

/// The rows of an old table that are kept.
struct Rows {
  std::string text{};           ///< the rows, with their newlines
  std::int64_t last = -1;       ///< iteration of the last row
  std::int64_t of_last = 0;     ///< number of rows of that iteration
  std::size_t before_last = 0;  ///< length of `text` before these rows

  /// Appends a row without its newline. @pre iterations do not decrease
  void add(std::string const& row, std::int64_t iteration) {
    if (iteration != last) {
      last = iteration;
      of_last = 0;
      before_last = text.size();
    }
    ++of_last;
    text += row + "\n";
  }
};

/// Reads the rows up to iteration `end`. Rows with fewer than `columns` columns get empty ones.
Rows rows_up_to(std::filesystem::path const& path, std::int64_t end,
                std::int64_t rows_per_iteration, std::int64_t columns) {
  Rows rows;
  if (!std::filesystem::is_regular_file(path)) return rows;  // reading a pipe would block
  std::ifstream file = opened(path);
  std::int64_t last_whole = -1;
  // The last row may be incomplete.
  for (std::string row; std::getline(file, row) && !file.eof();) {
    auto const iteration = iteration_of(row);
    // Skips the heading, incomplete rows, and rows of iterations that are computed again.
    if (!iteration || *iteration > end) continue;
    if (*iteration != rows.last) last_whole = rows.last;
    row.append(static_cast<std::size_t>(std::max(columns - columns_of(row), std::int64_t{0})), ',');
    rows.add(row, *iteration);
  }
  // A killed run may have written only a part of the last iteration's rows.
  if (rows.last >= 0 && rows.of_last % rows_per_iteration != 0) {
    rows.text.resize(rows.before_last);
    rows.last = last_whole;
  }
  return rows;
}

}  // namespace

TableFile::TableFile(std::filesystem::path path, std::string_view heading,
                     std::optional<std::int64_t> resumed_at, std::int64_t rows_per_iteration)
    : path_(std::move(path)) {
  Rows const rows =
      resumed_at ? rows_up_to(path_, *resumed_at, rows_per_iteration, columns_of(heading)) : Rows{};
  known_up_to_ = rows.last;
  // The old file is replaced in one step, so its rows are never lost.
  write_file_atomically(path_, std::string(heading) + "\n" + rows.text);
  // O_NOFOLLOW: never writes through a link that took the file's place.
  file_ = open_file(path_, O_WRONLY | O_APPEND | O_NOFOLLOW);
  bytes_ = std::filesystem::file_size(path_);
}

/// Appends the rows with one call, and truncates the file if that fails halfway.
void TableFile::write() {
  // Checked even if there is nothing to write, so the loss is noticed early.
  if (!is_in_place(file_, path_)) {
    throw Error(path_.string() + " was moved, removed or replaced while the run wrote to it");
  }
  if (unwritten_.empty()) return;
  try {
    write_all(file_, unwritten_, path_);
  } catch (Error const&) {
    // A part of the rows may have been written.
    if (::ftruncate(file_.get(), static_cast<off_t>(bytes_)) != 0) fail_on("truncate", path_);
    throw;
  }
  bytes_ += unwritten_.size();
  unwritten_.clear();
}

std::optional<std::string> heading_of(std::filesystem::path const& path) {
  if (!std::filesystem::is_regular_file(path)) return std::nullopt;
  std::ifstream file = opened(path);
  std::string heading;
  return std::getline(file, heading) ? std::optional(heading) : std::nullopt;
}

std::optional<std::int64_t> first_iteration_in(std::filesystem::path const& path) {
  if (!std::filesystem::is_regular_file(path)) return std::nullopt;
  std::ifstream file = opened(path);
  for (std::string row; std::getline(file, row);) {
    if (auto const iteration = iteration_of(row)) return iteration;
  }
  return std::nullopt;
}

/// Reads the file row by row, so its size does not matter.
void check_table(std::filesystem::path const& path, std::string_view heading, std::string_view what,
                 LastColumn last) {
  if (std::filesystem::exists(path) && !std::filesystem::is_regular_file(path)) {
    throw InputError(path.string() + " is damaged: it is not a regular file");
  }
  std::ifstream file = opened(path);
  std::int64_t line = 0;
  std::int64_t columns = 0;
  auto const fail = [&](std::string const& reason) {
    throw InputError(fmt::format("{} is damaged: line {} {}", path.string(), line, reason));
  };
  for (std::string row; std::getline(file, row);) {
    ++line;
    // getline() reached the end without a newline.
    if (file.eof()) fail("is incomplete");
    if (line == 1) {
      // Probes have headings of their own, so any may be allowed.
      bool const known = heading.empty() ? row.starts_with("iteration,") : row == heading;
      if (!known) fail(fmt::format("is not the header of {}", what));
      columns = columns_of(row);
    } else if (!is_whole(row, columns, last)) {
      fail(fmt::format("is not a row of {} numbers", columns));
    }
  }
  if (line == 0) throw InputError(path.string() + " is damaged: it is empty");
}

}  // namespace isotherm::app
