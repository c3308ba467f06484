#include "io/values/table_values.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "kernels/core/text.hpp"

namespace isotherm {
namespace {

using Words = std::vector<std::string_view>;

constexpr double no_value = std::numeric_limits<double>::quiet_NaN();

/// Splits a line at commas, semicolons or tabs; at blanks if it has none of them.
Words words_in(std::string_view line) {
  char const mark = line.find(',') != std::string_view::npos    ? ','
                    : line.find(';') != std::string_view::npos  ? ';'
                    : line.find('\t') != std::string_view::npos ? '\t'
                                                                : ' ';
  Words words;
  line = trimmed(line);
  while (!line.empty()) {
    auto const end = std::min(line.find(mark), line.size());
    std::string_view const word = trimmed(line.substr(0, end));
    if (mark != ' ' || !word.empty()) words.push_back(word);
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  return words;
}

std::optional<double> number_in(std::string_view word) {
  if (word.starts_with('+')) word.remove_prefix(1);
  double number = 0.0;
  auto const [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  bool const whole = error == std::errc() && end == word.data() + word.size() && !word.empty();
  return whole ? std::optional(number) : std::nullopt;
}

/// Returns the name of a column without quotes and unit: "x" for "x [m]" or "x (m)".
std::string_view column_name(std::string_view word) {
  word = trimmed(word, " \t\r\"'");
  return trimmed(word.substr(0, word.find_first_of("[(")));
}

/// Reads the lines of a file and puts their numbers in place.
class TableReader {
 public:
  TableReader(std::string path, std::string column, RequiredShape const& wanted)
      : path_(std::move(path)), column_(std::move(column)), wanted_(wanted) {}

  std::vector<double> values_of(std::string_view text) {
    while (!text.empty()) {
      auto const end = std::min(text.find('\n'), text.size());
      ++line_;
      read_line(trimmed(text.substr(0, end)));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    if (is_table_) require_all_places();
    if (is_table_) return std::move(values_);
    auto const shape = matrix_shape();
    if (shape != wanted_.lengths && columns_ == wanted_.lengths.size() + 1) {
      throw InputError(
          fmt::format("{}: a table of places and values needs a header, as in "
                      "\"{}, value\"",
                      path_, axes_in_order()));
    }
    check_shape(shape, wanted_, path_);
    return std::move(values_);
  }

 private:
  void read_line(std::string_view line) {
    if (line.empty()) return end_plane();
    bool const is_comment = line.starts_with('#');
    Words const words = words_in(is_comment ? line.substr(1) : line);
    bool const is_header = !has_numbers_ && !words.empty() && !number_in(words[0]);
    if (is_header && (!is_comment || is_coordinate(column_name(words[0])))) return begin(words);
    if (is_comment) return;
    has_numbers_ = true;
    is_table_ ? add_place(words) : add_row(words);
  }

  /// Returns the axis with a name, in the order of the shape.
  [[nodiscard]] std::optional<std::size_t> axis_named(std::string_view name) const {
    for (std::size_t axis = 0; axis < wanted_.lengths.size(); ++axis) {
      if (name.size() == 1 && std::tolower(name[0]) == wanted_.letter(axis)) return axis;
    }
    return std::nullopt;
  }
  /// Returns the names of the axes, the fastest first: "x, y".
  [[nodiscard]] std::string axes_in_order() const {
    std::string names;
    for (std::size_t axis = wanted_.lengths.size(); axis-- > 0;) {
      names += (names.empty() ? "" : ", ") + std::string(1, wanted_.letter(axis));
    }
    return names;
  }
  static bool is_coordinate(std::string_view name) {
    return name.size() == 1 && name.find_first_of("xyzXYZ") == 0;
  }

  /// Reads the header of a table.
  void begin(Words const& words) {
    if (is_table_) fail(quoted_text(words[0]) + " is not a number");
    is_table_ = true;
    columns_ = words.size();
    places_.assign(wanted_.lengths.size(), columns_);
    Words names;
    for (std::size_t i = 0; i < columns_; ++i) {
      std::string_view const name = column_name(words[i]);
      if (auto const axis = axis_named(name)) {
        if (places_[*axis] < columns_) fail_twice(name);
        places_[*axis] = i;
      } else if (!is_coordinate(name)) {
        if (!column_.empty() && name == column_ && value_) fail_twice(name);
        names.push_back(name);
        if (column_.empty() || name == column_) value_ = i;
      }
    }
    for (std::size_t axis = 0; axis < places_.size(); ++axis) {
      if (places_[axis] < columns_) continue;
      fail(
          fmt::format("the header has no column {} (needs a column for each of {}, or a matrix "
                      "without header{})",
                      wanted_.letter(axis), wanted_.axes, advice_on_function(names)));
    }
    choose_column(names);
    values_.assign(static_cast<std::size_t>(wanted_.count()), no_value);
    filled_.assign(values_.size(), false);
  }

  /// Suggests the key of tables of u and a value, if the file has the header of one.
  [[nodiscard]] std::string advice_on_function(Words const& names) const {
    bool const is_function = columns_ == 2 && names.size() == 2;
    if (!is_function) return "";
    return fmt::format("; a function of u is {{ table = \"{}\" }}",
                       std::filesystem::path(path_).filename().string());
  }

  void choose_column(Words const& names) {
    std::string all;
    for (std::string_view const name : names) all += (all.empty() ? "" : ", ") + quoted_text(name);
    all.resize(std::min<std::size_t>(all.size(), 200));
    if (names.empty()) fail("the header names coordinates only (needs a column of values)");
    if (column_.empty() && names.size() > 1) {
      fail("several columns of values: name one by dataset = \"...\" (there are " + all + ')');
    }
    if (value_) return;
    throw NoSuchDataset(fmt::format("{}:{}: there is no column {} (there are {})", path_, line_,
                                    quoted_text(column_), all));
  }

  /// Adds a line of a table.
  void add_place(Words const& words) {
    if (words.size() != columns_) {
      fail(fmt::format("has {} columns, the header has {}", words.size(), columns_));
    }
    std::size_t index = 0;
    for (std::size_t axis = 0; axis < places_.size(); ++axis) {
      index =
          index * wanted_.coordinates[axis].size() + nearest(axis, number(words[places_[axis]]));
    }
    if (filled_[index]) fail("a line before it has a value for the same point");
    filled_[index] = true;
    values_[index] = number(words[*value_]);
  }

  /// Returns the index of the point at a coordinate, which may be rounded to a few digits.
  [[nodiscard]] std::size_t nearest(std::size_t axis, double coordinate) const {
    constexpr double slack = 0.01;  // of the gap to the neighbouring points
    auto const& all = wanted_.coordinates[axis];
    auto const above =
        static_cast<std::size_t>(std::ranges::lower_bound(all, coordinate) - all.begin());
    std::size_t index = std::min(above, all.size() - 1);
    if (index > 0 && coordinate - all[index - 1] < all[index] - coordinate) --index;
    std::size_t const next = index + 1 < all.size() ? index + 1 : index;
    double const gap = all.size() == 1 ? std::abs(all[0]) + 1.0
                       : next > index  ? all[next] - all[index]
                                       : all[index] - all[index - 1];
    if (std::abs(coordinate - all[index]) <= slack * gap) return index;
    fail(fmt::format("{} = {} is not the place of a point (the nearest is at {})",
                     wanted_.letter(axis), shortest(coordinate), shortest(all[index])));
  }

  void require_all_places() const {
    if (!has_numbers_) throw InputError(path_ + ": no numbers follow the header");
    auto const missing = std::ranges::find(filled_, false);
    if (missing == filled_.end()) return;
    auto index = static_cast<std::size_t>(missing - filled_.begin());
    std::string place;
    for (std::size_t axis = places_.size(); axis-- > 0;) {
      auto const& all = wanted_.coordinates[axis];
      place += fmt::format("{}{} = {}", place.empty() ? "" : ", ", wanted_.letter(axis),
                           shortest(all[index % all.size()]));
      index /= all.size();
    }
    throw InputError(fmt::format("{}: {} of {} points have no value, the first is at {}", path_,
                                 std::ranges::count(filled_, false), filled_.size(), place));
  }

  /// Adds a row of a matrix.
  void add_row(Words const& words) {
    if (columns_ == 0) columns_ = words.size();
    if (words.size() != columns_) {
      fail(fmt::format("has {} numbers, the rows before it have {}", words.size(), columns_));
    }
    ++rows_;
    for (std::string_view const word : words) values_.push_back(number(word));
    // The size of the file bounds the memory; the shape is checked in the end.
  }
  /// A blank line ends a plane of a matrix.
  void end_plane() {
    if (is_table_ || rows_ == planes_ * rows_in_plane_) return;
    ++planes_;
    if (planes_ == 1) rows_in_plane_ = rows_;
    if (rows_ != planes_ * rows_in_plane_) {
      fail(fmt::format("the plane before this line has not {} rows", rows_in_plane_));
    }
  }
  [[nodiscard]] std::vector<std::int64_t> matrix_shape() {
    if (rows_ == 0) throw InputError(path_ + " contains no numbers");
    auto const columns = static_cast<std::int64_t>(columns_);
    std::size_t const axes = wanted_.lengths.size();
    if (axes == 1) return {static_cast<std::int64_t>(values_.size())};
    if (axes == 2) return {rows_, columns};
    end_plane();
    // Without blank lines the planes follow one another.
    std::int64_t const in_plane = planes_ > 1 ? rows_in_plane_ : wanted_.lengths[1];
    if (rows_ % in_plane != 0) return {rows_, columns};
    return {rows_ / in_plane, in_plane, columns};
  }

  [[nodiscard]] double number(std::string_view word) const {
    auto const found = number_in(word);
    if (!found) fail(quoted_text(word) + " is not a number");
    return *found;
  }
  /// Refuses a header that names a wanted column twice.
  [[noreturn]] void fail_twice(std::string_view name) const {
    fail("several columns have the name " + quoted_text(name) + " (units do not distinguish them)");
  }
  [[noreturn]] void fail(std::string const& what) const {
    throw InputError(fmt::format("{}:{}: {}", path_, line_, what));
  }

  std::string path_;
  std::string column_;
  RequiredShape const& wanted_;
  std::int64_t line_ = 0;
  bool is_table_ = false;
  bool has_numbers_ = false;
  std::size_t columns_ = 0;
  std::vector<std::size_t> places_{};  ///< the column of each axis's coordinate
  std::optional<std::size_t> value_{};
  std::vector<bool> filled_{};
  std::int64_t rows_ = 0, planes_ = 0, rows_in_plane_ = 0;
  std::vector<double> values_{};
};

std::string contents_of(std::filesystem::path const& path, RequiredShape const& wanted) {
  constexpr std::uint64_t bytes_per_value = 256, bytes_of_header = 65536;
  Descriptor const file = open_values(path);
  std::uint64_t const size = size_of(file, path);
  std::uint64_t const maximum =
      static_cast<std::uint64_t>(wanted.count()) * bytes_per_value + bytes_of_header;
  if (size > maximum) {
    throw InputError(fmt::format("{} has {} bytes, too many for {} values ({} points)",
                                 path.string(), size, wanted.count(), wanted.whose));
  }
  std::string text(size, '\0');
  read_or_refuse(file, 0, text.data(), text.size(), path);
  constexpr std::string_view mark = "\xef\xbb\xbf";  // spreadsheets put it before UTF-8
  if (text.starts_with(mark)) text.erase(0, mark.size());
  return text;
}

}  // namespace

std::unique_ptr<ValueSource> open_table(std::filesystem::path const& path,
                                        std::string const& column, RequiredShape const& wanted) {
  std::string const text = contents_of(path, wanted);
  TableReader reader(path.string(), column, wanted);
  return std::make_unique<ValuesInMemory>(path.string(), in_order(wanted.lengths),
                                          reader.values_of(text));
}

}  // namespace isotherm
