#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "kernels/filters/correlation.hpp"

namespace isotherm {

/// The weights in a text file. Serial.
struct WeightFile {
  std::vector<double> along_each_axis{};  ///< of one row, or of one weight a line; else none
  /// Of several rows of several weights, with blank lines between planes; else empty.
  WeightTable table{};

  [[nodiscard]] bool is_table() const { return along_each_axis.empty(); }
};

/// @param text       of `file`, which messages name
/// @param dimension  of the field: in 2D there are no planes for blank lines to lie between
/// @throws InputError  where a word is no number, rows differ in length or planes in rows, or there
///                     is an even number of weights along an axis, or more than there may be
WeightFile weights_in(std::filesystem::path const& file, std::string const& text, int dimension);

}  // namespace isotherm
