#pragma once

#include <optional>

#include "decomposition/grid/grid.hpp"
#include "io/picture/range.hpp"

namespace isotherm {

/// What of a field is drawn, and how.
struct PictureLook {
  /// Lines of equal value: about so many, at round values; 0: one at each tick of the colour bar.
  std::optional<int> contours{};
  /// In 3D: where on each axis a plane across it is drawn; none on any: one through the middle of
  /// each.
  PerAxis<std::optional<double>> planes{};
  std::optional<Range> values{};  ///< of the colour bar; none: those of the field

  bool operator==(PictureLook const&) const = default;
};

}  // namespace isotherm
