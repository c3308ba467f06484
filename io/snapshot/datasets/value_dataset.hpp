#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "io/values/value_source.hpp"

namespace isotherm {

/// Returns the names of all objects in the root of an HDF5 file. Returns none if the file cannot be
/// read, or if there are more than a hundred. Used for hints in messages. Serial.
std::vector<std::string> names_in_root(std::filesystem::path const& path);

/// An open dataset of any HDF5 file, whose values are read box by box. The values are real numbers
/// of any type, or Booleans as h5py stores them.
///
///   ValueDataset const source("data.h5", "/source", shape);
///   std::vector<double> values(box.point_count());
///   source.read(box, values.data());
class ValueDataset final : public ValueSource {
 public:
  /// @throws NoSuchDataset  if the file lacks it
  /// @throws InputError     if it has another shape or another type, if its values are outside this
  ///                        file, or if the file cannot be read
  ValueDataset(std::filesystem::path const& path, std::string const& name,
               RequiredShape const& wanted);
  ~ValueDataset() override;

  [[nodiscard]] std::string const& where() const override { return where_; }
  [[nodiscard]] Extent3 points() const override;
  [[nodiscard]] Extent3 chunk() const override;
  [[nodiscard]] bool fits_float32() const override;
  void read(GlobalBox box, float* values) const override { read_as(box, values); }
  void read(GlobalBox box, double* values) const override { read_as(box, values); }

 private:
  template <class Real>
  void read_as(GlobalBox box, Real* values) const;

  /// HDF5's handles; users of this header need not include HDF5.
  struct Open;
  std::filesystem::path path_;
  std::string where_;  ///< file and dataset, for messages
  std::unique_ptr<Open> open_;
};

}  // namespace isotherm
