#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "kernels/filters/correlation.hpp"

/// Weights of a convolution in a text file, for kernels other than Gaussians and boxes.

namespace isotherm::app {

/// The weights in a text file: numbers separated by blanks, one row per line. They are used as
/// given, without normalisation.
///
///   1 2 1
///   2 4 2
///   1 2 1
struct WeightFile {
  std::vector<double> along_each_axis{};  ///< one row, or one weight per line
  /// Several rows of several weights, with blank lines between planes. Exactly one of the two
  /// members is not empty.
  WeightTable table{};

  /// Returns true if the weights form a table.
  [[nodiscard]] bool is_table() const { return along_each_axis.empty(); }
};

/// Parses the text of a file of weights. Serial.
/// @param text       contents of `file`, which messages name
/// @param dimension  of the field; in 2D there are no planes that blank lines could separate
/// @throws InputError  if a word is not a number, if rows or planes differ in length, or if the
///                     number of weights along an axis is even or too large
WeightFile weights_in(std::filesystem::path const& file, std::string const& text, int dimension);

}  // namespace isotherm::app
