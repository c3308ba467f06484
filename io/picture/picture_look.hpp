#pragma once

#include <optional>

#include "decomposition/grid/grid.hpp"
#include "io/picture/range.hpp"

namespace isotherm {

/// The parts of a field that are drawn, and how: the section [output] of a case sets it.
///
///     PictureLook look;
///     look.contours = 10;                  // approximately ten lines
///     look.planes[2] = 0.5;                // the plane z = 0.5 only
///     look.values = Range{0.0, 100.0};     // the same colours in all pictures
struct PictureLook {
  /// Approximate number of contour lines at round values; 0: one at each tick of the colour bar;
  /// nullopt: none.
  std::optional<int> contours{};
  /// In 3D: the coordinate on each axis of a plane perpendicular to it. If no axis has one, the
  /// planes through the middle of all axes are drawn.
  PerAxis<std::optional<double>> planes{};
  std::optional<Range> values{};  ///< of the colour bar; nullopt: those of the field

  bool operator==(PictureLook const&) const = default;
};

}  // namespace isotherm
