#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "kernels/core/box.hpp"
#include "kernels/core/error.hpp"

namespace isotherm {

/// Thrown if a file does not contain the requested dataset.
class NoSuchDataset : public InputError {
 public:
  using InputError::InputError;
};

/// Returns the names of all objects in the root of an HDF5 file. Returns none if the file cannot be
/// read, or if there are more than a hundred. Used for hints in messages. Serial.
std::vector<std::string> names_in_root(std::filesystem::path const& path);

/// The shape that a dataset must have.
struct RequiredShape {
  std::vector<std::int64_t> lengths{};  ///< of its 1 to 3 axes, slowest first
  std::string axes{};                   ///< their names, for messages: "z, y, x"
  std::string whose{};                  ///< owner of the shape, for messages: "the grid's"
};

/// An open dataset of any HDF5 file, whose values are read box by box. The values are real numbers
/// of any type, or Booleans as h5py stores them. Each rank opens the dataset independently.
///
/// Points are counted along the dataset's own axes, the fastest axis first. Axes that the dataset
/// lacks have one point.
///
///   ValueDataset const source("data.h5", "/source", {{nz, ny, nx}, "z, y, x", "the grid's"});
///   std::vector<double> values(box.point_count());
///   source.read(box, values.data());
class ValueDataset {
 public:
  /// @throws NoSuchDataset  if the file lacks it
  /// @throws InputError     if it has another shape or another type, if its values are outside this
  ///                        file, or if the file cannot be read
  ValueDataset(std::filesystem::path const& path, std::string const& name,
               RequiredShape const& wanted);
  ~ValueDataset();
  ValueDataset(ValueDataset const&) = delete;
  ValueDataset& operator=(ValueDataset const&) = delete;

  /// Returns the length of each axis, the fastest axis first.
  [[nodiscard]] Extent3 points() const;
  /// Returns the extent of a chunk, the unit of efficient reading; one value if the dataset is not
  /// chunked.
  [[nodiscard]] Extent3 chunk() const;
  /// Returns true if float32 represents every value of the dataset's type exactly.
  [[nodiscard]] bool fits_float32() const;

  /// Reads the values of a box, dense, the fastest axis first, converted to Real. Several threads
  /// may call this at the same time. @throws InputError  if the file is damaged
  template <class Real>
  void read(GlobalBox box, Real* values) const;

 private:
  /// HDF5's handles; users of this header need not include HDF5.
  struct Open;
  std::filesystem::path path_;
  std::string where_;  ///< file and dataset, for messages
  std::unique_ptr<Open> open_;
};

}  // namespace isotherm
