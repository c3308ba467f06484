#pragma once

#include <cstdint>
#include <filesystem>

#include "kernels/core/box.hpp"

namespace isotherm {

/// How far two fields are apart: norms of b − a over all points, taken in float64.
struct FieldDifference {
  std::int64_t points = 0;
  std::int64_t different_points = 0;  ///< with any difference at all
  double largest = 0.0;               ///< max |b − a|; infinite where one of them is not finite
  Index3 largest_at{};                ///< the first such point; (0, 0, 0) where there is none
  double root_mean_square = 0.0;      ///< l2: sqrt(mean (b − a)²)
  double reference_largest = 0.0;     ///< max |a|
  double reference_root_mean_square = 0.0;  ///< sqrt(mean a²)
  bool same_coordinates = true;  ///< false: points of the same index lie at different places

  /// largest / reference_largest, and the same of the l2 norms; the absolute ones where a is 0.
  [[nodiscard]] double relative_largest() const;
  [[nodiscard]] double relative_root_mean_square() const;
};

/// Compares the values in two of isotherm's files block by block, so fields may be larger than the
/// memory; float32 and float64 in any combination. Also checks that each has the checksum that it
/// was written with. Serial.
/// @throws InputError  if a file is not one of isotherm's, cannot be read, or is damaged, or the
///                     fields differ in their number of points
FieldDifference compare_fields(std::filesystem::path const& a, std::filesystem::path const& b);

}  // namespace isotherm
