#include "jobs/post/weight_file.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <sstream>
#include <string>

#include "jobs/basics/wording.hpp"
#include "kernels/core/error.hpp"
#include "kernels/core/text.hpp"

namespace isotherm {

namespace {

constexpr std::size_t most = WeightTable::most;

using Row = std::vector<double>;

/// A line of the file that is not blank.
struct Line {
  int number = 0;  ///< from 1
  Row weights{};   ///< one more than `most` at most
};

double weight_in(std::string const& word, std::filesystem::path const& file) {
  double weight = 0.0;
  auto const [end, error] = std::from_chars(word.data(), word.data() + word.size(), weight);
  if (error != std::errc{} || end != word.data() + word.size() || !(std::abs(weight) < 1e30)) {
    throw InputError(
        fmt::format("{}: \"{}\" is no weight (needs finite numbers with blanks or new "
                    "lines between them)",
                    file.string(), one_line(word, 40)));
  }
  return weight;
}

/// One more than `most` at most.
std::vector<Line> lines_in(std::filesystem::path const& file, std::string const& contents) {
  std::istringstream text(contents);
  std::vector<Line> lines;
  int number = 0;
  for (std::string line; std::getline(text, line) && lines.size() <= most;) {
    Line found{++number};
    std::istringstream words(line);
    for (std::string word; words >> word && found.weights.size() <= most;) {
      found.weights.push_back(weight_in(word, file));
    }
    if (!found.weights.empty()) lines.push_back(std::move(found));
  }
  return lines;
}

bool is_odd_and_fits(std::size_t count) { return count % 2 == 1 && count <= most; }

std::string count_text(std::size_t count) {
  return count > most ? fmt::format("more than {}", most) : std::to_string(count);
}

Row checked_row(Row weights, std::filesystem::path const& file) {
  if (!is_odd_and_fits(weights.size())) {
    throw InputError(fmt::format("{} has {} weights (needs an odd number, at most {})",
                                 file.string(), count_text(weights.size()), most));
  }
  return weights;
}

WeightTable table_of(std::vector<Line> const& lines, std::filesystem::path const& file) {
  std::size_t const width = lines.front().weights.size();
  WeightTable table{static_cast<int>(width), static_cast<int>(lines.size()), {}};
  for (Line const& line : lines) {
    if (line.weights.size() != width) {
      throw InputError(
          fmt::format("{}: line {} has {} weights, line {} has {} (needs one row, one weight a "
                      "line, or a table "
                      "of rows of the same length)",
                      file.string(), line.number, count_text(line.weights.size()),
                      lines.front().number, count_text(width)));
    }
    table.values.insert(table.values.end(), line.weights.begin(), line.weights.end());
  }
  if (!is_odd_and_fits(width) || !is_odd_and_fits(lines.size())) {
    throw InputError(
        fmt::format("{} has a table of {} rows of {} weights (needs odd numbers, at most {})",
                    file.string(), count_text(lines.size()), count_text(width), most));
  }
  return table;
}

}  // namespace

WeightFile weights_in(std::filesystem::path const& file, std::string const& text) {
  std::vector<Line> const lines = lines_in(file, text);
  bool const one_a_line =
      std::ranges::all_of(lines, [](Line const& line) { return line.weights.size() == 1; });
  if (lines.size() > 1 && !one_a_line) return {{}, table_of(lines, file)};
  Row all;
  for (Line const& line : lines) all.insert(all.end(), line.weights.begin(), line.weights.end());
  return {checked_row(std::move(all), file), {}};
}

}  // namespace isotherm
