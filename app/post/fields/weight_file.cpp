#include "app/post/fields/weight_file.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <sstream>
#include <string>

#include "case/basics/text/wording.hpp"
#include "kernels/core/error.hpp"
#include "kernels/core/text.hpp"

namespace isotherm::app {

namespace {

constexpr std::size_t maximum = WeightTable::maximum;

using Row = std::vector<double>;

/// A line of the file that is not blank.
struct Line {
  int number = 0;             ///< from 1
  bool begins_plane = false;  ///< it is the first one, or follows a blank line
  Row weights{};              ///< at most `maximum` + 1 of them: enough to report an excess
};

/// Parses a weight. Only finite numbers with a magnitude below 1e30 are accepted.
double weight_in(std::string const& word, std::filesystem::path const& file) {
  double weight = 0.0;
  auto const [end, error] = std::from_chars(word.data(), word.data() + word.size(), weight);
  // The whole word must be a number. The negated comparison also rejects NaN.
  if (error != std::errc{} || end != word.data() + word.size() || !(std::abs(weight) < 1e30)) {
    throw InputError(fmt::format(
        "{}: \"{}\" is not a weight (needs finite numbers separated by blanks or newlines)",
        file.string(), one_line(word, 40)));
  }
  return weight;
}

/// Splits the text into lines: at most one more than the largest table has, enough to report an
/// excess.
std::vector<Line> lines_in(std::filesystem::path const& file, std::string const& contents) {
  std::istringstream text(contents);
  std::vector<Line> lines;
  int number = 0;
  bool after_blank = true;
  // Both loops stop at the limits, so a huge file is rejected quickly.
  for (std::string line; std::getline(text, line) && lines.size() <= WeightTable::max_weights;) {
    // Blank lines are counted too: messages name the line as an editor does.
    Line found{++number, after_blank};
    std::istringstream words(line);
    for (std::string word; words >> word && found.weights.size() <= maximum;) {
      found.weights.push_back(weight_in(word, file));
    }
    after_blank = found.weights.empty();
    if (!after_blank) lines.push_back(std::move(found));
  }
  return lines;
}

/// Returns a count for messages; counts beyond the limit are not known exactly.
std::string count_text(std::size_t count) {
  return count > maximum ? fmt::format("more than {}", maximum) : std::to_string(count);
}

/// Checks the number of weights along an axis: odd, so one weight is in the middle.
Row checked_row(Row weights, std::filesystem::path const& file) {
  if (!is_odd_and_fits(std::ssize(weights))) {
    throw InputError(fmt::format("{} has {} weights (needs an odd number, at most {})",
                                 file.string(), count_text(weights.size()), maximum));
  }
  return weights;
}

/// Returns the number of rows in each plane. @throws InputError  if planes have different numbers
std::int64_t rows_of_planes(std::vector<Line> const& lines, std::filesystem::path const& file) {
  auto const ends = [&](std::size_t n) { return n == lines.size() || lines[n].begins_plane; };
  std::size_t first = 0;  // rows of the first plane
  std::size_t rows = 0;
  for (std::size_t n = 0; n < lines.size(); ++n) {
    ++rows;
    // Row n is the last one of its plane.
    if (!ends(n + 1)) continue;
    if (first == 0) first = rows;
    if (rows != first) {
      throw InputError(
          fmt::format("{}: the plane that ends on line {} has {} rows, but the first one has {} "
                      "(needs planes with the same number of rows, separated by blank lines)",
                      file.string(), lines[n].number, rows, first));
    }
    rows = 0;
  }
  return static_cast<std::int64_t>(first);
}

/// Checks the extent of a table.
void check(WeightTable const& table, std::filesystem::path const& file) {
  if (is_table(table.extent)) return;
  auto const count = [](std::int64_t n) { return count_text(static_cast<std::size_t>(n)); };
  std::string const planes =
      table.extent.z == 1 ? "" : fmt::format("{} planes of ", count(table.extent.z));
  throw InputError(
      fmt::format("{} has a table of {}{} rows of {} weights (needs odd numbers, each at most {}, "
                  "and at most {} weights in total)",
                  file.string(), planes, count(table.extent.y), count(table.extent.x), maximum,
                  WeightTable::max_weights));
}

/// Checks the number of rows before the table is built.
void check_count(std::vector<Line> const& lines, std::filesystem::path const& file) {
  if (lines.size() <= WeightTable::max_weights) return;
  throw InputError(fmt::format("{} has more than {} rows of weights (needs at most {} per plane)",
                               file.string(), WeightTable::max_weights, maximum));
}

/// Treats rows that are all separated by blank lines as one plane, for fields that have no planes.
void join_single_rows(std::vector<Line>& lines) {
  // Only if every row is separated; a mixture remains a table of several planes, which
  // check_planes() rejects.
  if (!std::ranges::all_of(lines, &Line::begins_plane)) return;
  for (Line& line : lines) line.begins_plane = &line == &lines.front();
}

/// Builds the table. @throws InputError  if its rows or planes differ in length
WeightTable table_of(std::vector<Line> const& lines, std::filesystem::path const& file) {
  check_count(lines, file);
  // Every row must have as many weights as the first one.
  std::size_t const width = lines.front().weights.size();
  WeightTable table;
  for (Line const& line : lines) {
    if (line.weights.size() != width) {
      throw InputError(
          fmt::format("{}: line {} has {} weights, but line {} has {} (needs one row, one weight "
                      "per line, or a table with rows of the same length)",
                      file.string(), line.number, count_text(line.weights.size()),
                      lines.front().number, count_text(width)));
    }
    table.values.insert(table.values.end(), line.weights.begin(), line.weights.end());
  }
  std::int64_t const rows = rows_of_planes(lines, file);
  // All planes have `rows` rows, so the division is exact.
  table.extent = {static_cast<std::int64_t>(width), rows, std::ssize(lines) / rows};
  check(table, file);
  return table;
}

}  // namespace

// 1. Split the text into lines. 2. Decide whether they form a list or a table. 3. Check the numbers
// of weights.
WeightFile weights_in(std::filesystem::path const& file, std::string const& text, int dimension) {
  std::vector<Line> lines = lines_in(file, text);
  if (dimension == 2) join_single_rows(lines);
  // A column of weights means the same as a row.
  bool const one_a_line =
      std::ranges::all_of(lines, [](Line const& line) { return line.weights.size() == 1; });
  // Several rows of several weights form a table.
  if (lines.size() > 1 && !one_a_line) return {{}, table_of(lines, file)};
  Row all;
  for (Line const& line : lines) all.insert(all.end(), line.weights.begin(), line.weights.end());
  return {checked_row(std::move(all), file), {}};
}

}  // namespace isotherm::app
