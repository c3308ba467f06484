#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/files/descriptor.hpp"
#include "kernels/core/box.hpp"
#include "kernels/core/error.hpp"

// Values of a grid in a file, of any format.

namespace isotherm {

/// Thrown if a file does not contain the requested dataset, array or column.
class NoSuchDataset : public InputError {
 public:
  using InputError::InputError;
};

/// The shape that values must have, and the places to which they belong.
struct RequiredShape {
  std::vector<std::int64_t> lengths{};  ///< of its 1 to 3 axes, slowest first
  std::string axes{};                   ///< their names, for messages: "z, y, x"
  std::string whose{};                  ///< owner of the shape, for messages: "the grid's"
  /// The coordinates of the points along each axis, in the order of `lengths`. Needed only by
  /// formats that state the places of their values.
  std::vector<std::vector<double>> coordinates{};

  /// Returns the number of values.
  [[nodiscard]] std::int64_t count() const;
  /// Returns the name of an axis, in the order of `lengths`.
  [[nodiscard]] char letter(std::size_t axis) const { return axes[3 * axis]; }
};

/// Returns "(20, 30)".
std::string shape_words(std::vector<std::int64_t> const& lengths);

/// Rejects values of another shape. A 2D grid's values may also be those of a 3D grid with one
/// point in z, as isotherm writes them.
/// @param where  the file and the dataset, for the message
/// @throws InputError
void check_shape(std::vector<std::int64_t> found, RequiredShape const& wanted,
                 std::string const& where);

/// Converts lengths that are ordered slowest axis first; missing slow axes get length 1.
/// @pre  at most three lengths
Extent3 in_order(std::vector<std::int64_t> const& lengths);

/// Opens a file for reading. @throws InputError  if it does not exist or is not a regular file
Descriptor open_values(std::filesystem::path const& path);
/// Returns the size of an open file in bytes.
std::uint64_t size_of(Descriptor const& file, std::filesystem::path const& path);

/// Reads `bytes` bytes at an offset. @throws InputError  if reading fails or the file ends before
void read_or_refuse(Descriptor const& file, std::uint64_t offset, void* to, std::size_t bytes,
                    std::filesystem::path const& path);

/// Returns the beginning of a foreign text in quotes, without control characters, for messages.
std::string quoted_text(std::string_view text);

/// Open values of a grid or of one of its faces, which are read box by box. They are real numbers;
/// Booleans are 0 and 1. Each rank opens a source independently.
///
/// Points are counted along the source's own axes, the fastest axis first. Axes that it lacks have
/// one point.
///
///     auto const source = open_value_source({.path = "q.npy"}, shape);   // case/data/
///     std::vector<double> values(box.point_count());
///     source->read(box, values.data());
class ValueSource {
 public:
  ValueSource() = default;
  virtual ~ValueSource() = default;
  ValueSource(ValueSource const&) = delete;
  ValueSource& operator=(ValueSource const&) = delete;

  /// Returns the file and the dataset, for messages: `u.h5, dataset "u"`.
  [[nodiscard]] virtual std::string const& where() const = 0;
  /// Returns the length of each axis, the fastest axis first.
  [[nodiscard]] virtual Extent3 points() const = 0;
  /// Returns the extent of the unit of efficient reading, a chunk; one value if any box is read
  /// efficiently.
  [[nodiscard]] virtual Extent3 chunk() const { return {1, 1, 1}; }
  /// Returns true if float32 represents every value exactly.
  [[nodiscard]] virtual bool fits_float32() const = 0;

  /// Compares all values with a checksum of the file, if read() does not. This may read the whole
  /// file, so a single rank should call it. @throws InputError  if the file is damaged
  virtual void verify() const {}

  /// Read the values of a box, dense, the fastest axis first. Several threads may call this at the
  /// same time. @throws InputError  if the file is damaged
  virtual void read(GlobalBox box, float* values) const = 0;
  virtual void read(GlobalBox box, double* values) const = 0;
};

/// A source whose values are in memory, all of them.
class ValuesInMemory : public ValueSource {
 public:
  /// @param values  dense, the fastest axis first
  ValuesInMemory(std::string where, Extent3 points, std::vector<double> values,
                 bool fits_float32 = false)
      : where_(std::move(where)),
        points_(points),
        values_(std::move(values)),
        fits_float32_(fits_float32) {}

  [[nodiscard]] std::string const& where() const override { return where_; }
  [[nodiscard]] Extent3 points() const override { return points_; }
  [[nodiscard]] bool fits_float32() const override { return fits_float32_; }
  void read(GlobalBox box, float* values) const override { copy(box, values); }
  void read(GlobalBox box, double* values) const override { copy(box, values); }

 private:
  template <class Real>
  void copy(GlobalBox box, Real* values) const;

  std::string where_;
  Extent3 points_;
  std::vector<double> values_;
  bool fits_float32_;
};

}  // namespace isotherm
