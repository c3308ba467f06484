#pragma once

#include <cstdint>

#include "kernels/core/host_device.hpp"

namespace isotherm {

/// What a point beyond an axis' outermost ones is taken to be: n points wrap around to the first
/// one, the outermost one counts, the axis is mirrored there, or nothing is there and values are 0.
enum class Beyond : std::uint8_t { wrap, clamp, mirror, zero };

/// The point of an axis of so many that stands for one, however far beyond its ends that is;
/// negative where nothing does.
ISOTHERM_HOST_DEVICE inline std::int64_t point_for(std::int64_t index, std::int64_t points,
                                                   Beyond beyond) {
  if (index >= 0 && index < points) return index;
  switch (beyond) {
    case Beyond::wrap: {
      std::int64_t const within = index % points;
      return within < 0 ? within + points : within;
    }
    case Beyond::clamp:
      return index < 0 ? 0 : points - 1;
    case Beyond::mirror: {
      if (points == 1) return 0;
      std::int64_t const there_and_back = 2 * (points - 1);
      std::int64_t const distance = (index < 0 ? -index : index) % there_and_back;
      return distance < points ? distance : there_and_back - distance;
    }
    default:
      return -1;
  }
}

}  // namespace isotherm
