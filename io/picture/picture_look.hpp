#pragma once

#include <optional>
#include <string>
#include <vector>

#include "decomposition/grid/grid.hpp"
#include "io/picture/colour_map.hpp"
#include "io/picture/length_unit.hpp"
#include "io/picture/range.hpp"

namespace isotherm {

/// The parts of a field that are drawn, and how: the section [output] of a case sets it.
///
///     PictureLook look;
///     look.contours = 10;                  // ten levels, as nearly as round steps allow
///     look.planes[2] = 0.5;                // the plane z = 0.5 only
///     look.values = Range{0.0, 100.0};     // the same colours in all pictures
///     look.label = "Temperature, °C";
struct PictureLook {
  /// Wanted number of contour levels (levels_between); 0: one at each tick of the colour bar;
  /// nullopt: none.
  std::optional<int> contours{};
  /// In 3D: the coordinate on each axis of a plane perpendicular to it. If no axis has one, the
  /// planes through the middle of all axes are drawn.
  PerAxis<std::optional<double>> planes{};
  /// Of the colour bar; nullopt: those of the field. Values beyond have colours of their own.
  std::optional<Range> values{};
  std::string label{};  ///< along the colour bar; empty: the name of the field above it
  std::string colour_map{default_colour_map};  ///< see ColourMap
  std::optional<GlobalBox> box{};              ///< the points that are drawn; nullopt: all
  bool arrows = false;                         ///< draws the flux density −κ∇u in the plane
  /// Pixels of a PNG from left to right; nullopt: one for each point of the layout. Text and lines
  /// scale with it. SVG and PDF keep their size, but their field gets as many pixels.
  std::optional<int> width{};

  LengthUnit length{};      ///< of coordinates on axes and in captions
  std::string flux_unit{};  ///< behind the number of the legend of arrows; may be empty
  std::string time_unit{};  ///< behind the time in titles; may be empty
  /// Places that get a small circle, such as those of point sources. In 3D a plane shows the places
  /// to which no other plane of points is nearer.
  std::vector<PerAxis<double>> marks{};

  bool operator==(PictureLook const&) const = default;
};

}  // namespace isotherm
