#include "solver/discretise/shapes/films/fluid_surface.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "solver/discretise/evaluate.hpp"
#include "solver/discretise/medium_units.hpp"
#include "solver/discretise/point_constraints.hpp"
#include "solver/discretise/shapes/covered_link.hpp"
#include "solver/discretise/shapes/films/shares_along_axes.hpp"
#include "solver/discretise/shapes/films/surface_distance.hpp"
#include "solver/discretise/shapes/lines/line_surface.hpp"
#include "solver/discretise/shapes/lines/open_layers.hpp"
#include "solver/discretise/shapes/open_shares.hpp"
#include "solver/problem/conditions.hpp"

namespace isotherm {

namespace {

/// Returns the area of a control volume's faces across some axes that a region covers.
double covered_face_area(Problem const& problem, Region const& region, Index3 global,
                         PerAxis<bool> const& axes) {
  Grid const& grid = problem.grid;
  auto const [x, y, z] = coordinates(grid, global);
  PerAxis<double> const point{x, y, z};
  double sum = 0.0;
  for_each_part(grid, global, [&](Cell const& part) {
    for (int axis = 0; axis < 3; ++axis) {
      if (!axes[axis] || !(part[axis].length() > 0.0)) continue;
      bool const closes = grid.periodic[axis] && global[axis] == 0;
      // The surface of an expression may coincide with a face, on either side of it by rounding.
      double const step = region.solid ? 0.0 : coincidence * part[axis].length();
      for (bool const is_upper : {false, true}) {
        double const end = is_upper ? part[axis].upper : part[axis].lower;
        // Beyond the place where a periodic axis closes lies another part of the volume.
        if (closes && end == (is_upper ? grid.upper(axis) : grid.lower[axis])) continue;
        double const at = is_upper ? end + step : end - step;
        Cell face = part;
        face[axis] = {at, at};
        sum += volume_of(face) * covered_share(region, face, point);
      }
    }
  });
  return sum;
}

/// True if the surface of a region may cut a control volume, contain one of its faces, or lie so
/// close to one that the volume between them is shut.
bool may_cut(Problem const& problem, Region const& region, Index3 global) {
  constexpr double margin = 4.0 * minimum_open_share;  // the volume beyond may be larger
  auto const [x, y, z] = coordinates(problem.grid, global);
  bool all = true, some = false;
  for_each_part(problem.grid, global, [&, x = x, y = y, z = z](Cell const& part) {
    Cell wider = part;
    for (int axis = 0; axis < 3; ++axis) {
      double const more = margin * part[axis].length();
      wider[axis] = {part[axis].lower - more, part[axis].upper + more};
    }
    bool const touches = covered_share(region, wider, {x, y, z}) > 0.0;
    some = some || touches;
    all = all && touches && covered_share(region, part, {x, y, z}) == 1.0;
  });
  return some && !all;
}

/// Returns the area of a control volume's faces across an axis.
/// @param radius  at which faces across a radius are taken
double area_at(Grid const& grid, int axis, Index3 global, double radius) {
  return face_area(grid, MediumUnits{}, axis, global) * grid.metric(axis, radius);
}

/// True if a region crosses a link as a sheet that lies between both of its points.
bool crosses(Region const& region, Link const& link) {
  if (!region.solid) return flat_sheet_between(region, link).has_value();
  Interval const part = region.solid->chord(link.axis, link.lower_point);
  return !part.empty() && part.lower > link.along.lower && part.upper < link.along.upper;
}

/// Returns the area of those faces of a control volume whose links a thin region crosses. It need
/// not reach into the volume.
double crossed_face_area(Problem const& problem, Region const& region, Index3 global) {
  Grid const& grid = problem.grid;
  double sum = 0.0;
  for (int axis = 0; axis < grid.dimension; ++axis) {
    if (grid.points[axis] == 1) continue;
    for (std::int64_t const step : {-1, 0}) {
      Index3 lower = global;
      lower[axis] += step;
      if (!grid.periodic[axis] && (lower[axis] < 0 || lower[axis] >= grid.intervals(axis)))
        continue;
      lower[axis] = grid.on_axis(axis, lower[axis]);
      if (crosses(region, make_link(grid, axis, lower))) {
        sum += face_area(grid, MediumUnits{}, axis, global);
      }
    }
  }
  return sum;
}

/// Returns the numbers of the fluids whose surface may cut the control volume of a point, or that
/// separate it from its neighbours.
std::vector<int> fluids_near(Problem const& problem, Index3 global) {
  std::vector<int> found;
  for (std::size_t i = 0; i < problem.medium.fixed.size(); ++i) {
    FixedRegion const& fixed = problem.medium.fixed[i];
    if (!has_film_on_surface(fixed)) continue;
    if (may_cut(problem, fixed.where, global) ||
        crossed_face_area(problem, fixed.where, global) > 0.0) {
      found.push_back(static_cast<int>(i));
    }
  }
  return found;
}

/// Returns the fractions of a volume's surface that belong to each of the fluids, in proportion to
/// what they cover of its faces across some axes, or cross of its links. Insulated regions share
/// the surface, but have no film.
std::vector<double> fractions_of(Problem const& problem, std::vector<int> const& fluids,
                                 Index3 global, PerAxis<bool> const& axes) {
  std::vector<double> fractions;
  double covered = 0.0;
  for (int const fluid : fluids) {
    Region const& where = problem.medium.fixed[static_cast<std::size_t>(fluid)].where;
    fractions.push_back(covered_face_area(problem, where, global, axes) +
                        crossed_face_area(problem, where, global));
    covered += fractions.back();
  }
  for (Region const& region : problem.medium.insulated) {
    if (region.at_points) continue;
    covered += covered_face_area(problem, region, global, axes) +
               crossed_face_area(problem, region, global);
  }
  // If the surface lies in a shut volume beyond a face, it covers no face of this one.
  for (double& fraction : fractions) {
    fraction = covered > 0.0 ? fraction / covered : 1.0 / static_cast<double>(fractions.size());
  }
  return fractions;
}

/// Returns the same fractions by what lines find of the surface of each fluid.
std::vector<double> fractions_of(Problem const& problem, std::vector<int> const& fluids,
                                 LineSurface const& found) {
  std::vector<Region const*> const regions = shutting_regions_of(problem);
  std::vector<double> fractions;
  for (int const fluid : fluids) {
    Region const* const where = &problem.medium.fixed[static_cast<std::size_t>(fluid)].where;
    auto const number = std::ranges::find(regions, where) - regions.begin();
    fractions.push_back(found.of_regions[static_cast<std::size_t>(number)] / found.area());
  }
  return fractions;
}

/// True if several fluids, or a fluid and insulation, may share the surface in a volume.
bool is_shared(Problem const& problem, std::vector<int> const& fluids, Index3 global) {
  return fluids.size() > 1 || std::ranges::any_of(problem.medium.insulated, [&](Region const& one) {
           return !one.at_points && may_cut(problem, one, global);
         });
}

/// Returns the axes along which the medium is so thin that two surfaces cancel in Σ ± α A. The area
/// that is lost is then more than half of what remains.
PerAxis<bool> thin_axes(Grid const& grid, Index3 global, PerAxis<SharesAlongAxis> const& shares) {
  double const radius = volume_intervals(grid, 0, global[0])[0].middle();
  PerAxis<double> sum{}, lost{};
  for (int axis = 0; axis < grid.dimension; ++axis) {
    if (grid.points[axis] == 1) continue;
    auto const [below, above, between] = shares[axis];
    double const area = area_at(grid, axis, global, radius);
    sum[axis] = (above - below) * area;
    if (between > std::max(below, above)) lost[axis] = (2.0 * between - below - above) * area;
  }
  double const remaining = std::hypot(sum[0], sum[1], sum[2]);
  PerAxis<bool> thin{};
  for (int axis = 0; axis < 3; ++axis) {
    double const rounding = coincidence * area_at(grid, axis, global, radius);
    thin[axis] = lost[axis] > 0.5 * remaining + rounding;
  }
  return thin;
}

/// Returns the fraction of the unit square in which p y + q z exceeds a value.
double share_of_square(double p, double q, double value) {
  if (std::abs(p) < std::abs(q)) std::swap(p, q);
  if (p == 0.0) return value < 0.0 ? 1.0 : 0.0;
  constexpr int lines = 16;
  double sum = 0.0;
  for (int i = 0; i < lines; ++i) {
    double const at = std::clamp((value - q * (i + 0.5) / lines) / p, 0.0, 1.0);
    sum += p > 0.0 ? 1.0 - at : at;
  }
  return sum / lines;
}

/// True if a single plane leaves the given shares of a volume and of its faces open. Curved
/// surfaces and edges leave another share of the volume than the plane through their ends.
/// @param volume  open share of the volume
bool is_plane(Grid const& grid, PerAxis<SharesAlongAxis> const& shares, double volume) {
  // In coordinates in which the volume is the unit cube, the plane is vector · x = value.
  PerAxis<double> vector{};
  double sum = 0.0;  // of the open shares of all faces
  for (int axis = 0; axis < grid.dimension; ++axis) {
    vector[axis] = shares[axis].above - shares[axis].below;
    sum += shares[axis].above + shares[axis].below;
  }
  auto const share_at = [&](int axis, double place, double value) {
    int const first = axis == 0 ? 1 : 0, second = axis == 2 ? 1 : 2;
    return share_of_square(vector[first], vector[second], value - place * vector[axis]);
  };
  auto const is_too_low = [&](double value) {
    double found = 0.0;
    for (int axis = 0; axis < grid.dimension; ++axis) {
      if (grid.points[axis] > 1) found += share_at(axis, 0.0, value) + share_at(axis, 1.0, value);
    }
    return found > sum;
  };
  double const norm = std::hypot(vector[0], vector[1], vector[2]);
  double low = -2.0 * norm, high = 3.0 * norm;
  for (int i = 0; i < 30; ++i) (is_too_low(0.5 * (low + high)) ? low : high) = 0.5 * (low + high);
  constexpr int sections = 16;
  double expected = 0.0;
  for (int i = 0; i < sections; ++i) expected += share_at(0, (i + 0.5) / sections, low) / sections;
  // A sagitta that makes the surface larger by a thousandth or two.
  constexpr double curved = 0.02, rounding = 2e-3;
  return std::abs(expected - volume) < curved * norm * norm + rounding;
}

/// Returns the axes to which all surfaces in a volume are perpendicular or parallel.
PerAxis<bool> flat_axes(Problem const& problem, std::vector<int> const& fluids, Index3 global) {
  PerAxis<bool> flat{};
  for (int axis = 0; axis < 3; ++axis) {
    auto const is_flat_fluid = [&](int fluid) {
      return is_flat_along(problem.medium.fixed[static_cast<std::size_t>(fluid)].where, axis);
    };
    auto const is_flat_region = [&](Region const& region) {
      return is_flat_along(region, axis) || region.at_points || !may_cut(problem, region, global);
    };
    flat[axis] = std::ranges::all_of(fluids, is_flat_fluid) &&
                 std::ranges::all_of(problem.medium.insulated, is_flat_region);
  }
  return flat;
}

/// Returns the area of the surface in a volume whose vector Σ ± α A is given. Where surfaces meet
/// at the edge of a box or the rim of a cylinder, the area is the sum of theirs, not the length of
/// the vector: its component along a flat axis is an area.
double area_of(PerAxis<double> const& vector, PerAxis<bool> const& flat) {
  double sum = 0.0, squares = 0.0;
  for (int axis = 0; axis < 3; ++axis) {
    if (flat[axis]) {
      sum += std::abs(vector[axis]);
    } else {
      squares += vector[axis] * vector[axis];
    }
  }
  return sum + std::sqrt(squares);
}

/// Computes the area of the surface in the volume of a point, which is divided into halves along
/// thin axes.
/// @param radius  of the surface
void set_area(Grid const& grid, Index3 global, PerAxis<SharesAlongAxis> const& shares,
              PerAxis<bool> const& thin, PerAxis<bool> const& flat, double radius,
              SurfaceInVolume& surface) {
  surface.area = 0.0;
  surface.squared_normal = {};
  unsigned divided = 0;
  for (unsigned axis = 0; axis < 3; ++axis) {
    if (thin[static_cast<int>(axis)]) divided |= 1U << axis;
  }
  auto const pieces = static_cast<double>(1U << static_cast<unsigned>(std::popcount(divided)));
  // All subsets of the axes that are divided: those along which a piece is the upper half.
  for (unsigned upper = divided;; upper = (upper - 1) & divided) {
    PerAxis<double> vector{};
    for (int axis = 0; axis < grid.dimension; ++axis) {
      if (grid.points[axis] == 1) continue;
      auto const [below, above, between] = shares[axis];
      bool const is_upper = ((upper >> static_cast<unsigned>(axis)) & 1U) != 0;
      double change = above - below;
      if (thin[axis]) change = 2.0 * (is_upper ? above - between : between - below);
      vector[axis] = change * area_at(grid, axis, global, radius) / pieces;
    }
    double const area = area_of(vector, flat);
    double const length = std::hypot(vector[0], vector[1], vector[2]);
    surface.area += area;
    for (int axis = 0; axis < 3 && area > 0.0; ++axis) {
      double const share = vector[axis] / length;
      surface.squared_normal[axis] += area * share * share;
    }
    if (upper == 0) break;
  }
  if (!(surface.area > 0.0)) return;
  for (double& square : surface.squared_normal) square /= surface.area;
}

/// Returns the length of Σ ± α A in a Cartesian grid.
double length_of_vector(Grid const& grid, Index3 global, PerAxis<SharesAlongAxis> const& shares) {
  PerAxis<double> vector{};
  for (int axis = 0; axis < grid.dimension; ++axis) {
    if (grid.points[axis] == 1) continue;
    vector[axis] =
        (shares[axis].above - shares[axis].below) * face_area(grid, MediumUnits{}, axis, global);
  }
  return std::hypot(vector[0], vector[1], vector[2]);
}

/// True if the surface in the next volume along an axis, close to the face between them, belongs to
/// the volume of a point: the next volume is shut, or there is none.
bool owns_surface_beyond(Problem const& problem, Index3 global, Face face) {
  Index3 next = global;
  next[face.axis] = problem.grid.on_axis(face.axis, global[face.axis] + (face.upper ? 1 : -1));
  bool const exists = next[face.axis] >= 0 && next[face.axis] < problem.grid.points[face.axis];
  return !exists || !is_open(problem, next);
}

/// Returns the surface in the volume of a point by lines through it. The surface may lie so close
/// to the volume that what it cuts of the next one is shut.
LineSurface surface_in_volume(Problem const& problem, Index3 global,
                              PerAxis<SharesAlongAxis> const& shares) {
  constexpr double margin = 4.0 * minimum_open_share;
  std::vector<Region const*> const regions = shutting_regions_of(problem);
  Cell const whole = extent_of(problem.grid);
  PerAxis<bool> below{}, above{};  // whether surfaces beyond the faces belong to the volume
  for (int axis = 0; axis < problem.grid.dimension; ++axis) {
    if (problem.grid.points[axis] == 1) continue;
    below[axis] = shares[axis].below == 0.0 && owns_surface_beyond(problem, global, {axis, false});
    above[axis] = shares[axis].above == 0.0 && owns_surface_beyond(problem, global, {axis, true});
  }
  LineSurface sum;
  sum.of_regions.resize(regions.size());
  for_each_part(problem.grid, global, [&](Cell part) {
    for (int axis = 0; axis < problem.grid.dimension; ++axis) {
      double const more = margin * part[axis].length();
      if (below[axis]) part[axis].lower -= more;
      if (above[axis]) part[axis].upper += more;
      part[axis] = intersection(part[axis], whole[axis]);
    }
    LineSurface const found = surface_by_lines(problem.grid, regions, part);
    for (int axis = 0; axis < 3; ++axis) {
      sum.terms[axis] += found.terms[axis];
      sum.vector[axis] += found.vector[axis];
    }
    for (std::size_t i = 0; i < regions.size(); ++i) sum.of_regions[i] += found.of_regions[i];
  });
  return sum;
}

/// Computes the area of a surface by lines. If it has no two sides that cancel, the exact vector
/// Σ ± α A replaces that of the lines, which removes most of their error. Returns false if lines do
/// not find the surface.
/// @param length  of that vector; 0 if sides cancel, or if it is not known, as in radial grids
bool set_area_by_lines(LineSurface const& found, double length, SurfaceInVolume& surface) {
  double const area = found.area();
  if (!(area > 0.0)) return false;  // the lines pass the surface by
  double const by_lines = std::hypot(found.vector[0], found.vector[1], found.vector[2]);
  constexpr double like = 0.1;
  bool const cancels = !(length > 0.0) || by_lines < 0.5 * area;
  if (!cancels && std::abs(by_lines - length) > like * length)
    return false;  // a sheet in the next volume
  surface.area = cancels ? area : length * std::max(area / by_lines, 1.0);
  for (int axis = 0; axis < 3; ++axis) surface.squared_normal[axis] = found.terms[axis] / area;
  return true;
}

}  // namespace

bool belongs(Problem const& problem, Index3 global, Points points) {
  if (constraint_of(problem, global) == constraint::none) return points != Points::given_by_faces;
  return points != Points::unknown && is_given_by_face(problem, global) &&
         constraint_by_region(problem, global) == constraint::none;
}

std::vector<SurfaceInVolume> surfaces_at(Problem const& problem, Index3 global, Points points) {
  Grid const& grid = problem.grid;
  std::vector<int> const fluids = fluids_near(problem, global);
  if (fluids.empty() || !belongs(problem, global, points)) return {};
  PerAxis<SharesAlongAxis> const shares = shares_along_axes(problem, global);
  PerAxis<bool> const thin = thin_axes(grid, global, shares);
  PerAxis<bool> const flat = flat_axes(problem, fluids, global);
  SurfaceInVolume all{};
  set_area(grid, global, shares, thin, flat, volume_intervals(grid, 0, global[0])[0].middle(), all);
  bool const is_thin = thin[0] || thin[1] || thin[2];
  bool const is_flat = flat[0] && flat[1] && flat[2];
  auto const crosses_links = [&](int fluid) {
    Region const& where = problem.medium.fixed[static_cast<std::size_t>(fluid)].where;
    return crossed_face_area(problem, where, global) > 0.0;
  };
  // A sheet next to the point has one of its surfaces in each of two volumes.
  bool const is_next_to_sheet = std::ranges::any_of(fluids, [&](int fluid) {
    return !problem.medium.fixed[static_cast<std::size_t>(fluid)].where.solid &&
           crosses_links(fluid);
  });
  bool const needs_lines =
      !(all.area > 0.0) ||
      (!is_flat && !is_next_to_sheet &&
       (is_thin || !is_plane(grid, shares, open_share_of_volume(problem, global))));
  bool const is_divided =
      is_shared(problem, fluids, global) && std::ranges::none_of(fluids, crosses_links);
  LineSurface lines;
  if (needs_lines || is_divided) lines = surface_in_volume(problem, global, shares);
  bool const has_vector = !is_thin && !grid.is_radial(0);
  bool const is_by_lines =
      needs_lines &&
      set_area_by_lines(lines, has_vector ? length_of_vector(grid, global, shares) : 0.0, all);
  if (!(all.area > 0.0)) return {};
  constexpr double like = 0.1;
  // In a radial grid each fluid has its own radius, unless lines have found the area.
  bool const found_all =
      (is_by_lines || !grid.is_radial(0)) && std::abs(lines.area() - all.area) < like * all.area;
  std::vector<double> const fractions =
      is_divided && found_all
          ? fractions_of(problem, fluids, lines)
          : fractions_of(problem, fluids, global, is_thin ? thin : PerAxis<bool>{true, true, true});
  std::vector<SurfaceInVolume> surfaces;
  for (std::size_t i = 0; i < fluids.size(); ++i) {
    if (!(fractions[i] > 0.0)) continue;
    Region const& where = problem.medium.fixed[static_cast<std::size_t>(fluids[i])].where;
    SurfaceInVolume surface = all;
    surface.fluid = fluids[i];
    surface.distance = distance_from(where, grid, global);
    if (grid.is_radial(0)) {
      double const radius =
          radius_of_surface(where, grid, global, surface.distance, all.squared_normal[0]);
      if (!is_by_lines) set_area(grid, global, shares, thin, flat, radius, surface);
      surface.distance = resisting_distance(grid, global, surface.distance, radius);
    }
    surface.area *= fractions[i];
    surfaces.push_back(surface);
  }
  return surfaces;
}

}  // namespace isotherm
