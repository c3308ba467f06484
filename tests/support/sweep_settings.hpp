#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "kernels/core/box.hpp"
#include "tests/support/sanitized.hpp"

namespace isotherm::test {

/// A grid owned by a single rank, and its surroundings.
struct Setting {
  Extent3 points;
  bool fixed_lower[3];  ///< a Dirichlet face at the lower end of the axis
  bool fixed_upper[3];
  LocalBox region;            ///< what the pass writes
  std::int64_t fixed_at = 1;  ///< fixed points at each such face
};

inline LocalBox free_points(Setting const& s, Index3 halo) {
  LocalBox free = LocalBox{{0, 0, 0}, s.points}.grown(halo);
  for (int axis = 0; axis < 3; ++axis) {
    if (s.fixed_lower[axis]) free.lower[axis] = s.fixed_at;
    if (s.fixed_upper[axis]) free.upper[axis] = s.points[axis] - s.fixed_at;
  }
  return free;
}

inline Setting whole(Extent3 n, bool fixed, int dimension) {
  bool const z = fixed && dimension == 3;
  return {n, {fixed, fixed, z}, {fixed, fixed, z}, {{0, 0, 0}, n}};
}

inline Setting mixed(Extent3 n, int dimension) {
  Setting some_fixed = whole(n, false, dimension);
  some_fixed.fixed_lower[0] = some_fixed.fixed_upper[1] = true;
  some_fixed.fixed_upper[2] = dimension == 3;
  return some_fixed;
}

/// The largest grid.
inline constexpr std::int64_t max_points =
    is_sanitized ? 25'000 : std::numeric_limits<std::int64_t>::max();

/// Returns test settings: extents one point larger than tiles, primes, single points, long and
/// thin; all kinds of faces; parts of a box like the rims of a decomposed grid. The largest extents
/// provide many tiles, in one setting each; sanitized builds omit large ones.
inline std::vector<Setting> settings(int dimension) {
  std::vector<Extent3> extents = {{1, 1, 1},    {3, 3, 3},   {129, 17, 9}, {64, 33, 20},
                                  {37, 41, 43}, {7, 130, 5}, {300, 3, 70}, {5, 6, 290}};
  std::vector<Extent3> largest = {{258, 131, 34}, {1301, 7, 6}};
  if (dimension == 2) {
    extents = {{1, 1, 1},     {3, 3, 1},   {129, 65, 1}, {513, 300, 1},
               {1021, 37, 1}, {2, 700, 1}, {900, 2, 1}};
    largest = {{1300, 531, 1}};
  }
  std::vector<Setting> all;
  for (Extent3 const n : extents) {
    if (n.x * n.y * n.z > max_points) continue;
    all.push_back(whole(n, true, dimension));
    all.push_back(whole(n, false, dimension));
    all.push_back(mixed(n, dimension));
    Setting part = mixed(n, dimension);
    part.region = {{n.x / 3, n.y / 4, n.z / 5}, {n.x, n.y - n.y / 5, n.z}};
    all.push_back(part);
    part.region = {{n.x - 1, 0, 0}, n};
    all.push_back(part);
    Setting thick = whole(n, true, dimension);
    thick.fixed_at = 6;
    all.push_back(thick);
  }
  for (Extent3 const n : largest) {
    if (n.x * n.y * n.z <= max_points) all.push_back(mixed(n, dimension));
  }
  return all;
}

inline std::string text(Setting const& s) {
  auto const point = [](Index3 p) {
    return std::to_string(p.x) + "," + std::to_string(p.y) + "," + std::to_string(p.z);
  };
  return "points " + point(s.points) + " region " + point(s.region.lower) + " to " +
         point(s.region.upper) + (s.fixed_lower[0] ? " fixed" : "") +
         (s.fixed_upper[0] ? " on both x faces" : "") + ", " + std::to_string(s.fixed_at) +
         " thick";
}

}  // namespace isotherm::test
