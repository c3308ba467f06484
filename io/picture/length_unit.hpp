#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace isotherm {

/// The unit in which a picture states coordinates.
///
///     LengthUnit const mm{"mm", *per_metre("mm")};
///     mm.scale * 0.02;          // 20, for a grid in metres
struct LengthUnit {
  std::string name{};  ///< written after the name of an axis, as in "x, mm"; may be empty
  double scale = 1.0;  ///< this number of units is a length of 1 of the grid

  bool operator==(LengthUnit const&) const = default;
};

/// Returns how many of a unit a metre has, such as 1000 for "mm"; nullopt if the unit is not known.
std::optional<double> per_metre(std::string_view unit);

/// Returns a line that lists the known units, for messages: "km, m, cm, …".
std::string known_length_units();

/// Combines a unit's name and scale, either of which may be missing. Without a scale the grid is in
/// metres.
/// @returns  nullopt if the unit is not known and no scale is given
std::optional<LengthUnit> length_unit_of(std::string const& name, std::optional<double> scale);

}  // namespace isotherm
