#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "kernels/filters/correlation.hpp"

namespace isotherm {

/// The weights in a text file. Serial.
struct WeightFile {
  std::vector<double> along_each_axis{};  ///< of one row, or of one weight a line; else none
  WeightTable table{};                    ///< of several rows of several weights; else empty

  [[nodiscard]] bool is_table() const { return along_each_axis.empty(); }
};

/// @param text  of `file`, which messages name
/// @throws InputError  where a word is no number, rows differ in length, or there is an even number
///                     of weights, or more than WeightTable::most
WeightFile weights_in(std::filesystem::path const& file, std::string const& text);

}  // namespace isotherm
