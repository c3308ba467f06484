#pragma once

#include <cstdint>

#include "kernels/core/host_device.hpp"

namespace isotherm {

/// Boundary treatment of filters: which value a point beyond the ends of an axis has.
///
/// - wrap: the axis is periodic.
/// - clamp: the value of the outermost point is repeated.
/// - mirror: the values are reflected at the outermost point.
/// - zero: the value is 0.
enum class EdgeMode : std::uint8_t { wrap, clamp, mirror, zero };

/// Maps an index, however far outside, to the point of the axis whose value it has. Returns a
/// negative number if there is none (EdgeMode::zero).
/// @param points  number of points of the axis
/// @pre points > 0
ISOTHERM_HOST_DEVICE inline std::int64_t edge_index(std::int64_t index, std::int64_t points,
                                                    EdgeMode edge_mode) {
  if (index >= 0 && index < points) return index;
  switch (edge_mode) {
    case EdgeMode::wrap: {
      std::int64_t const within = index % points;
      return within < 0 ? within + points : within;
    }
    case EdgeMode::clamp:
      return index < 0 ? 0 : points - 1;
    case EdgeMode::mirror: {
      if (points == 1) return 0;
      std::int64_t const there_and_back = 2 * (points - 1);  // the period of the reflected axis
      std::int64_t const distance = (index < 0 ? -index : index) % there_and_back;
      return distance < points ? distance : there_and_back - distance;
    }
    default:
      return -1;
  }
}

}  // namespace isotherm
