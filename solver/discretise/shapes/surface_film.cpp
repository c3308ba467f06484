#include "solver/discretise/shapes/surface_film.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include "decomposition/field/staging/host_staging.hpp"
#include "solver/discretise/evaluate.hpp"
#include "solver/discretise/point_constraints.hpp"
#include "solver/discretise/region_rows.hpp"
#include "solver/discretise/shapes/cell.hpp"
#include "solver/discretise/shapes/covered_link.hpp"
#include "solver/discretise/shapes/lines/line_surface.hpp"
#include "solver/discretise/shapes/lines/open_layers.hpp"
#include "solver/discretise/shapes/link_conductivity.hpp"
#include "solver/discretise/shapes/open_shares.hpp"
#include "solver/problem/conditions.hpp"

namespace isotherm {

namespace {

/// The signed distance to a surface that is perpendicular to an axis or round: positive outside.
/// Distances along different axes combine as those to an edge do.
class SignedDistance {
 public:
  void add(double outwards) {
    outside_ += outwards > 0.0 ? outwards * outwards : 0.0;
    inside_ = std::max(inside_, outwards);
  }
  [[nodiscard]] double value() const { return outside_ > 0.0 ? std::sqrt(outside_) : inside_; }

 private:
  double outside_ = 0.0;  ///< squared
  double inside_ = -std::numeric_limits<double>::infinity();
};

/// Returns the bounds of a solid along an axis. Those on a face of the grid, or beyond it, are no
/// surfaces, and infinite.
Interval bounds_within(Grid const& grid, Solid const& solid, int axis) {
  Interval bounds = solid.between[axis];
  if (grid.periodic[axis]) return bounds;
  Interval const extent = extent_of(grid)[axis];
  double const slack = coincidence * grid.spacing[axis];
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (bounds.lower <= extent.lower + slack) bounds.lower = -infinity;
  if (bounds.upper >= extent.upper - slack) bounds.upper = infinity;
  return bounds;
}

/// Nothing varies along an axis of a single point, whose ends are no surfaces.
double signed_distance(Solid const& solid, PerAxis<double> const& place, Grid const& grid) {
  SignedDistance distance;
  double squared_radius = 0.0;
  for (int axis = 0; axis < grid.dimension; ++axis) {
    if (grid.points[axis] == 1) continue;
    Interval const between = bounds_within(grid, solid, axis);
    if (!solid.round[axis]) {
      distance.add(std::max(between.lower - place[axis], place[axis] - between.upper));
      continue;
    }
    double const away = place[axis] - solid.center[axis];
    squared_radius += away * away;
  }
  if (!solid.is_box()) distance.add(std::sqrt(squared_radius) - solid.radius);
  return distance.value();
}

/// Returns the distance from a place to the nearest end of the given parts of its line along an
/// axis.
double nearest_end(std::vector<Interval> const& parts, double at, Interval line) {
  double distance = std::numeric_limits<double>::infinity();
  for (Interval const& part : parts) {
    for (double const end : {part.lower, part.upper}) {
      if (end != line.lower && end != line.upper) distance = std::min(distance, std::abs(end - at));
    }
  }
  return distance;
}

/// Returns the signed distance of a point from the surface of an expression, as if that were a
/// plane through its crossings of the lines along the axes: 1/d² = Σ 1/(distance along the axis)².
/// Infinite if the surface crosses none of them as far as the next points.
/// @param point  one of the places_of() the point
double signed_distance(Region const& region, Grid const& grid, Index3 global,
                       PerAxis<double> const& point) {
  double sum = 0.0;
  for (int axis = 0; axis < grid.dimension; ++axis) {
    auto const [first, second] = volume_intervals(grid, axis, global[axis]);
    Interval const volume = second.length() > 0.0 && point[axis] > first.upper ? second : first;
    if (!(volume.length() > 0.0)) continue;
    // As far as the next points, each half examined by itself.
    double nearest = std::numeric_limits<double>::infinity();
    for (double const end : {2.0 * volume.lower - point[axis], 2.0 * volume.upper - point[axis]}) {
      Interval const line{std::min(point[axis], end), std::max(point[axis], end)};
      if (!(line.length() > 0.0)) continue;
      nearest = std::min(nearest,
                         nearest_end(parts_inside(region, axis, point, line), point[axis], line));
    }
    sum += 1.0 / (nearest * nearest);
  }
  if (!(sum > 0.0)) return std::numeric_limits<double>::infinity();
  return std::isfinite(sum) ? (contains(region, point) ? -1.0 : 1.0) / std::sqrt(sum) : 0.0;
}

/// Returns the signed distance of a point from the surface of a region, which may be near to
/// another end of periodic axes than the point's own coordinates; 0 if no surface is near.
double distance_from(Region const& region, Grid const& grid, Index3 global) {
  double nearest = std::numeric_limits<double>::infinity();
  for (PerAxis<double> const& place : places_of(grid, global)) {
    double const distance = region.solid ? signed_distance(*region.solid, place, grid)
                                         : signed_distance(region, grid, global, place);
    if (std::abs(distance) < std::abs(nearest)) nearest = distance;
  }
  return std::isfinite(nearest) ? nearest : 0.0;
}

/// True if the surfaces of a region are perpendicular to an axis or parallel to it.
bool is_flat_along(Region const& region, int axis) {
  return region.solid && !region.solid->round[axis];
}

/// Returns the radius of a region's surface near a point; that of the point if the surface is
/// perpendicular to the axis of rotation.
/// @param distance        of the point from the surface, negative in the fluid
/// @param squared_normal  square of the component of the surface's normal along the radius
double radius_of_surface(Region const& region, Grid const& grid, Index3 global, double distance,
                         double squared_normal) {
  auto const [x, y, z] = coordinates(grid, global);
  if (region.solid && region.solid->round[0]) {
    double const center = region.solid->center[0], radius = region.solid->radius;
    double const away = radius + distance;  // of the point from the center
    return away > 0.0 ? std::max(center + (x - center) * (radius / away), 0.0) : x;
  }
  double const width = std::abs(distance);
  Interval const line{x - 2.0 * width, x + 2.0 * width};
  auto const parts = region.solid ? std::vector{bounds_of(*region.solid)[0]}
                                  : parts_inside(region, 0, {x, y, z}, line);
  double end = std::numeric_limits<double>::infinity();
  for (Interval const& part : parts) {
    for (double const one : {part.lower, part.upper}) {
      bool const is_end_of_line = !region.solid && (one == line.lower || one == line.upper);
      if (!is_end_of_line && std::abs(one - x) < std::abs(end - x)) end = one;
    }
  }
  constexpr double rounding = 1e-12;
  if (!std::isfinite(end) || squared_normal < rounding) return x;
  if (is_flat_along(region, 0)) return std::max(end, 0.0);
  return std::max(x + std::copysign(width * std::sqrt(squared_normal), end - x), 0.0);
}

/// Returns the distance over which a plane layer would resist the heat through a surface as much as
/// the medium between the surface and a point does.
/// @param distance  of the point from the surface, negative in the fluid
/// @param surface   the radius of the surface; unused if x is no radius
double resisting_distance(Grid const& grid, Index3 global, double distance, double surface) {
  double const radius = grid.coordinate(0, global[0]);
  bool const is_radial = grid.is_radial(0) && radius > 0.0 && surface > 0.0;
  if (!is_radial || radius == surface) return distance;
  double const relative = (radius - surface) / surface;
  return distance * (grid.geometry == Geometry::axisymmetric ? std::log1p(relative) / relative
                                                             : 1.0 / (1.0 + relative));
}

/// True if a fluid or insulation fills the volume of a point on a Dirichlet face.
bool is_shut_at_face(Problem const& problem, Index3 global) {
  return is_given_by_face(problem, global) &&
         is_outside(problem, constraint_by_region(problem, global));
}

/// The open shares of a control volume along an axis: of its lower and of its upper face, and of a
/// section between them.
struct SharesAlongAxis {
  double below = 0.0;
  double above = 0.0;
  double between = 0.0;
};

/// Returns the parts of a line that insulated regions and fluids cover, in ascending order.
std::vector<Interval> covered_parts(Problem const& problem, int axis, PerAxis<double> const& place,
                                    Interval line) {
  std::vector<Interval> parts;
  auto const add = [&](Region const& region) {
    if (region.at_points) return;
    auto const inside = region.solid ? std::vector{region.solid->chord(axis, place)}
                                     : parts_inside(region, axis, place, line);
    for (Interval const& one : inside) {
      Interval const part = intersection(one, line);
      if (!part.empty()) parts.push_back(part);
    }
  };
  for (Region const& region : problem.medium.insulated) add(region);
  for (FixedRegion const& fixed : problem.medium.fixed) {
    if (has_film_on_surface(fixed)) add(fixed.where);
  }
  std::ranges::sort(parts, {}, &Interval::lower);
  return parts;
}

/// Returns the longest part of a line that is open; an empty one in its middle if none is.
Interval longest_open_part(Problem const& problem, int axis, PerAxis<double> const& place,
                           Interval line) {
  Interval longest{line.middle(), line.middle()};
  double end = line.lower;
  auto const examine = [&](double next) {
    if (next - end > longest.length()) longest = {end, next};
  };
  for (Interval const& part : covered_parts(problem, axis, place, line)) {
    examine(part.lower);
    end = std::max(end, part.upper);
  }
  examine(line.upper);
  return longest;
}

/// Returns a place at a corner of a cell that neither insulation nor a fluid covers, if there is
/// one.
std::optional<PerAxis<double>> open_corner(Problem const& problem, Cell const& cell) {
  constexpr double inset = 1e-6;
  std::vector<Region const*> const regions = shutting_regions_of(problem);
  for (unsigned corner = 0; corner < 8; ++corner) {
    PerAxis<double> place{};
    for (int axis = 0; axis < 3; ++axis) {
      bool const is_upper = ((corner >> static_cast<unsigned>(axis)) & 1U) != 0;
      double const margin = inset * cell[axis].length();
      place[axis] = is_upper ? cell[axis].upper - margin : cell[axis].lower + margin;
    }
    auto const covers = [&](Region const* region) { return contains(*region, place); };
    if (std::ranges::none_of(regions, covers)) return place;
  }
  return std::nullopt;
}

/// Returns the open share of a section across a control volume, through the middle of what is open
/// along the axis on the line through its point. If nothing is, through another open place.
double open_share_between(Problem const& problem, int axis, Index3 global) {
  auto const [x, y, z] = coordinates(problem.grid, global);
  PerAxis<double> const point{x, y, z};
  Interval open_part{point[axis], point[axis]};
  auto const examine = [&](PerAxis<double> const& place, Interval line) {
    Interval const part = longest_open_part(problem, axis, place, line);
    if (part.length() > open_part.length()) open_part = part;
  };
  auto const [first, second] = volume_intervals(problem.grid, axis, global[axis]);
  examine(point, first);
  if (second.length() > 0.0) {
    PerAxis<double> other = point;
    other[axis] = second.upper;
    examine(other, second);
  }
  for_each_part(problem.grid, global, [&](Cell const& part) {
    if (open_part.length() > 0.0) return;
    auto place = open_corner(problem, part);
    if (!place) place = open_place(shutting_regions_of(problem), part);
    if (place) examine(*place, part[axis]);
  });
  double const at = open_part.middle();
  double open = 0.0, whole = 0.0;
  for_each_part(problem.grid, global, [&](Cell section) {
    section[axis] = {at, at};
    open += volume_of(section) * open_share(problem, section, point);
    whole += volume_of(section);
  });
  return open / whole;
}

/// Returns the open shares of a control volume along each axis; zeros along an axis of one point.
PerAxis<SharesAlongAxis> open_shares(Problem const& problem, Index3 global) {
  LinkConductivity const links(problem);
  bool const is_given = is_given_by_face(problem, global);
  auto const share = [&](int axis, Index3 lower, Index3 neighbour) {
    bool const is_shut = is_given && is_shut_at_face(problem, neighbour);
    return is_shut ? 0.0 : links.open_share(axis, lower);
  };
  Grid const& grid = problem.grid;
  PerAxis<SharesAlongAxis> shares{};
  for (int axis = 0; axis < grid.dimension; ++axis) {
    if (grid.points[axis] == 1) continue;
    Index3 before = global, after = global;
    before[axis] = grid.on_axis(axis, global[axis] - 1);
    after[axis] = grid.on_axis(axis, global[axis] + 1);
    SharesAlongAxis& along = shares[axis];
    along.below = before[axis] >= 0 ? share(axis, before, before)
                                    : open_share_of_boundary(problem, {axis, false}, global);
    along.above = global[axis] < grid.intervals(axis)
                      ? share(axis, global, after)
                      : open_share_of_boundary(problem, {axis, true}, global);
    along.between = open_share_between(problem, axis, global);
  }
  return shares;
}

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

/// Returns the area of those faces of a control volume whose links a thin solid crosses: it lies
/// between both points of the link, and need not reach into the volume.
double crossed_face_area(Problem const& problem, Region const& region, Index3 global) {
  if (!region.solid) return 0.0;
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
      Link const link = make_link(grid, axis, lower);
      Interval const part = region.solid->chord(axis, link.lower_point);
      bool const between = part.lower > link.along.lower && part.upper < link.along.upper;
      if (between && !part.empty()) sum += face_area(grid, MediumUnits{}, axis, global);
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

/// The surface of a fluid in a control volume.
struct SurfaceInVolume {
  int fluid;  ///< its number in Medium::fixed
  double area = 0.0;
  PerAxis<double> squared_normal{};  ///< means over the surface; they sum to 1
  double distance = 0.0;             ///< of the point, as a plane layer; negative in the fluid
};

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

/// True if the medium fills a corner of a volume up to surfaces perpendicular to two axes or more,
/// as a part of a pin does: along both, the open share drops to 0 in one step. At an oblique
/// surface it decreases gradually.
bool has_edge(Grid const& grid, PerAxis<SharesAlongAxis> const& shares) {
  constexpr double rounding = 1e-6;
  int steps = 0;
  for (int axis = 0; axis < grid.dimension; ++axis) {
    auto const [below, above, between] = shares[axis];
    auto const [low, high] = std::minmax(below, above);
    bool const ends = low < rounding && high > rounding && high < 1.0 - rounding;
    if (ends && between > high - rounding) ++steps;
  }
  return steps > 1;
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

/// Computes the area of the surface in the volume of a point by lines through it. The surface may
/// lie so close to the volume that what it cuts of the next one is shut.
void set_area_by_lines(Problem const& problem, Index3 global,
                       PerAxis<SharesAlongAxis> const& shares, SurfaceInVolume& surface) {
  constexpr double margin = 4.0 * minimum_open_share;
  std::vector<Region const*> const regions = shutting_regions_of(problem);
  Cell const whole = extent_of(problem.grid);
  SurfaceInVolume found{};
  for_each_part(problem.grid, global, [&](Cell part) {
    for (int axis = 0; axis < problem.grid.dimension; ++axis) {
      double const more = margin * part[axis].length();
      if (shares[axis].below == 0.0) part[axis].lower -= more;
      if (shares[axis].above == 0.0) part[axis].upper += more;
      part[axis] = intersection(part[axis], whole[axis]);
    }
    PerAxis<double> const terms = surface_by_lines(problem.grid, regions, part);
    for (int axis = 0; axis < 3; ++axis) {
      found.area += terms[axis];
      found.squared_normal[axis] += terms[axis];
    }
  });
  if (!(found.area > 0.0)) return;  // the lines pass the surface by
  for (double& square : found.squared_normal) square /= found.area;
  surface.area = found.area;
  surface.squared_normal = found.squared_normal;
}

/// The points in whose volumes films are examined.
enum class Points { unknown, given_by_faces, both };

bool belongs(Problem const& problem, Index3 global, Points points) {
  if (constraint_of(problem, global) == constraint::none) return points != Points::given_by_faces;
  return points != Points::unknown && is_given_by_face(problem, global) &&
         constraint_by_region(problem, global) == constraint::none;
}

/// Finds the surfaces of fluids in the volume of a point.
std::vector<SurfaceInVolume> surfaces_at(Problem const& problem, Index3 global, Points points) {
  Grid const& grid = problem.grid;
  std::vector<int> const fluids = fluids_near(problem, global);
  if (fluids.empty() || !belongs(problem, global, points)) return {};
  PerAxis<SharesAlongAxis> const shares = open_shares(problem, global);
  PerAxis<bool> const thin = thin_axes(grid, global, shares);
  PerAxis<bool> const flat = flat_axes(problem, fluids, global);
  SurfaceInVolume all{};
  set_area(grid, global, shares, thin, flat, volume_intervals(grid, 0, global[0])[0].middle(), all);
  bool const is_thin = thin[0] || thin[1] || thin[2];
  bool const is_flat = flat[0] && flat[1] && flat[2];
  bool const needs_lines = (is_thin || has_edge(grid, shares)) && !is_flat;
  if ((needs_lines || !(all.area > 0.0)) && !grid.is_radial(0)) {
    set_area_by_lines(problem, global, shares, all);
  }
  if (!(all.area > 0.0)) return {};
  std::vector<double> const fractions =
      fractions_of(problem, fluids, global, is_thin ? thin : PerAxis<bool>{true, true, true});
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
      set_area(grid, global, shares, thin, flat, radius, surface);
      surface.distance = resisting_distance(grid, global, surface.distance, radius);
    }
    surface.area *= fractions[i];
    surfaces.push_back(surface);
  }
  return surfaces;
}

/// Returns the unit of areas that give conductances when they are divided by resistances.
double unit_of_area(Problem const& problem, MediumUnits const& units) {
  return units.conductivity * std::pow(units.length, problem.grid.dimension - 2);
}

/// Calls visit(axis, lower point) for the links of a point.
template <class Visit>
void for_each_link(Grid const& grid, Index3 global, Visit const& visit) {
  for (int axis = 0; axis < grid.dimension; ++axis) {
    if (grid.points[axis] == 1) continue;
    Index3 before = global;
    before[axis] = grid.on_axis(axis, global[axis] - 1);
    if (before[axis] >= 0) visit(axis, before);
    if (global[axis] < grid.intervals(axis)) visit(axis, global);
  }
}

/// True if a neighbour of a point lies in a region with exchanges.
bool borders_on_exchanges(Problem const& problem, Index3 global) {
  bool found = false;
  for_each_link(problem.grid, global, [&](int axis, Index3 lower) {
    Index3 other = lower;
    if (lower == global) other[axis] = problem.grid.on_axis(axis, lower[axis] + 1);
    int const number = constraint_by_region(problem, other) - constraint::first_region;
    found = found || (number >= 0 &&
                      !problem.medium.fixed[static_cast<std::size_t>(number)].exchanges.empty());
  });
  return found;
}

/// Returns the surfaces of thin regions with exchanges on the links of a point.
std::vector<FilmSurface> surfaces_on_links(Problem const& problem, MediumUnits const& units,
                                           Index3 global, Points points) {
  std::vector<FilmSurface> surfaces;
  if (!has_exchanges(problem) || !belongs(problem, global, points)) return surfaces;
  if (!borders_on_exchanges(problem, global)) return surfaces;  // as most points
  LinkConductivity const links(problem);
  for_each_link(problem.grid, global, [&](int axis, Index3 lower) {
    auto const film = links.exchange_on_link(axis, lower);
    if (!film) return;
    FixedRegion const& fluid = problem.medium.fixed[static_cast<std::size_t>(film->region)];
    FilmSurface surface{film->region, film->area / unit_of_area(problem, units),
                        1.0 / *fluid.film_coefficient, film->distance};
    surface.squared_normal[axis] = 1.0;
    surfaces.push_back(surface);
  });
  return surfaces;
}

/// Returns the surfaces of fluids in the control volume of a point.
std::vector<FilmSurface> film_surfaces_in(Problem const& problem, MediumUnits const& units,
                                          Index3 global, Points points) {
  std::vector<FilmSurface> surfaces = surfaces_on_links(problem, units, global, points);
  for (SurfaceInVolume const& surface : surfaces_at(problem, global, points)) {
    FixedRegion const& fluid = problem.medium.fixed[static_cast<std::size_t>(surface.fluid)];
    surfaces.push_back({surface.fluid, surface.area / unit_of_area(problem, units),
                        1.0 / *fluid.film_coefficient, surface.distance, surface.squared_normal});
  }
  return surfaces;
}

/// Adds a film to those of other fluids, or to that of the same one.
void add_film(std::vector<SurfaceFilm>& films, SurfaceFilm const& film) {
  auto const same = std::ranges::find(films, film.region, &SurfaceFilm::region);
  if (same == films.end()) return films.push_back(film);
  double const sum = same->conductance + film.conductance;
  if (sum > 0.0) {
    same->ambient = (same->conductance * same->ambient + film.conductance * film.ambient) / sum;
  }
  same->conductance = sum;
  same->radiation += film.radiation;
}

/// Returns the films in the control volume of a point whose value is u at a time.
std::vector<SurfaceFilm> films_in(Problem const& problem, MediumUnits const& units, Index3 global,
                                  Points points, double u, double time_s) {
  std::vector<SurfaceFilm> films;
  for (FilmSurface const& surface : film_surfaces_in(problem, units, global, points)) {
    add_film(films, surface.film_at(problem, global, u, time_s));
  }
  return films;
}

/// Returns the area of the films on links to a point in a fluid that is thin, or known at points
/// only: at other points 0.
double area_of_links(LinkConductivity const& links, Problem const& problem, int region,
                     Index3 global) {
  FixedRegion const& fluid = problem.medium.fixed[static_cast<std::size_t>(region)];
  if (!place_inside(fluid.where, problem.grid, global)) return 0.0;
  int const here = constraint::first_region + region;
  if (constraint_by_region(problem, global) != here) return 0.0;
  if (has_film_on_surface(fluid) && !is_in_thin_fluid(problem, global)) return 0.0;
  bool const is_given = is_given_by_face(problem, global);
  double sum = 0.0;
  for_each_link(problem.grid, global, [&](int axis, Index3 lower) {
    // Links to unknown points do not begin at points with another value.
    if (!is_given) sum += links.area_of_film(axis, lower, region);
    auto const film = links.film_of_given(MediumUnits{}, axis, lower);
    if (film && film->region == region) sum += film->area;
  });
  return sum;
}

/// Adds the films on the links of a point to which a face gives a value, to those of the same
/// fluids in its volume.
void add_films_on_links(std::vector<SurfaceFilm>& films, Problem const& problem,
                        MediumUnits const& units, Index3 global, double time_s) {
  LinkConductivity const links(problem);
  for_each_link(problem.grid, global, [&](int axis, Index3 lower) {
    auto const on_link = links.film_of_given(units, axis, lower);
    if (!on_link) return;
    FixedRegion const& fluid = problem.medium.fixed[static_cast<std::size_t>(on_link->region)];
    if (!fluid.exchanges.empty()) return;  // surfaces_on_links() has it
    double const ambient = value_at(fluid.value, problem.grid, global, time_s);
    add_film(films, {on_link->region, on_link->conductance, ambient});
  });
}

/// What acts on a surface of some value: Σ h, Σ h v, and the flux density by radiation.
struct Exchanged {
  double coefficient = 0.0;
  double weighted = 0.0;
  double radiation = 0.0;

  /// Returns the flux density into a surface of the value s.
  [[nodiscard]] double flux(double s) const { return weighted - coefficient * s; }
};

/// The exchanges on a surface near a point at a time. A coefficient that is negative is NaN.
class Exchanges {
 public:
  Exchanges(FixedRegion const& region, Grid const& grid, Index3 global, double time_s)
      : region_(&region), grid_(&grid), global_(global), time_s_(time_s) {
    for (SurfaceExchange const& exchange : region.exchanges) {
      ambient_.push_back(value_at(exchange.ambient, grid, global, time_s));
    }
  }

  [[nodiscard]] Exchanged at(double s) const {
    Exchanged sum;
    for (std::size_t i = 0; i < ambient_.size(); ++i) {
      double const coefficient = coefficient_of(region_->exchanges[i], ambient_[i], s);
      sum.coefficient += coefficient;
      sum.weighted += coefficient * ambient_[i];
      if (region_->exchanges[i].radiates()) sum.radiation += coefficient * (ambient_[i] - s);
    }
    return sum;
  }
  /// Returns the value of the surface of a point with the value u at the distance d.
  /// @param behind  d/κ
  [[nodiscard]] double surface_value(double u, double behind) const {
    double const flux = at(u).flux(u);
    if (behind == 0.0 || flux == 0.0 || !std::isfinite(flux)) return u;
    // The root lies between u and the ambient values, or beyond u by as much as the linear film
    // may extrapolate.
    double end = u + 2.0 * behind * flux;
    if (behind > 0.0) {
      auto const [low, high] = std::ranges::minmax(ambient_);
      end = flux > 0.0 ? std::min(end, std::max(u, high)) : std::max(end, std::min(u, low));
      if (defect(end, u, behind) * flux < 0.0) end = flux > 0.0 ? high : low;
    }
    return root_between(u, end, [&](double s) { return defect(s, u, behind); });
  }

 private:
  [[nodiscard]] double coefficient_of(SurfaceExchange const& exchange, double ambient,
                                      double s) const {
    if (exchange.radiates()) {
      double const zero = exchange.absolute_zero;
      return radiation_coefficient(*exchange.radiation_factor, std::max(s - zero, 0.0),
                                   ambient - zero);
    }
    double const found = value_at(exchange.coefficient, *grid_, global_, time_s_, s);
    return found >= 0.0 ? found : std::numeric_limits<double>::quiet_NaN();
  }
  [[nodiscard]] double defect(double s, double u, double behind) const {
    return s - u - behind * at(s).flux(s);
  }
  /// Returns the root of a function in an interval by the Illinois variant of the regula falsi; the
  /// end if the function has the same sign at both ends.
  template <class Function>
  static double root_between(double start, double end, Function const& function) {
    constexpr int maximum = 100;
    double a = start, b = end, at_a = function(a), at_b = function(b);
    if (!(at_a * at_b < 0.0)) return at_a == 0.0 ? a : b;
    for (int n = 0; n < maximum; ++n) {
      double const c = b - at_b * (b - a) / (at_b - at_a), at_c = function(c);
      constexpr double rounding = 4e-16;
      bool const is_found = at_c == 0.0 || std::abs(c - b) <= rounding * std::abs(c);
      if (at_c * at_b < 0.0) {
        a = b;
        at_a = at_b;
      } else {
        at_a *= 0.5;
      }
      b = c;
      at_b = at_c;
      if (is_found) break;
    }
    return b;
  }

  FixedRegion const* region_;
  Grid const* grid_;
  Index3 global_;
  double time_s_;
  std::vector<double> ambient_{};
};

}  // namespace

SurfaceFilm FilmSurface::film_at(Problem const& problem, Index3 global, double u,
                                 double time_s) const {
  double conductivity = 0.0;
  for (int axis = 0; axis < problem.grid.dimension; ++axis) {
    double const share = squared_normal[axis];
    if (share != 0.0) conductivity += share * conductivity_at(problem, axis, global, u, time_s);
  }
  double const behind = distance / conductivity;
  FixedRegion const& fluid = problem.medium.fixed[static_cast<std::size_t>(region)];
  if (fluid.exchanges.empty()) {
    return {region, area / (film + std::max(behind, -0.5 * film)),
            value_at(fluid.value, problem.grid, global, time_s)};
  }
  Exchanges const exchanges(fluid, problem.grid, global, time_s);
  double const s = exchanges.surface_value(u, behind);
  Exchanged const acting = exchanges.at(s);
  if (acting.coefficient == 0.0) return {region, 0.0};
  double const resistance = 1.0 / acting.coefficient;
  return {region, area / (resistance + std::max(behind, -0.5 * resistance)),
          acting.weighted / acting.coefficient, area * acting.radiation};
}

std::vector<FilmSurface> film_surfaces_at(Problem const& problem, MediumUnits const& units,
                                          Index3 global) {
  return film_surfaces_in(problem, units, global, Points::unknown);
}

std::vector<SurfaceFilm> films_at(Problem const& problem, MediumUnits const& units, Index3 global,
                                  double u, double time_s) {
  return films_in(problem, units, global, Points::unknown, u, time_s);
}

std::vector<SurfaceFilm> films_at_given(Problem const& problem, MediumUnits const& units,
                                        Index3 global, double u, double time_s) {
  // Most points lie on no face.
  auto const is_on = [&](Face face) { return lies_on(problem.grid, face, global); };
  if (std::ranges::none_of(faces(problem.grid), is_on)) return {};
  if (!belongs(problem, global, Points::given_by_faces)) return {};
  std::vector<SurfaceFilm> films =
      films_in(problem, units, global, Points::given_by_faces, u, time_s);
  add_films_on_links(films, problem, units, global, time_s);
  return films;
}

bool has_fluids(Problem const& problem) {
  return std::ranges::any_of(problem.medium.fixed, [](FixedRegion const& region) {
    return region.is_excluded && region.film_coefficient;
  });
}

double film_area(Problem const& problem, int region, GlobalBox within) {
  within = with_neighbours(problem.grid, within);
  if (within.empty()) return 0.0;
  Extent3 const n = within.extent();
  LinkConductivity const links(problem);
  std::vector<double> rows(static_cast<std::size_t>(n.y * n.z));
  for_each_row({within.lower, within.upper}, [&](std::int64_t j, std::int64_t k) {
    double& row = rows[static_cast<std::size_t>((j - within.lower.y) + n.y * (k - within.lower.z))];
    for (std::int64_t i = within.lower.x; i < within.upper.x; ++i) {
      row += area_of_links(links, problem, region, {i, j, k});
      for (SurfaceInVolume const& surface : surfaces_at(problem, {i, j, k}, Points::both)) {
        if (surface.fluid == region) row += surface.area;
      }
    }
  });
  return std::accumulate(rows.begin(), rows.end(), 0.0);
}

double film_conductance(Problem const& problem, MediumUnits const& units, Index3 global) {
  double sum = 0.0;
  for (SurfaceFilm const& film : films_at(problem, units, global)) sum += film.conductance;
  return sum;
}

}  // namespace isotherm
