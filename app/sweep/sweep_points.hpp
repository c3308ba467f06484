#pragma once

#include <string>
#include <vector>

// The runs of a parameter study: which keys of a case vary, and the combinations of their values.
//
//     std::vector<SweepPoint> const points =
//         combine({parse_over("equation.diffusivity=0.1,0.2"),
//         parse_over("method.end_time=1:3:5")});
//     // ten points: "diffusivity-0.1_end_time-1", "diffusivity-0.1_end_time-1.5", …

namespace isotherm::app {

/// A key of a case and its value as TOML, as in --set KEY=VALUE.
struct Setting {
  std::string key;    ///< "equation.diffusivity"
  std::string value;  ///< "0.1"

  /// Returns "equation.diffusivity=0.1".
  [[nodiscard]] std::string assignment() const { return key + '=' + value; }
};

/// What one --over varies: several keys in common, or a single one.
struct SweepAxis {
  std::vector<std::string> keys;
  /// The values of the keys, a row for each entry of the axis. All rows have keys.size() values.
  std::vector<std::vector<std::string>> rows;
  /// A sentence for each row left out because it equals an earlier one in another spelling.
  std::vector<std::string> repetitions{};
};

/// One run of the study.
struct SweepPoint {
  std::vector<Setting> settings;  ///< in the order of the axes
  /// For a directory: "diffusivity-0.1_end_time-1"; unique in the study, at most 64 characters.
  std::string name;
};

/// Interprets the value of --over:
///
/// - KEY=V1,V2,…   the values; commas within quotes and brackets do not separate them
/// - KEY=A:B:N     N numbers from A to B with equal spacings; A:B:N:log with equal ratios
/// - KEY=@FILE     the lines of a text file
/// - @FILE         a table with commas: the first line has keys, each further one their values
///
/// Empty lines of files, and those that begin with #, are ignored. A value or row that repeats an
/// earlier one is ignored, too, even in another spelling: 0.1 and 1e-1 are one run.
/// @throws InputError  if the text has another form, a file cannot be read, a value is empty, or
///        there is no value
SweepAxis parse_over(std::string const& text);

/// Returns all combinations of the axes' rows, the last axis varying fastest, with names.
/// @throws InputError  if two axes have the same key, or if there are more than 100 000
/// combinations
std::vector<SweepPoint> combine(std::vector<SweepAxis> const& axes);

/// Returns the last part of a dotted key, "diffusivity" of "equation.diffusivity".
std::string short_name(std::string const& key);

}  // namespace isotherm::app
