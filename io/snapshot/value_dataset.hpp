#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "kernels/core/box.hpp"
#include "kernels/core/error.hpp"

namespace isotherm {

/// A file that does not hold the dataset that is asked for.
class NoSuchDataset : public InputError {
 public:
  using InputError::InputError;
};

/// The names of what the root of an HDF5 file holds; none where it cannot be told, or of more than
/// a hundred. Serial.
std::vector<std::string> names_in_root(std::filesystem::path const& path);

/// The shape that a dataset has to have.
struct WantedShape {
  std::vector<std::int64_t> lengths{};  ///< of its axes, 1 to 3, slowest first
  std::string axes{};                   ///< "z, y, x"
  std::string whose{};                  ///< "the grid's", "the face x_lower's"
};

/// A dataset of any HDF5 file, open, whose values are read box by box: real numbers of any type, or
/// truths (what h5py makes of an array of bool). Each rank opens it for itself.
///
/// Its points are counted along its own axes, the fastest first; axes that it lacks have one point.
class ValueDataset {
 public:
  /// @throws NoSuchDataset  where the file lacks it
  /// @throws InputError     where it has another shape, holds other values, or holds them
  /// elsewhere;
  ///                        where the file cannot be read
  ValueDataset(std::filesystem::path const& path, std::string const& name,
               WantedShape const& wanted);
  ~ValueDataset();
  ValueDataset(ValueDataset const&) = delete;
  ValueDataset& operator=(ValueDataset const&) = delete;

  [[nodiscard]] Extent3 points() const;
  /// Values that are best read together; one where none are.
  [[nodiscard]] Extent3 chunk() const;
  /// Whether float32 holds all values that the dataset's type has.
  [[nodiscard]] bool fits_float32() const;

  /// The values of a box, dense, the fastest axis first, converted to Real. May be called from
  /// several threads at once. @throws InputError  where the file is damaged
  template <class Real>
  void read(GlobalBox box, Real* values) const;

 private:
  struct Open;
  std::filesystem::path path_;
  std::string where_;  ///< for messages
  std::unique_ptr<Open> open_;
};

}  // namespace isotherm
