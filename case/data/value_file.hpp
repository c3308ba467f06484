#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "io/values/value_source.hpp"

namespace isotherm {

/// A table of a case that names values in a file: { file = "q.npy", above = 0.5 }.
struct ValueFile {
  std::filesystem::path path{};
  std::string dataset{};          ///< or the array of a .npz file, or the column of a table
  std::optional<double> above{};  ///< if set, values above it become 1, others 0
  std::optional<double> below{};  ///< if set, values below it become 1, others 0
  bool stretch = false;           ///< a picture covers the whole grid, whatever its size
};

/// Returns true if the format of a file, by the ending of its name, needs ValueFile::dataset: HDF5.
bool needs_dataset(std::filesystem::path const& path);

/// Explains a text that was read as an expression but ends like the name of a file with values:
/// `"q.npy" is the name of a file (write { file = "q.npy" })`. Empty for other texts.
/// @param may_depend_on_u  whether the value may also be a table of u
std::string advice_on_file_name(std::string const& text, bool may_depend_on_u);

/// Opens values by the ending of the file's name: .npy, .npz, .csv, .tsv, .txt, .dat and .png.
/// Files with other endings are HDF5.
/// @throws NoSuchDataset  if the file lacks the dataset, array or column
/// @throws InputError  if the format is not supported, or if the values do not have the shape
std::unique_ptr<ValueSource> open_value_source(ValueFile const& file, RequiredShape const& wanted);

}  // namespace isotherm
