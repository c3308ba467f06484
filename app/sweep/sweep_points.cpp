#include "app/sweep/sweep_points.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "case/basics/text/digest.hpp"
#include "case/basics/text/wording.hpp"
#include "case/toml/toml_document.hpp"
#include "io/files/presence.hpp"
#include "kernels/core/error.hpp"
#include "kernels/core/text.hpp"

namespace isotherm::app {

namespace {

constexpr std::size_t max_points = 100'000;
// Of a value, and of all, in the name of a directory. The table of the study has the whole values.
constexpr std::size_t max_value_length = 16;
constexpr std::size_t max_name_length = 64;
constexpr std::size_t digest_length = 6;

/// Splits a text at commas that are not inside quotes or brackets.
/// @throws InputError  if a quote or bracket is not closed, or closed without being open
std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> parts(1);
  int depth = 0;
  bool closes_too_many = false;
  char quote = 0;
  for (char const c : text) {
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '[' || c == '(' || c == '{') {
      ++depth;
    } else if (c == ']' || c == ')' || c == '}') {
      closes_too_many = closes_too_many || --depth < 0;
    } else if (c == ',' && depth == 0) {
      parts.emplace_back();
      continue;
    }
    parts.back() += c;
  }
  if (depth != 0 || closes_too_many || quote != 0) {
    throw InputError("--over: " + in_quotes(text) + " has a " +
                     (quote != 0 ? "quote that is not closed" : "bracket without its counterpart") +
                     " (a list as one value is in brackets, as in KEY=[33,33],[65,65])");
  }
  for (std::string& part : parts) part = std::string(trimmed(part));
  return parts;
}

/// Parses a finite number; nothing if the text is anything else.
std::optional<double> number_in(std::string_view text) {
  double value = 0.0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  bool const whole = error == std::errc{} && end == text.data() + text.size();
  return whole && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

/// A range as the user gives it.
struct Range {
  double from = 0.0, to = 0.0;
  std::int64_t count = 0;
  bool logarithmic = false;
};

/// Parses "A:B:N" or "A:B:N:log". Nothing if the text does not begin with two numbers and colons.
/// (A time of day needs quotes.)
/// @throws InputError  if the range is not complete
std::optional<Range> range_in(std::string const& text) {
  std::vector<std::string> parts(1);
  for (char const c : text) {
    if (c == ':') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  if (parts.size() < 2) return std::nullopt;
  auto const from = number_in(parts[0]);
  auto const to = number_in(parts[1]);
  if (!from || !to) return std::nullopt;
  auto const count = parts.size() > 2 ? number_in(parts[2]) : std::nullopt;
  bool const is_log = parts.size() == 4 && parts[3] == "log";
  bool const is_range =
      count && *count >= 2.0 && *count == std::floor(*count) && (parts.size() == 3 || is_log);
  if (!is_range) {
    throw InputError(
        "--over: " + in_quotes(text) +
        " is not a range (needs A:B:N, N numbers from A to B, with N of at least 2, or "
        "A:B:N:log)");
  }
  if (*count > static_cast<double>(max_points)) {
    throw InputError(fmt::format("--over: {} has {} numbers (a sweep has at most {} runs)",
                                 in_quotes(text), parts[2], max_points));
  }
  if (is_log && !(*from > 0.0 && *to > 0.0)) {
    throw InputError("--over: " + in_quotes(text) +
                     " needs numbers above 0, since it ends with log");
  }
  return Range{*from, *to, static_cast<std::int64_t>(*count), is_log};
}

/// Returns the numbers of a range, rounded to 15 digits: 0.3, not 0.30000000000000004.
std::vector<std::string> numbers_of(Range const& range) {
  std::vector<std::string> numbers;
  for (std::int64_t i = 0; i < range.count; ++i) {
    double const share = static_cast<double>(i) / static_cast<double>(range.count - 1);
    double const value = range.logarithmic ? range.from * std::pow(range.to / range.from, share)
                                           : range.from + (range.to - range.from) * share;
    numbers.push_back(fmt::format("{:.15g}", i + 1 == range.count ? range.to : value));
  }
  return numbers;
}

/// Returns the lines of a file that are neither empty nor comments.
std::vector<std::string> lines_of(std::string const& path) {
  require_readable_file(path, "--over: ");
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) {
    line = std::string(trimmed(line));
    if (!line.empty() && line.front() != '#') lines.push_back(line);
  }
  if (file.bad()) throw InputError("--over: " + path + " cannot be read");
  return lines;
}

/// Requires that no part of a list is empty.
/// @param place  of the list, for the message
/// @param noun   what the parts are: "value" or "key"
void require_no_empty(std::vector<std::string> const& parts, std::string const& place,
                      std::string_view noun) {
  auto const empty = std::ranges::find(parts, "");
  if (empty == parts.end()) return;
  throw InputError(
      fmt::format("--over: {} {} of {} is empty (remove a comma, or write \"\" for an "
                  "empty text)",
                  noun, empty - parts.begin() + 1, place));
}

/// Returns a text that equal values have in common: numbers in their shortest form, no blanks.
std::string canonical(TomlValue const& value) {
  if (auto const* const number = value.as<double>())
    return shortest(*number == 0.0 ? 0.0 : *number);
  if (auto const* const whole = value.as<std::int64_t>()) {
    constexpr std::int64_t exact = std::int64_t{1} << 53;  // doubles hold these
    bool const is_exact = -exact < *whole && *whole < exact;
    return is_exact ? shortest(static_cast<double>(*whole)) : std::to_string(*whole);
  }
  auto const* const list = value.as<TomlValue::List>();
  if (list == nullptr) return to_toml(value);
  std::string text = "[";
  for (TomlValue const& element : *list) text += canonical(element) + ',';
  return text + ']';
}

/// Returns the same of a value as --over has it: TOML, or else a plain text, as in --set.
std::string canonical(std::string const& value) {
  if (auto const number = number_in(value)) return shortest(*number == 0.0 ? 0.0 : *number);
  try {
    TomlTable const table = parse_toml("value = " + value, "--over");
    if (table.entries.size() == 1) return canonical(table.entries.front().value);
  } catch (InputError const&) {  // a plain text
  }
  return canonical(TomlValue{value});
}

/// Collects the rows of an axis, without repetitions: the same run twice has the same results.
class DifferentRows {
 public:
  explicit DifferentRows(SweepAxis& axis) : axis_(axis) {}

  void add(std::vector<std::string> row) {
    std::vector<std::string> same;
    same.reserve(row.size());
    for (std::string const& value : row) same.push_back(canonical(value));
    auto const [known, is_new] = known_.emplace(std::move(same), axis_.rows.size());
    if (is_new) return axis_.rows.push_back(std::move(row));
    std::vector<std::string> const& before = axis_.rows[known->second];
    if (before == row) return;
    axis_.repetitions.push_back(fmt::format("--over: {} of {} equals {}, which is run once",
                                            join(row), join(axis_.keys), join(before)));
  }

 private:
  SweepAxis& axis_;
  std::map<std::vector<std::string>, std::size_t> known_{};  ///< the numbers of rows
};

/// Reads a table of keys and values.
SweepAxis read_table(std::string const& path) {
  std::vector<std::string> const lines = lines_of(path);
  if (lines.size() < 2) {
    throw InputError("--over: " + path + " needs a line of keys and at least one line of values");
  }
  SweepAxis axis{split(lines.front()), {}};
  DifferentRows rows(axis);
  require_no_empty(axis.keys, path + ": " + in_quotes(lines.front()), "key");
  for (std::size_t i = 1; i < lines.size(); ++i) {
    std::vector<std::string> row = split(lines[i]);
    std::string const place = path + ": " + in_quotes(lines[i]);
    if (row.size() != axis.keys.size()) {
      throw InputError(
          fmt::format("--over: {} has {} values (needs {}, one for each key of the first line)",
                      place, row.size(), axis.keys.size()));
    }
    require_no_empty(row, place, "value");
    rows.add(std::move(row));
  }
  return axis;
}

/// Returns the values after "KEY=".
std::vector<std::string> values_in(std::string const& text) {
  if (text.starts_with('@')) return lines_of(text.substr(1));
  std::vector<std::string> const parts = split(text);
  if (parts.size() > 1) require_no_empty(parts, in_quotes(text), "value");
  std::vector<std::string> values;
  for (std::string const& part : parts) {
    if (auto const range = range_in(part)) {
      std::ranges::copy(numbers_of(*range), std::back_inserter(values));
    } else if (!part.empty()) {
      values.push_back(part);
    }
  }
  return values;
}

/// Returns a value as a part of a file name: letters, digits and the characters + - . _ remain.
std::string in_file_name(std::string const& value) {
  std::string name;
  for (char const c : value) {
    bool const is_plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
                          (c >= 'A' && c <= 'Z') || c == '+' || c == '-' || c == '.' || c == '_';
    if (is_plain) {
      name += c;
    } else if (!name.empty() && name.back() != '-') {
      name += '-';
    }
  }
  return name.empty() ? "empty" : name;
}

/// Returns the beginning of a part of a file name.
std::string cut_at(std::string name, std::size_t length) {
  name.resize(std::min(name.size(), length));
  while (name.ends_with('-') || name.ends_with('_')) name.pop_back();
  return name;
}

/// Returns the last `count` parts of a dotted key: "0.conductivity" of "material.0.conductivity".
std::string last_parts(std::string const& key, int count) {
  std::size_t dot = key.size();
  for (; count > 0 && dot != std::string::npos && dot > 0; --count) dot = key.rfind('.', dot - 1);
  return dot == std::string::npos || dot == key.size() ? key : key.substr(dot + 1);
}

/// Returns the keys as they appear in names: the fewest of their last parts that distinguish them.
std::vector<std::string> labels_of(std::vector<Setting> const& settings) {
  std::vector<std::string> labels;
  for (Setting const& one : settings) {
    int parts = 1;
    auto const is_shared = [&] {
      return std::ranges::count_if(settings, [&](Setting const& other) {
               return last_parts(other.key, parts) == last_parts(one.key, parts);
             }) > 1;
    };
    auto const all = 1 + std::ranges::count(one.key, '.');
    while (parts < all && is_shared()) ++parts;
    labels.push_back(in_file_name(last_parts(one.key, parts)));
  }
  return labels;
}

/// Returns some digits that identify settings, however they are ordered in the study.
std::string digest_of(std::vector<Setting> const& settings) {
  std::string all;
  for (Setting const& one : settings) all += one.key + '=' + canonical(one.value) + '\n';
  return digest(all).substr(0, digest_length);
}

/// Returns the name of a point. Numbers have six digits. Long texts are cut, and digits that
/// identify the settings follow.
/// @param is_distinct  false: the digits follow in any case
std::string name_of(std::vector<Setting> const& settings, bool is_distinct) {
  std::vector<std::string> const labels = labels_of(settings);
  std::string name;
  bool is_cut = !is_distinct;
  for (std::size_t i = 0; i < settings.size(); ++i) {
    auto const number = number_in(settings[i].value);
    std::string const rounded = number ? fmt::format("{:.6g}", *number) : "";
    // A number that is short already stays as it is written.
    bool const is_short = !number || settings[i].value.size() <= rounded.size() + 2;
    std::string const value = in_file_name(is_short ? settings[i].value : rounded);
    is_cut = is_cut || value.size() > max_value_length;
    name += (i > 0 ? "_" : "") + labels[i] + '-' + cut_at(value, max_value_length);
  }
  if (!is_cut && name.size() <= max_name_length) return name;
  return cut_at(name, max_name_length - digest_length - 1) + '_' + digest_of(settings);
}

/// Requires that no key occurs twice.
void require_different_keys(std::vector<SweepAxis> const& axes) {
  std::set<std::string> keys;
  for (SweepAxis const& axis : axes) {
    for (std::string const& key : axis.keys) {
      if (!keys.insert(key).second) {
        throw InputError("--over: " + in_quotes(key) +
                         " is varied twice (give all values at once)");
      }
    }
  }
}

/// Appends the settings of each row of an axis to each list of settings.
std::vector<std::vector<Setting>> multiplied(std::vector<std::vector<Setting>> const& lists,
                                             SweepAxis const& axis) {
  if (lists.size() * axis.rows.size() > max_points) {
    throw InputError(fmt::format("--over: there are more than {} combinations", max_points));
  }
  std::vector<std::vector<Setting>> all;
  for (std::vector<Setting> const& list : lists) {
    for (std::vector<std::string> const& row : axis.rows) {
      all.push_back(list);
      for (std::size_t i = 0; i < row.size(); ++i) all.back().push_back({axis.keys[i], row[i]});
    }
  }
  return all;
}

}  // namespace

std::string short_name(std::string const& key) { return key.substr(key.rfind('.') + 1); }

SweepAxis parse_over(std::string const& text) {
  if (text.starts_with('@')) return read_table(text.substr(1));
  auto const equals = text.find('=');
  std::string const key(trimmed(std::string_view(text).substr(0, equals)));
  if (equals == std::string::npos || key.empty()) {
    throw InputError("--over " + in_quotes(text) +
                     " needs the form KEY=VALUE,VALUE, KEY=A:B:N, KEY=@FILE or @FILE");
  }
  SweepAxis axis{{key}, {}};
  DifferentRows rows(axis);
  for (std::string const& value : values_in(text.substr(equals + 1))) rows.add({value});
  if (axis.rows.empty()) throw InputError("--over " + in_quotes(text) + " has no value");
  return axis;
}

std::vector<SweepPoint> combine(std::vector<SweepAxis> const& axes) {
  require_different_keys(axes);
  std::vector<std::vector<Setting>> lists(1);
  for (SweepAxis const& axis : axes) lists = multiplied(lists, axis);
  std::map<std::string, int> counts;
  for (std::vector<Setting> const& settings : lists) ++counts[name_of(settings, true)];
  std::vector<SweepPoint> points;
  std::set<std::string> names;
  for (std::vector<Setting>& settings : lists) {
    std::string const short_one = name_of(settings, true);
    std::string const name = counts[short_one] == 1 ? short_one : name_of(settings, false);
    std::string unique = name;
    for (int n = 2; !names.insert(unique).second; ++n) unique = fmt::format("{}_{}", name, n);
    points.push_back({std::move(settings), unique});
  }
  return points;
}

}  // namespace isotherm::app
