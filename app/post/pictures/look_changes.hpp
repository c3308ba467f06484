#pragma once

#include <optional>
#include <string>
#include <vector>

#include "decomposition/grid/grid.hpp"
#include "io/picture/picture_look.hpp"

/// What options of `isotherm picture` and `isotherm film` change in the look of pictures.

namespace isotherm::app {

/// Changes of a look. Members that are empty leave it as it is.
struct LookChanges {
  std::optional<Range> values{};
  std::optional<int> contours{};
  std::optional<std::string> label{};
  std::optional<std::string> colour_map{};
  std::optional<int> width{};
  std::optional<LengthUnit> length{};
  std::optional<std::string> flux_unit{};
  bool arrows = false;
  PerAxis<std::optional<double>> planes{};  ///< of a 3D field
  std::vector<double> zoom{};               ///< lower and upper end for each axis of the field

  /// True if something is changed.
  [[nodiscard]] bool any() const { return changes_drawing() || needs_field(); }
  /// True if a picture with its samples can be drawn again with these changes, and there are some.
  [[nodiscard]] bool changes_drawing() const {
    return values || contours || label || colour_map || width || length || flux_unit;
  }
  /// True if other samples of the field are needed.
  [[nodiscard]] bool needs_field() const;
};

/// Changes what does not depend on the grid.
void apply_drawing(LookChanges const& changes, PictureLook& look);

/// Changes everything. @throws InputError  if a plane or the zoom does not fit the grid
void apply(LookChanges const& changes, Grid const& grid, PictureLook& look);

/// Parses planes such as "z=0.5", one for each axis. @throws InputError  naming the option
PerAxis<std::optional<double>> planes_in(std::vector<std::string> const& texts);

/// Parses numbers such as "0,1,-2.5". @throws InputError  naming the option
std::vector<double> numbers_in(std::string const& option, std::string const& text);

/// Parses a range such as "0,100". @throws InputError  naming the option
Range range_in(std::string const& option, std::string const& text);

}  // namespace isotherm::app
