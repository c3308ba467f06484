#include "solver/discretise/shapes/link_conductivity.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <utility>

#include "decomposition/field/staging/host_staging.hpp"
#include "kernels/conduction/face_conductances.hpp"
#include "solver/discretise/evaluate.hpp"
#include "solver/discretise/point_constraints.hpp"
#include "solver/discretise/region_rows.hpp"
#include "solver/discretise/shapes/cell.hpp"
#include "solver/discretise/shapes/covered_link.hpp"
#include "solver/discretise/shapes/films/point_on_surface.hpp"
#include "solver/discretise/shapes/lines/open_layers.hpp"
#include "solver/discretise/shapes/open_shares.hpp"
#include "solver/problem/conditions.hpp"

namespace isotherm {

namespace {

/// Returns the points along x whose link or control volume reaches into an interval, and those next
/// to them.
LinkConductivity::Range points_near(Grid const& grid, Interval interval) {
  auto const last = static_cast<double>(grid.points.x - 1);
  auto const index = [&](double at, double if_infinite) {
    if (!std::isfinite(at)) return if_infinite;
    return std::clamp(std::floor(grid.position(0, at)), -1.0, last + 1.0);
  };
  auto const from = static_cast<std::int64_t>(index(interval.lower, 0.0));
  auto const to = static_cast<std::int64_t>(index(interval.upper, last));
  return {std::max<std::int64_t>(from - 1, 0), std::min<std::int64_t>(to + 2, grid.points.x)};
}

/// Returns the cross-sections of what the links along `axis` of a row of points along x occupy: the
/// links' faces, or for another axis than x the links' length, too.
std::vector<Cell> tubes_of(Grid const& grid, int axis, Index3 row) {
  std::vector<Cell> tubes = sections_of(grid, 0, row);
  if (axis == 0) return tubes;
  // A surface through a point may lie beyond it by rounding.
  double const lower = grid.coordinate(axis, row[axis]);
  double const upper = grid.coordinate(axis, row[axis] + 1);
  double const margin = 2.0 * link_slack * (upper - lower);
  std::vector<Cell> closing;  // where the link that closes a periodic axis ends
  for (Cell& tube : tubes) {
    tube[axis] = {lower - margin, upper + margin};
    if (row[axis] + 1 < grid.points[axis]) continue;
    closing.push_back(tube);
    closing.back()[axis] = {grid.lower[axis] - margin, grid.lower[axis] + margin};
  }
  tubes.insert(tubes.end(), closing.begin(), closing.end());
  return tubes;
}

/// Returns the tubes with the whole control volumes at both ends of the links along `axis`: a
/// surface that cuts a volume decides whether its point is an unknown.
std::vector<Cell> with_volumes(std::vector<Cell> tubes, int axis) {
  if (axis == 0) return tubes;  // points_near() includes the neighbours along x
  for (Cell& tube : tubes) {
    // The gaps beyond may be wider than the link on a graded axis.
    constexpr double widest = 2.0;
    double const more = widest * tube[axis].length();
    tube[axis] = {tube[axis].lower - more, tube[axis].upper + more};
  }
  return tubes;
}

/// Returns the tubes with those at the upper end of a periodic axis, if links along it begin at the
/// lower one: a region may contain their lower points there.
std::vector<Cell> with_seam(std::vector<Cell> tubes, Grid const& grid, int axis, Index3 row) {
  if (axis == 0 || !grid.periodic[axis] || row[axis] != 0) return tubes;
  double const margin = 2.0 * link_slack * grid.spacing[axis];
  std::vector<Cell> ends = tubes;
  for (Cell& end : ends) end[axis] = {grid.upper(axis) - margin, grid.upper(axis) + margin};
  tubes.insert(tubes.end(), ends.begin(), ends.end());
  return tubes;
}

/// Returns the part of a tube within the grid.
Cell within(Cell tube, Grid const& grid) {
  Cell const whole = extent_of(grid);
  for (int axis = 1; axis < grid.dimension; ++axis) {
    tube[axis] = intersection(tube[axis], whole[axis]);
  }
  return tube;
}

/// Sorts ranges and joins those that overlap.
std::vector<LinkConductivity::Range> joined(std::vector<LinkConductivity::Range> ranges) {
  std::erase_if(ranges, [](auto const& range) { return range.first >= range.last; });
  std::ranges::sort(ranges, {}, &LinkConductivity::Range::first);
  std::vector<LinkConductivity::Range> all;
  for (auto const& range : ranges) {
    if (!all.empty() && range.first <= all.back().last) {
      all.back().last = std::max(all.back().last, range.last);
    } else {
      all.push_back(range);
    }
  }
  return all;
}

/// Appends the points of a row along x whose link along `axis` has one end in a region, found by
/// evaluating the region at the points of the row and, for another axis than x, of the next row.
void append_changes(Region const& region, Grid const& grid, int axis, Index3 row,
                    std::vector<LinkConductivity::Range>& ranges) {
  Index3 next = row;
  next[axis] = axis == 0 ? 0 : grid.on_axis(axis, row[axis] + 1);
  if (misses_row(region, grid, row) && (axis == 0 || misses_row(region, grid, next))) return;
  auto const inside = [&](Index3 const& line, std::int64_t x) {
    return place_inside(region, grid, {x, line.y, line.z}).has_value();
  };
  std::int64_t const n = grid.points.x;
  bool here = inside(row, 0);
  bool const first = here;
  for (std::int64_t x = 0; x < n; ++x) {
    bool const is_last = x == n - 1;
    bool const along_x = is_last ? first : inside(row, x + 1);
    if ((axis == 0 ? along_x : inside(next, x)) != here) ranges.push_back({x, x + 1});
    here = along_x;
  }
}

/// Appends the points along x whose links the surface of a solid may cut.
void append_surface(Solid const& solid, Grid const& grid, std::vector<Cell> const& tubes,
                    std::vector<LinkConductivity::Range>& ranges) {
  for (Cell const& tube : tubes) {
    Interval const some = solid.some_chord(0, tube);
    if (some.empty()) continue;
    Interval const every = solid.every_chord(0, tube);
    // Between its ends the solid covers the links entirely. If a face has several parts, at the
    // ends of a periodic axis, it may fill one of them and nothing of another.
    if (every.empty() || tubes.size() > 1) {
      ranges.push_back(points_near(grid, some));
      continue;
    }
    ranges.push_back(points_near(grid, {some.lower, every.lower}));
    ranges.push_back(points_near(grid, {every.upper, some.upper}));
  }
  // The first point of a periodic axis has a part of its volume at the other end.
  if (grid.periodic[0] && !ranges.empty()) ranges.push_back({0, 1});
}

/// Appends the points along x whose links a region's surface may cut; all of them if nothing is
/// known about an expression.
void append_region(Region const& region, Grid const& grid, std::vector<Cell> const& tubes,
                   std::vector<LinkConductivity::Range>& ranges) {
  if (region.solid) return append_surface(*region.solid, grid, tubes, ranges);
  if (!region.blocks || tubes.size() > 1) return ranges.push_back({0, grid.points.x});
  for (Cell const& tube : tubes) {
    Cell row = within(tube, grid);
    row[0] = {grid.lower[0], grid.upper(0)};
    // Most rows are certain as a whole.
    if (region.blocks->in(row) != Certainty::unknown) continue;
    for (Interval const& unknown : region.blocks->unknown_along_x(row)) {
      ranges.push_back(points_near(grid, unknown));
    }
  }
  if (grid.periodic[0] && !ranges.empty()) ranges.push_back({0, 1});
}

/// True if the surface of a fixed region, rather than the points inside, has its value.
bool has_surface(FixedRegion const& region) {
  return !region.where.at_points || region.film_coefficient;
}

/// Returns the number of the fixed region in which a fixed point lies, so that links to it end at
/// the region's surface; −1 if there is none. A point of a Dirichlet face lies in a region if both
/// give it the same value; a link can end at one value only.
int region_around(Problem const& solved, int constraint, Index3 point) {
  Problem const& problem = original_of(solved);
  if (constraint >= constraint::first_region) return constraint - constraint::first_region;
  std::vector<FixedRegion> const& fixed = problem.medium.fixed;
  if (constraint < 0 || fixed.empty()) return -1;
  auto const [x, y, z] = coordinates(problem.grid, point);
  auto const contains_point = [&](FixedRegion const& region) {
    return !region.is_excluded && place_inside(region.where, problem.grid, point);
  };
  auto const topmost = std::find_if(fixed.rbegin(), fixed.rend(), contains_point);
  if (topmost == fixed.rend()) return -1;
  ScalarFunction const& own = *fixed_value(problem, constraint, point);
  bool const is_same = !topmost->film_coefficient && !own.varies_in_time &&
                       !topmost->value.varies_in_time && !topmost->floating_flux &&
                       own(x, y, z, 0.0) == topmost->value(x, y, z, 0.0);
  return is_same ? static_cast<int>(fixed.rend() - topmost) - 1 : -1;
}

/// True if a fluid that contains a point has films on the links to it, instead of in the control
/// volumes that its surface cuts. @param number  of the region in Medium::fixed
bool acts_on_links(Problem const& problem, int number, Index3 point) {
  FixedRegion const& region = problem.medium.fixed[static_cast<std::size_t>(number)];
  if (!region.is_excluded || !region.film_coefficient) return false;
  return region.where.at_points || is_in_thin_fluid(problem, point);
}

/// Returns A / h of a link, in units per unit of conductivity.
double area_over_length(Grid const& grid, MediumUnits const& units, int axis, Index3 lower) {
  return face_area(grid, units, axis, lower) * units.length /
         (units.conductivity * grid.conducting_gap(axis, lower[axis]));
}

/// Returns the area of a link that conducts κ times it over the length: along a radius a mean of
/// the areas of revolution between its ends.
double area_of_link(Grid const& grid, int axis, Index3 lower) {
  double const ratio = grid.gap(axis, lower[axis]) / grid.conducting_gap(axis, lower[axis]);
  return face_area(grid, MediumUnits{}, axis, lower) * ratio;
}

/// Returns a factor times the harmonic mean of the conductivities at both points of a link that no
/// surface cuts.
double whole_link(Problem const& problem, int axis, Index3 lower, ValuesOfLink const& values,
                  double factor) {
  Index3 upper = lower;
  upper[axis] = problem.grid.on_axis(axis, lower[axis] + 1);
  ScalarFunction const& conductivity = problem.medium.conductivity[axis];
  if (!conductivity.depends_on_u_or_t()) {
    return conductance_between(conductivity_at(problem, axis, lower),
                               conductivity_at(problem, axis, upper), factor);
  }
  auto const mean_at = [&](Index3 point) {
    return problem.diffusivity * mean_between(conductivity, place_of(problem.grid, point), values);
  };
  double const at_lower = mean_at(lower), at_upper = mean_at(upper);
  // A conductivity that is not positive must not become a conductance of 0.
  bool const is_positive = at_lower > 0.0 && at_upper > 0.0;
  return is_positive ? conductance_between(at_lower, at_upper, factor) : std::nan("");
}

/// Returns the conductance of a link. @param links  null if no surface can cut it
double conductance_with(LinkConductivity const* links, Problem const& problem,
                        MediumUnits const& units, int axis, Index3 lower,
                        ValuesOfLink const& values = {}) {
  if (links != nullptr) {
    if (auto const cut = links->conductance(units, axis, lower, values)) return *cut;
  }
  return whole_link(problem, axis, lower, values,
                    area_over_length(problem.grid, units, axis, lower));
}

/// Returns the parts of a link's face, which the surfaces of boxes do not cut.
/// @param regions  that cut it, too
std::vector<Cell> faces_of(LayerList const& layers, std::vector<Cell> const& sections, int axis,
                           std::vector<Region const*> regions = {}) {
  for (MediumLayer const* layer : layers) regions.push_back(&layer->where);
  std::vector<Cell> faces;
  for (Cell const& section : sections) {
    std::vector<Cell> const parts = cut_by_boxes(section, regions, axis);
    faces.insert(faces.end(), parts.begin(), parts.end());
  }
  return faces;
}

/// Restricts the layers of a part of a link's face to what insulation leaves open, and returns that
/// share of the part.
double narrow(CoveredLink& covered, Problem const& problem, Link const& link, Cell face) {
  face[link.axis] = {link.along.middle(), link.along.middle()};
  std::vector<double> fractions =
      open_fractions(problem, covered.partial_regions(), face, link.lower_point);
  double const open = std::accumulate(fractions.begin(), fractions.end(), 0.0);
  if (!(open > 0.0)) return 0.0;
  for (double& fraction : fractions) fraction /= open;
  covered.set_fractions(std::move(fractions));
  return open;
}

/// True if two regions with given values are copies of one region, on both sides of the place where
/// a periodic axis closes.
bool are_copies(FixedRegion const& a, FixedRegion const& b, int axis) {
  bool const same_value = a.value.is_constant()
                              ? b.value.is_constant() && a.value.constant == b.value.constant
                              : a.value.text == b.value.text && !a.value.varies_along[axis];
  return same_value && a.is_excluded == b.is_excluded && a.film_coefficient == b.film_coefficient &&
         !a.floating_flux && !b.floating_flux && has_surface(b);
}

/// Returns the number of the region that ends a link at a point where the link's axis closes: of
/// two copies of a region, each contains the point at another end of the axis.
/// @param number  of the region that fixes the point
/// @param end     the coordinate of the point on the link
int region_at_end(Problem const& solved, int number, int axis, double end, Index3 point) {
  Problem const& problem = original_of(solved);
  Grid const& grid = problem.grid;
  if (!grid.periodic[axis] || point[axis] != 0) return number;
  auto const places = places_of(grid, point);
  auto const holds_end = [&](FixedRegion const& region) {
    return std::ranges::any_of(places, [&](PerAxis<double> const& place) {
      bool const is_here = std::abs(place[axis] - end) < 0.5 * grid.length(axis);
      return is_here && contains(region.where, place);
    });
  };
  std::vector<FixedRegion> const& fixed = problem.medium.fixed;
  FixedRegion const& own = fixed[static_cast<std::size_t>(number)];
  if (holds_end(own)) return number;
  auto const found = std::find_if(fixed.rbegin(), fixed.rend(), [&](FixedRegion const& other) {
    return are_copies(own, other, axis) && holds_end(other);
  });
  return found == fixed.rend() ? number : static_cast<int>(fixed.rend() - found) - 1;
}

/// The end of a link that lies in a fixed region, while no region fixes the other one.
struct EndInRegion {
  int region;      ///< its number in Medium::fixed
  Index3 inside;   ///< the point in the region
  Index3 outside;  ///< the other one
  bool is_upper;   ///< the upper point lies in the region
};

/// Returns that end of a link; none if no region, or one at both ends, fixes its points.
std::optional<EndInRegion> end_in_region(Problem const& problem, int axis, Index3 lower) {
  Index3 upper = lower;
  upper[axis] = problem.grid.on_axis(axis, lower[axis] + 1);
  int const at_lower = constraint_by_region(problem, lower);
  int const at_upper = constraint_by_region(problem, upper);
  bool const is_upper = at_lower == constraint::none;
  int const region = (is_upper ? at_upper : at_lower) - constraint::first_region;
  bool const one_is_free = is_upper || at_upper == constraint::none;
  if (!one_is_free || region < 0) return std::nullopt;
  return EndInRegion{region, is_upper ? upper : lower, is_upper ? lower : upper, is_upper};
}

}  // namespace

LinkConductivity::LinkConductivity(Problem const& problem)
    : problem_(&problem),
      layers_(problem.medium.layers.get()),
      contacts_(problem.medium.contacts),
      insulates_(has_open_shares(problem)),
      has_films_(has_films_on_surfaces(problem)),
      has_exchanges_(has_exchanges(problem)) {
  if (layers_ == nullptr) return;
  // All of a link's resistance is divided by the diffusivity in the end.
  for (Contact& contact : contacts_) contact.resistance *= problem.diffusivity;
  for (std::size_t i = 0; i < problem.medium.fixed.size(); ++i) {
    if (has_surface(problem.medium.fixed[i])) surfaces_.push_back(static_cast<int>(i));
  }
}

/// Shortens a link to the surfaces of fixed regions and fluids at its ends, and returns whether it
/// did.
bool LinkConductivity::shorten_to_surface(Link& link, Index3 lower) const {
  bool const is_shortened = shorten_to_fixed(link, lower);
  return shorten_to_points(link, lower) || is_shortened;
}

/// Shortens a link to the surfaces on which its ends have their values.
bool LinkConductivity::shorten_to_points(Link& link, Index3 lower) const {
  if (!has_films_) return false;
  bool found = false;
  for (bool const is_upper : {false, true}) {
    Index3 point = lower;
    if (is_upper) point[link.axis] = problem_->grid.on_axis(link.axis, lower[link.axis] + 1);
    auto const place = point_on_surface(*problem_, point);
    if (!place || place->axis != link.axis || !link.along.contains(place->at)) continue;
    (is_upper ? link.conducting.upper : link.conducting.lower) = place->at;
    found = true;
  }
  return found;
}

/// Shortens a link with one end in a fixed region, or with its ends in two, and returns whether it
/// did.
bool LinkConductivity::shorten_to_fixed(Link& link, Index3 lower) const {
  Medium const& medium = problem_->medium;
  Index3 upper = lower;
  upper[link.axis] = problem_->grid.on_axis(link.axis, lower[link.axis] + 1);
  if (!contacts_.empty() && !medium.fixed.empty()) {
    link.lower_is_fixed = constraint_of(*problem_, lower) >= constraint::first_region;
    link.upper_is_fixed = constraint_of(*problem_, upper) >= constraint::first_region;
  }
  // Most links have no end in any region, or both in the same.
  auto const parts_ends = [&](int number) {
    Region const& where = medium.fixed[static_cast<std::size_t>(number)].where;
    return place_inside(where, problem_->grid, lower).has_value() !=
           place_inside(where, problem_->grid, upper).has_value();
  };
  if (std::ranges::none_of(surfaces_, parts_ends)) return false;
  int const at_lower = constraint_of(*problem_, lower), at_upper = constraint_of(*problem_, upper);
  bool const is_upper = at_lower == constraint::none;
  int const number =
      region_around(*problem_, is_upper ? at_upper : at_lower, is_upper ? upper : lower);
  bool const one_is_unknown = is_upper || at_upper == constraint::none;
  if (!one_is_unknown) return shorten_between(link, lower, upper);
  if (!std::ranges::binary_search(surfaces_, number)) return false;
  return shorten_to(number, link, is_upper ? upper : lower, is_upper);
}

/// Shortens a link between two points with different given values to the gap between the surfaces
/// that have these values, and returns whether it did. If the surfaces touch, the heat that they
/// exchange has no limit, and the link remains whole.
bool LinkConductivity::shorten_between(Link& link, Index3 lower, Index3 upper) const {
  int const below = region_around(*problem_, constraint_of(*problem_, lower), lower);
  int const above = region_around(*problem_, constraint_of(*problem_, upper), upper);
  if (below == above) return false;
  Link gap = link;
  double film_resistance = 0.0;
  for (bool const is_upper : {false, true}) {
    int const number = is_upper ? above : below;
    if (!std::ranges::binary_search(surfaces_, number)) continue;
    if (problem_->medium.fixed[static_cast<std::size_t>(number)].is_excluded) return false;
    gap.film_resistance = 0.0;
    shorten_to(number, gap, is_upper ? upper : lower, is_upper);
    film_resistance += gap.film_resistance;
  }
  constexpr double narrowest = 2e-3;  // of the length: shorten() leaves half of it at least
  if (!(gap.conducting.length() > narrowest * link.length())) return false;
  link.conducting = gap.conducting;
  link.film_resistance = film_resistance;
  return link.conducting != link.along || film_resistance > 0.0;
}

/// Shortens a link to the surface of a fixed region that contains its upper (or lower) end, and
/// returns whether that changes it. @param number  of the region in Medium::fixed
bool LinkConductivity::shorten_to(int number, Link& link, Index3 fixed_end,
                                  bool upper_is_fixed) const {
  double const end = upper_is_fixed ? link.along.upper : link.along.lower;
  number = region_at_end(*problem_, number, link.axis, end, fixed_end);
  FixedRegion const& region = problem_->medium.fixed[static_cast<std::size_t>(number)];
  // Where a periodic axis closes, the region may contain the point at the other end of the axis.
  Link seen = link;
  auto const place = place_inside(region.where, problem_->grid, fixed_end);
  for (int other = 0; other < 3; ++other) {
    if (place && other != link.axis) seen.lower_point[other] = (*place)[other];
  }
  shorten(seen, region, upper_is_fixed);
  link.conducting = seen.conducting;
  link.film_resistance = seen.film_resistance * problem_->diffusivity;
  return link.conducting != link.along || link.film_resistance > 0.0;
}

std::optional<double> LinkConductivity::operator()(int axis, Index3 lower,
                                                   ValuesOfLink const& values) const {
  double const open = open_share(axis, lower);
  if (open == 0.0 || exchange_on_link(axis, lower)) return 0.0;
  auto const pieces = of_pieces(axis, lower, values);
  if (open == 1.0) return pieces;
  if (pieces) return open * *pieces;
  return whole_link(*problem_, axis, lower, values, open);
}

std::optional<double> LinkConductivity::of_open_part(int axis, Index3 lower,
                                                     ValuesOfLink const& values) const {
  return is_shut(axis, lower) ? std::optional(0.0) : of_pieces(axis, lower, values);
}

bool LinkConductivity::is_shut(int axis, Index3 lower) const {
  return open_share(axis, lower) == 0.0;
}

double LinkConductivity::open_share(int axis, Index3 lower) const {
  if (!insulates_) return 1.0;
  Index3 upper = lower;
  upper[axis] = problem_->grid.on_axis(axis, lower[axis] + 1);
  auto const is_in_fluid = [&](Index3 point) {
    int const number = constraint_of(*problem_, point) - constraint::first_region;
    return number >= 0 &&
           has_film_on_surface(problem_->medium.fixed[static_cast<std::size_t>(number)]) &&
           !is_in_thin_fluid(*problem_, point);
  };
  if (has_films_ && (is_in_fluid(lower) || is_in_fluid(upper))) return 0.0;
  return open_share_of_link(*problem_, axis, lower);
}

double LinkConductivity::area_of_film(int axis, Index3 lower, int region) const {
  Grid const& grid = problem_->grid;
  Index3 upper = lower;
  upper[axis] = grid.on_axis(axis, lower[axis] + 1);
  int const fluid = constraint::first_region + region;
  bool const leads_there =
      constraint_of(*problem_, lower) == fluid || constraint_of(*problem_, upper) == fluid;
  double const open = leads_there ? open_share(axis, lower) : 0.0;
  if (open == 0.0) return 0.0;
  Link link = make_link(grid, axis, lower);
  if (!shorten_to_surface(link, lower) || !(link.film_resistance > 0.0)) return 0.0;
  return open * area_of_film_on(link, lower, region);
}

/// Returns the area of the surface that a link with a film crosses, if its face is open.
double LinkConductivity::area_of_film_on(Link const& link, Index3 lower, int region) const {
  double const coefficient =
      *problem_->medium.fixed[static_cast<std::size_t>(region)].film_coefficient;
  double const resistance = link.film_resistance / problem_->diffusivity;
  return area_of_link(problem_->grid, link.axis, lower) / (coefficient * resistance);
}

std::optional<LinkConductivity::FilmOfGiven> LinkConductivity::film_of_given(
    MediumUnits const& units, int axis, Index3 lower) const {
  if (layers_ == nullptr) return std::nullopt;
  Grid const& grid = problem_->grid;
  auto const end = end_in_region(*problem_, axis, lower);
  if (!end || !is_given_by_face(*problem_, end->outside)) return std::nullopt;
  if (!acts_on_links(*problem_, end->region, end->inside)) return std::nullopt;
  double const open = open_share(axis, lower);
  if (open == 0.0) return std::nullopt;
  Link link = make_link(grid, axis, lower);
  if (!shorten_to(end->region, link, end->inside, end->is_upper)) return std::nullopt;
  double const conductivity = of_pieces(link, lower, true).value_or(0.0);
  return FilmOfGiven{end->region, open * conductivity * area_over_length(grid, units, axis, lower),
                     open * area_of_film_on(link, lower, end->region)};
}

std::optional<LinkConductivity::ExchangeOnLink> LinkConductivity::exchange_on_link(
    int axis, Index3 lower) const {
  if (!has_exchanges_ || layers_ == nullptr) return std::nullopt;
  auto const end = end_in_region(*problem_, axis, lower);
  if (!end) return std::nullopt;
  FixedRegion const& region = problem_->medium.fixed[static_cast<std::size_t>(end->region)];
  if (region.exchanges.empty() || !acts_on_links(*problem_, end->region, end->inside)) {
    return std::nullopt;
  }
  // A face that gives the value of the point inside has precedence for an unknown point.
  if (is_given_by_face(*problem_, end->inside) && !is_given_by_face(*problem_, end->outside)) {
    return std::nullopt;
  }
  double const open = open_share(axis, lower);
  Link link = make_link(problem_->grid, axis, lower);
  if (open == 0.0 || !shorten_to(end->region, link, end->inside, end->is_upper)) {
    return std::nullopt;
  }
  double const area = area_of_film_on(link, lower, end->region);
  double const face = area_of_link(problem_->grid, axis, lower);
  double const length = link.resisting_length(link.conducting.lower, link.conducting.upper);
  return ExchangeOnLink{end->region, open * area, area / face * length};
}

std::optional<double> LinkConductivity::of_pieces(int axis, Index3 lower,
                                                  ValuesOfLink const& values) const {
  if (layers_ == nullptr) return std::nullopt;
  Link link = make_link(problem_->grid, axis, lower);
  link.values = values;
  bool const is_shortened = shorten_to_surface(link, lower);
  return of_pieces(link, lower, is_shortened);
}

std::pair<LayerList, bool> LinkConductivity::layers_of(Link const& link,
                                                       std::vector<Cell> const& sections) const {
  LayerList layers;
  bool is_cut = false;
  for (MediumLayer const& layer : *layers_) {
    Coverage const coverage = coverage_of(layer.where, link, sections);
    if (coverage == Coverage::none) continue;
    if (coverage == Coverage::all) {  // hides those below
      layers.clear();
      is_cut = false;
    }
    layers.push_back(&layer);
    is_cut = is_cut || coverage == Coverage::some;
  }
  return {std::move(layers), is_cut};
}

/// @param is_shortened  true if a fixed region at an end has shortened the link or has a film on it
std::optional<double> LinkConductivity::of_pieces(Link const& link, Index3 lower,
                                                  bool is_shortened) const {
  std::vector<Cell> const sections = sections_of(problem_->grid, link.axis, lower);
  auto const [layers, is_cut] = layers_of(link, sections);
  if (!is_cut && !is_shortened) return std::nullopt;
  // Insulation takes the place of the layers in a part of the face, not of their mean.
  bool const is_narrowed = insulates_ && is_cut && open_share(link.axis, lower) < 1.0;
  std::vector<Region const*> const shutting =
      is_narrowed ? shutting_regions_of(*problem_) : std::vector<Region const*>{};
  std::vector<Region const*> const without_contacts = regions_without_contacts();
  double sum = 0.0, area = 0.0, closed_sum = 0.0, closed_area = 0.0;
  bool ordinary = true;
  for (Cell const& face : faces_of(layers, sections, link.axis, shutting)) {
    CoveredLink covered(layers, link, face, contacts_, without_contacts);
    ordinary = ordinary && covered.is_ordinary();
    double const whole = volume_of(problem_->grid, face);
    double const part = is_narrowed ? whole * narrow(covered, *problem_, link, face) : whole;
    double const found = covered.conductivity();
    sum += part * found;
    area += part;
    closed_sum += whole * found;
    closed_area += whole;
  }
  // A sheet may shut a part of the link elsewhere than at the face.
  double const mean = area > 0.0 ? sum / area : closed_sum / closed_area;
  double const conductivity = problem_->diffusivity * mean;
  if (ordinary || !std::isfinite(conductivity)) return std::nullopt;
  return conductivity;
}

void LinkConductivity::add_contact_areas(int axis, Index3 lower, std::span<double> areas) const {
  double const open = open_share(axis, lower);
  if (layers_ == nullptr || open == 0.0) return;
  Grid const& grid = problem_->grid;
  Link link = make_link(grid, axis, lower);
  shorten_to_surface(link, lower);
  std::vector<Cell> const sections = sections_of(grid, axis, lower);
  auto const [layers, is_cut] = layers_of(link, sections);
  if (!is_cut) return;
  std::vector<Cell> const faces = faces_of(layers, sections, axis);
  std::vector<Region const*> const without_contacts = regions_without_contacts();
  double whole = 0.0;
  for (Cell const& face : faces) whole += volume_of(grid, face);
  double const area = open * face_area(grid, MediumUnits{}, axis, lower);
  for (Cell const& face : faces) {
    CoveredLink(layers, link, face, contacts_, without_contacts)
        .add_contact_areas(area * (volume_of(grid, face) / whole), areas);
  }
}

std::optional<double> LinkConductivity::conductance(MediumUnits const& units, int axis,
                                                    Index3 lower,
                                                    ValuesOfLink const& values) const {
  auto const conductivity = (*this)(axis, lower, values);
  if (!conductivity) return std::nullopt;
  return *conductivity * area_over_length(problem_->grid, units, axis, lower);
}

bool LinkConductivity::contain(std::vector<Range> const& ranges, std::int64_t x) {
  return std::ranges::any_of(
      ranges, [&](Range const& range) { return range.first <= x && x < range.last; });
}

std::vector<Region const*> LinkConductivity::regions_without_contacts() const {
  return insulates_ && !contacts_.empty() ? shutting_regions_of(*problem_)
                                          : std::vector<Region const*>{};
}

std::vector<Region const*> LinkConductivity::material_regions() const {
  std::vector<Region const*> regions;
  if (layers_ != nullptr) {
    for (MediumLayer const& layer : *layers_) {
      if (layer.where.contains) regions.push_back(&layer.where);
    }
  }
  return regions;
}

std::vector<LinkConductivity::Range> LinkConductivity::candidates(int axis, Index3 row) const {
  Grid const& grid = problem_->grid;
  // The last points of an axis have no link.
  if (axis != 0 && row[axis] >= grid.intervals(axis)) return {};
  std::vector<Range> ranges;
  // The link that closes the axis ends at the first point.
  if (axis == 0 && grid.periodic[0]) ranges.push_back({grid.points.x - 1, grid.points.x});
  std::vector<Cell> const tubes = tubes_of(grid, axis, row);
  for (Region const* region : material_regions()) append_region(*region, grid, tubes, ranges);
  for (Region const* region : shutting_regions_of(*problem_)) {
    append_region(*region, grid, with_volumes(tubes, axis), ranges);
  }
  for (int const number : surfaces_) {
    Region const& where = problem_->medium.fixed[static_cast<std::size_t>(number)].where;
    if (where.solid) {
      append_surface(*where.solid, grid, with_seam(tubes, grid, axis, row), ranges);
    } else {
      append_changes(where, grid, axis, row, ranges);
    }
  }
  return joined(std::move(ranges));
}

std::vector<double> contact_areas(Problem const& problem) {
  Grid const& grid = problem.grid;
  Extent3 const n = grid.points;
  std::size_t count = 0;
  for (Contact const& contact : problem.medium.contacts) {
    count = std::max(count, static_cast<std::size_t>(contact.table) + 1);
  }
  LinkConductivity const links(problem);
  std::vector<double> rows(static_cast<std::size_t>(n.y * n.z) * count);
  for_each_row({{0, 0, 0}, {n.x, n.y, n.z}}, [&](std::int64_t j, std::int64_t k) {
    std::span<double> const row =
        std::span(rows).subspan(static_cast<std::size_t>(j + n.y * k) * count, count);
    for (int axis = 0; axis < grid.dimension; ++axis) {
      if (grid.points[axis] == 1) continue;
      for (auto const& range : links.candidates(axis, {0, j, k})) {
        for (std::int64_t i = range.first; i < range.last; ++i) {
          if (axis != 0 || i < grid.intervals(0)) links.add_contact_areas(axis, {i, j, k}, row);
        }
      }
    }
  });
  std::vector<double> areas(count);
  for (std::size_t at = 0; at < rows.size(); ++at) areas[at % count] += rows[at];
  return areas;
}

std::optional<LinkConductivity> link_conductivity(Problem const& problem) {
  Medium const& medium = problem.medium;
  bool const has_pieces = medium.layers && (medium.layers->size() > 1 ||
                                            std::ranges::any_of(medium.fixed, has_surface));
  if (!has_pieces && !has_open_shares(problem)) return std::nullopt;
  return LinkConductivity(problem);
}

double conductance_of_link(Problem const& problem, MediumUnits const& units, int axis, Index3 lower,
                           ValuesOfLink const& values) {
  return conductance_of_link(problem, units, link_conductivity(problem), axis, lower, values);
}

double conductance_of_link(Problem const& problem, MediumUnits const& units,
                           std::optional<LinkConductivity> const& links, int axis, Index3 lower,
                           ValuesOfLink const& values) {
  return conductance_with(links ? &*links : nullptr, problem, units, axis, lower, values);
}

void find_conductances(Problem const& problem, MediumUnits const& units,
                       std::optional<LinkConductivity> const& links, int axis, Index3 first,
                       std::span<double> conductances) {
  std::vector<LinkConductivity::Range> ranges;
  if (links) ranges = links->candidates(axis, first);
  for (double& conductance : conductances) {
    bool const may_be_cut = LinkConductivity::contain(ranges, first.x);
    conductance = conductance_with(may_be_cut ? &*links : nullptr, problem, units, axis, first);
    ++first.x;
  }
}

}  // namespace isotherm
