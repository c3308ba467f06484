#include "solver/discretise/shapes/covered_link.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "solver/discretise/evaluate.hpp"

namespace isotherm {

namespace {

/// Layers from this number on do not divide the face any more.
constexpr std::size_t max_independent = 3;

/// A gap between two layers is none below this fraction of a link, if they have a contact.
constexpr double narrow_gap = 1e-6;

/// Returns the halves of a link whose ends are inside.
std::vector<Interval> halves_inside(Region const& region, Link const& link) {
  bool const lower = contains(region, link.lower_point);
  bool const upper = contains(region, link.upper_point);
  double const middle = link.along.middle();
  if (!lower && !upper) return {};
  return {{lower ? link.along.lower : middle, upper ? link.along.upper : middle}};
}

/// Returns the share of a face that a region covers all along a link; none if it differs from end
/// to end, so the surface does not run along the link.
std::optional<double> share_along(Region const& region, Link const& link, Cell face) {
  constexpr double tolerance = 1e-3;
  auto const share_at = [&](double at) {
    face[link.axis] = {at, at};
    return covered_share(*link.grid, region, face, link.place(at));
  };
  // The ends first: they differ most, and neighbouring links share them.
  double const at_lower = share_at(link.along.lower), at_upper = share_at(link.along.upper);
  if (std::abs(at_upper - at_lower) > tolerance) return std::nullopt;
  double const middle = share_at(link.along.middle());
  auto const [minimum, maximum] = std::minmax({at_lower, middle, at_upper});
  if (maximum - minimum > tolerance) return std::nullopt;
  return middle;
}

/// Returns the part of a link that a box, or a cylinder along the link, covers.
Cover cover_of_straight(Solid const& solid, Link const& link, Cell face) {
  Interval const part = link.trimmed(solid.between[link.axis]);
  if (part.empty()) return {};
  face[link.axis] = {part.middle(), part.middle()};
  // Boxes have divided the face, so it is inside or outside as its middle is.
  double const share =
      solid.is_box()
          ? (solid.chord(link.axis, {face[0].middle(), face[1].middle(), face[2].middle()}).empty()
                 ? 0.0
                 : 1.0)
          : solid.share(face);
  if (share == 0.0) return {};
  return {{part}, share};
}

/// Returns the part of a link that a layer covers, in a part of the link's face.
Cover cover_of(Region const& region, Link const& link, Cell const& face) {
  if (region.at_points) return {halves_inside(region, link)};
  std::vector<Interval> parts;
  if (region.solid) {
    if (!region.solid->round[link.axis]) return cover_of_straight(*region.solid, link, face);
    Interval const part = link.trimmed(region.solid->chord(link.axis, link.lower_point));
    if (!part.empty()) parts.push_back(part);
  } else {
    for (Interval const part : parts_inside(region, link.axis, link.lower_point, link.along)) {
      if (!link.trimmed(part).empty()) parts.push_back(link.trimmed(part));
    }
  }
  // On the line, the link is inside or outside. The surface may still cut its face.
  bool const whole = parts.size() == 1 && link.is_whole(parts.front());
  if (!parts.empty() && !whole) return {std::move(parts)};
  auto const share = share_along(region, link, face);
  if (!share || *share == 0.0 || *share == 1.0) return {std::move(parts)};
  return {{link.along}, *share};
}

/// Returns `all` or `none` only if that is certain for the link and its whole face.
Coverage coverage_of(Solid const& solid, Link const& link, std::vector<Cell> const& sections) {
  double const margin = link_slack * link.length();
  bool all = true, none = true;
  for (Cell const& section : sections) {
    Interval const some = solid.some_chord(link.axis, section);
    none = none && (some.empty() || some.upper < link.along.lower - margin ||
                    some.lower > link.along.upper + margin);
    if (none) {
      all = false;
      continue;
    }
    Interval const every = solid.every_chord(link.axis, section);
    all = all && every.lower < link.along.lower - margin && every.upper > link.along.upper + margin;
  }
  return none ? Coverage::none : all ? Coverage::all : Coverage::some;
}

/// Returns how much of a link and its face an expression covers, if blocks of the grid show it.
/// A block may be wider than what the link occupies, so that is examined, too.
std::optional<Coverage> certain_coverage(Region const& region, Link const& link,
                                         std::vector<Cell> const& sections) {
  // A region that begins at an end of the link matters: a contact may lie there.
  double const margin = 2.0 * link_slack * link.length();
  std::optional<Coverage> coverage;
  for (Cell box : sections) {
    box[link.axis] = {link.along.lower - margin, link.along.upper + margin};
    Certainty const known = region.blocks ? region.blocks->within(box) : Certainty::unknown;
    if (known == Certainty::unknown) return std::nullopt;
    Coverage const here = known == Certainty::inside ? Coverage::all : Coverage::none;
    if (coverage && *coverage != here) return std::nullopt;
    coverage = here;
  }
  return coverage;
}

/// Returns the coordinate at which a line from outside enters the region that contains the link's
/// upper (or lower) end; that end if its surface goes through the point.
double surface_on(Region const& region, Link const& link, bool upper_is_inside) {
  double const end = upper_is_inside ? link.along.upper : link.along.lower;
  if (region.at_points) return end;
  std::vector<Interval> parts;
  if (region.solid) {
    // Points within the slack of a surface are inside, too.
    Cell line;
    for (int other = 0; other < 3; ++other) {
      double const margin = link_slack * link.length();
      line[other] = {link.lower_point[other] - margin, link.lower_point[other] + margin};
    }
    parts = {region.solid->some_chord(link.axis, line)};
  } else {
    parts = parts_inside(region, link.axis, link.lower_point, link.along);
  }
  for (Interval const& part : parts) {
    Interval const inside = link.trimmed(part);
    if (inside.empty() || (upper_is_inside ? inside.upper : inside.lower) != end) continue;
    return upper_is_inside ? inside.lower : inside.upper;
  }
  return end;
}

/// Returns the part of a cube that lies in the grid. Along axes of one point it has no length.
/// @param center  of the cube
Cell cube_in(Grid const& grid, PerAxis<double> const& center, double width) {
  constexpr double inset = 1e-6;  // a region may end at a face of the grid
  Cell const whole = extent_of(grid);
  Cell cube;
  for (int axis = 0; axis < 3; ++axis) {
    bool const exists = axis < grid.dimension && grid.points[axis] > 1;
    double const half = exists ? 0.5 * width : 0.0, margin = inset * width;
    cube[axis] = {center[axis] - half, center[axis] + half};
    if (!exists) continue;
    cube[axis].lower = std::max(cube[axis].lower, whole[axis].lower + margin);
    cube[axis].upper = std::min(cube[axis].upper, whole[axis].upper - margin);
  }
  return cube;
}

/// Returns the area of a side of a cell that a region covers.
/// @param at  coordinate of the side
double area_of_side(Region const& region, Cell cell, int axis, double at) {
  cell[axis] = {at, at};
  return volume_of(cell) * covered_share(region, cell, middle_of(cell));
}

}  // namespace

Interval Link::trimmed(Interval part) const {
  part = intersection(part, along);
  double const margin = link_slack * length();
  if (part.lower < along.lower + margin) part.lower = along.lower;
  if (part.upper > along.upper - margin) part.upper = along.upper;
  // A piece that ends at a point may come from the slack of the point.
  bool const is_inside = part.lower > along.lower && part.upper < along.upper;
  if (part.length() <= (is_inside ? rounding() : margin)) return {1.0, 0.0};
  return part;
}

double Link::rounding() const {
  constexpr double units = 16.0 * std::numeric_limits<double>::epsilon();
  return units * std::max(std::abs(grid->lower[axis]), std::abs(grid->upper(axis)));
}

double Link::resisting_length(double from, double to) const {
  if (geometry == Geometry::cartesian) return to - from;
  bool const is_cylinder = geometry == Geometry::axisymmetric;
  double const inner = along.lower, outer = along.upper;
  if (from_centre) {
    double const middle = along.middle();
    if (!begins_at_surface()) return (to - from) * (0.5 * (to + from)) / middle;
    return is_cylinder ? middle * std::log1p((to - from) / from)
                       : (to - from) * (middle * middle) / (from * to);
  }
  return is_cylinder ? length() * std::log1p((to - from) / from) / std::log1p(length() / inner)
                     : (to - from) * (inner * outer) / (from * to);
}

double Link::resistance_factor(double at) const {
  if (geometry == Geometry::cartesian) return 1.0;
  bool const is_cylinder = geometry == Geometry::axisymmetric;
  double const inner = along.lower, outer = along.upper;
  if (from_centre) {
    double const ratio = along.middle() / at;
    // Heat from the volume between the face in the middle and the surface has not passed the face.
    if (ratio < 1.0 && !begins_at_surface()) return 1.0 / ratio;
    return is_cylinder ? ratio : ratio * ratio;
  }
  return is_cylinder ? length() / (at * std::log1p(length() / inner)) : inner * outer / (at * at);
}

Link make_link(Grid const& grid, int axis, Index3 lower) {
  Index3 upper = lower;
  upper[axis] = grid.on_axis(axis, lower[axis] + 1);
  auto const from = coordinates(grid, lower), to = coordinates(grid, upper);
  double const begin = from[static_cast<std::size_t>(axis)];
  double const end = grid.coordinate(axis, lower[axis] + 1);
  Link link{axis, {begin, end}, {from}, {to}, {begin, end}};
  link.grid = &grid;
  if (grid.is_radial(axis)) {
    link.geometry = grid.geometry;
    link.from_centre = grid.lower[axis] == 0.0;
  }
  return link;
}

/// Returns the faces through which the links along an axis of a row of points lead: cells that have
/// no length along the axis. There are several at the ends of periodic axes.
std::vector<Cell> sections_of(Grid const& grid, int axis, Index3 global) {
  std::vector<Cell> sections;
  global[axis] = 1;  // its volume has one part, whatever that is
  for_each_part(grid, global, [&](Cell section) {
    section[axis] = {};
    sections.push_back(section);
  });
  return sections;
}

void shorten(Link& link, FixedRegion const& region, bool upper_is_fixed) {
  constexpr double shortest = 1e-3;  // of the length: bounds the ratio of conductances
  double const at = surface_on(region.where, link, upper_is_fixed);
  double const least = shortest * link.length();
  if (upper_is_fixed) link.conducting.upper = std::max(at, link.along.lower + least);
  if (!upper_is_fixed) link.conducting.lower = std::min(at, link.along.upper - least);
  if (!region.film_coefficient) return;
  double const normal =
      normal_component(region.where, *link.grid, link.axis, link.place(at), link.length());
  link.film_resistance = link.resistance_factor(at) / (*region.film_coefficient * normal);
}

// The normal of an expression follows from Gauss's theorem: the vector of the areas by which the
// region covers opposite sides of a cell differ is the area vector of the surface inside it.
double normal_component(Region const& region, Grid const& grid, int axis,
                        PerAxis<double> const& place, double width) {
  if (region.at_points) return 1.0;
  PerAxis<double> normal{};
  if (region.solid) {
    Solid const& solid = *region.solid;
    if (!solid.round[axis]) return 1.0;
    // A link crosses the round surface; elsewhere on its line the solid has no end.
    for (int other = 0; other < 3; ++other) {
      normal[other] = solid.round[other] ? place[other] - solid.center[other] : 0.0;
    }
  } else {
    Cell const cube = cube_in(grid, place, width);
    for (int other = 0; other < 3; ++other) {
      if (!(cube[other].length() > 0.0)) continue;
      normal[other] = area_of_side(region, cube, other, cube[other].upper) -
                      area_of_side(region, cube, other, cube[other].lower);
    }
  }
  double const length = std::hypot(normal[0], normal[1], normal[2]);
  return length > 0.0 ? std::max(std::abs(normal[axis]) / length, minimum_normal) : 1.0;
}

std::optional<Interval> flat_sheet_between(Region const& region, Link const& link) {
  if (region.solid || region.at_points) return std::nullopt;
  auto const parts = parts_inside(region, link.axis, link.lower_point, link.along);
  if (parts.size() != 1) return std::nullopt;
  Interval const sheet = parts.front();
  if (!(sheet.lower > link.along.lower && sheet.upper < link.along.upper)) return std::nullopt;
  constexpr double nearly_one = 1.0 - 1e-6;
  double const width = 0.5 * sheet.length();
  for (double const at : {sheet.lower, sheet.upper}) {
    double const normal = normal_component(region, *link.grid, link.axis, link.place(at), width);
    if (normal < nearly_one) return std::nullopt;
  }
  return sheet;
}

Coverage coverage_of(Region const& region, Link const& link, std::vector<Cell> const& sections) {
  if (!region.contains) return Coverage::all;
  // The upper point of a link that closes a periodic axis lies at the axis's lower end.
  if (link.upper_point[link.axis] != link.along.upper &&
      contains(region, link.upper_point) != contains(region, link.place(link.along.upper))) {
    return Coverage::some;
  }
  if (region.solid) return coverage_of(*region.solid, link, sections);
  if (region.at_points) {
    bool const lower = contains(region, link.lower_point);
    if (lower != contains(region, link.upper_point)) return Coverage::some;
    return lower ? Coverage::all : Coverage::none;
  }
  if (auto const certain = certain_coverage(region, link, sections)) return *certain;
  if (region.blocks) return Coverage::some;
  bool const inside = contains(region, link.place(link.along.middle()));
  for (double const at : {link.along.lower, link.along.upper}) {
    if (contains(region, link.place(at)) != inside) return Coverage::some;
  }
  // The edges of the face show whether a surface runs along the link.
  for (Cell const& section : sections) {
    for (int axis = 0; axis < 3; ++axis) {
      if (axis == link.axis || !(section[axis].length() > 0.0)) continue;
      for (double const at : {section[axis].lower, section[axis].upper}) {
        PerAxis<double> place = link.place(link.along.middle());
        place[axis] = at;
        if (contains(region, place) != inside) return Coverage::some;
      }
    }
  }
  return inside ? Coverage::all : Coverage::none;
}

CoveredLink::CoveredLink(LayerList const& layers, Link const& link, Cell const& face,
                         std::vector<Contact> const& contacts,
                         std::vector<Region const*> const& shutting)
    : layers_(layers),
      link_(link),
      face_(face),
      contacts_(contacts),
      shutting_(shutting),
      covers_(layers.size()) {
  covers_[0].parts.push_back(link.along);
  for (std::size_t i = 1; i < layers.size(); ++i) {
    covers_[i] = cover_of(layers[i]->where, link, face);
    if (covers_[i].share < 1.0) partial_.push_back(i);
  }
}

std::vector<Region const*> CoveredLink::partial_regions() const {
  std::vector<Region const*> regions;
  for (std::size_t const layer : partial_) {
    if (regions.size() < max_independent) regions.push_back(&layers_[layer]->where);
  }
  return regions;
}

template <class Visit>
void CoveredLink::for_each_part(Visit const& visit) const {
  std::size_t const open = std::min(partial_.size(), max_independent);
  for (unsigned chosen = 0; chosen < (1U << open); ++chosen) {
    std::vector<bool> hidden(layers_.size(), false);
    double fraction = 1.0;
    for (std::size_t i = 0; i < partial_.size(); ++i) {
      double const share = covers_[partial_[i]].share;
      bool const inside = i < open ? ((chosen >> i) & 1U) != 0 : share > 0.5;
      hidden[partial_[i]] = !inside;
      if (i < open) fraction *= inside ? share : 1.0 - share;
    }
    visit(hidden, fractions_.empty() ? fraction : fractions_[chosen]);
  }
}

double CoveredLink::conductivity() const {
  double sum = 0.0;
  for_each_part([&](std::vector<bool> const& hidden, double fraction) {
    sum += fraction * in_series(hidden);
  });
  return sum;
}

template <class Visit>
void CoveredLink::for_each_surface(std::vector<double> const& ends, std::vector<bool> const& hidden,
                                   Visit const& visit) const {
  std::size_t const first = top_between(ends[0], ends[1], hidden);
  std::size_t before = first;
  for (std::size_t i = 1; i + 1 < ends.size(); ++i) {
    std::size_t const layer = top_between(ends[i], ends[i + 1], hidden);
    if (layer != before) visit(before, layer, ends[i]);
    before = layer;
  }
  // A point on a surface lies on one side of it for all of its links. The surface then belongs to
  // the links that leave to the other side. But nothing crosses a surface along the whole link.
  if (runs_along(ends, first, hidden)) return;
  auto const at_end = [&](bool is_fixed, PerAxis<double> const& point, std::size_t piece,
                          double at) {
    if (is_fixed) return;
    std::size_t const layer = top_at(point);
    if (layer != piece) visit(layer, piece, at);
  };
  at_end(link_.lower_is_fixed, link_.lower_point, first, link_.along.lower);
  at_end(link_.upper_is_fixed, link_.upper_point, before, link_.along.upper);
}

void CoveredLink::add_contact_areas(double face_area, std::span<double> areas) const {
  for_each_part([&](std::vector<bool> const& hidden, double fraction) {
    auto const add = [&](std::size_t below, std::size_t above, double at) {
      Contact const* const contact = acting_contact(below, above, at);
      if (contact == nullptr || goes_on_beyond(above, at, hidden)) return;
      // A surface along the link separates a part of its face from the points, but is not crossed.
      double const normal = normal_between(below, above, at);
      if (!(normal > minimum_normal)) return;
      areas[static_cast<std::size_t>(contact->table)] +=
          face_area * fraction * normal * link_.grid->metric(link_.axis, at);
    };
    for_each_surface(ends_of_pieces(hidden), hidden, add);
  });
}

bool CoveredLink::is_ordinary() const {
  if (!partial_.empty() || link_.conducting != link_.along || link_.film_resistance > 0.0) {
    return false;
  }
  std::vector<bool> const none(layers_.size(), false);
  std::vector<double> const ends = ends_of_pieces(none);
  // The halves of a radial link resist unequally.
  if (ends.size() > (link_.geometry == Geometry::cartesian ? 3U : 2U)) return false;
  double const middle = link_.along.middle();
  if (ends.size() == 3 && std::abs(ends[1] - middle) > link_slack * link_.length()) return false;
  std::size_t const first = top_between(ends[0], ends[1], none);
  std::size_t const last = top_between(ends[ends.size() - 2], ends.back(), none);
  bool has_contact = false;
  for_each_surface(ends, none, [&](std::size_t below, std::size_t above, double at) {
    has_contact = has_contact || acting_contact(below, above, at) != nullptr;
  });
  if (has_contact) return false;
  return first == top_at(link_.lower_point) && last == top_at(link_.upper_point);
}

/// Returns the length up to which a piece between two ends is none: it comes from the rounding of
/// both, or is a narrow gap between layers that have a contact. The two ends of one layer are those
/// of a thin layer, or of a thin gap in it.
double CoveredLink::thinnest_between(End const& below, End const& above) const {
  if (below.layer == above.layer) return link_.rounding();
  bool const is_gap = below.is_upper && !above.is_upper;
  if (is_gap && contact_between(below.layer, above.layer) != nullptr) {
    return narrow_gap * link_.length();
  }
  return std::max(below.accuracy, above.accuracy);
}

/// Returns the ends of all parts within the conducting part of the link, and those of it, in
/// ascending order.
std::vector<CoveredLink::End> CoveredLink::ends_of_parts(std::vector<bool> const& hidden) const {
  Interval const all = link_.conducting;
  double const exact = link_.rounding();
  // Complements include the slack of points. The vertices of a body in a file may have 24 bits.
  double const of_surface = 1e-8 * link_.length(), of_expression = narrow_gap * link_.length();
  std::vector<End> ends{{all.lower, 0, false, link_.begins_at_surface() ? of_surface : exact}};
  for (std::size_t i = 1; i < covers_.size(); ++i) {
    if (hidden[i]) continue;
    double const accuracy = layers_[i]->where.solid ? exact : of_expression;
    for (Interval const& part : covers_[i].parts) {
      for (bool const is_upper : {false, true}) {
        double const at = is_upper ? part.upper : part.lower;
        if (all.contains(at)) ends.push_back({at, i, is_upper, accuracy});
      }
    }
  }
  bool const is_shortened = all.upper < link_.along.upper;
  ends.push_back({all.upper, 0, true, is_shortened ? of_surface : exact});
  std::ranges::stable_sort(ends, {}, &End::at);
  return ends;
}

/// Returns the ends of all pieces, those of the link included, in ascending order.
std::vector<double> CoveredLink::ends_of_pieces(std::vector<bool> const& hidden) const {
  std::vector<End> const all = ends_of_parts(hidden);
  std::vector<double> ends{all.front().at};
  for (std::size_t i = 1; i < all.size(); ++i) {
    if (all[i].at - ends.back() > thinnest_between(all[i - 1], all[i])) ends.push_back(all[i].at);
  }
  ends.back() = all.back().at;
  return ends;
}

/// Returns the layer that shows in a piece.
std::size_t CoveredLink::top_between(double from, double to,
                                     std::vector<bool> const& hidden) const {
  double const middle = 0.5 * from + 0.5 * to;
  std::size_t layer = covers_.size() - 1;
  for (; layer > 0; --layer) {
    if (hidden[layer]) continue;
    auto const covers = [&](Interval const& part) { return part.contains(middle); };
    if (std::ranges::any_of(covers_[layer].parts, covers)) break;
  }
  return layer;
}

/// Returns the layer that shows at a point.
std::size_t CoveredLink::top_at(PerAxis<double> const& point) const {
  std::size_t layer = layers_.size() - 1;
  while (layer > 0 && !contains(layers_[layer]->where, point)) --layer;
  return layer;
}

/// True if `at` is an end of the link, beyond which this part of its face shows the same layer. A
/// surface then separates it from the point alone.
bool CoveredLink::goes_on_beyond(std::size_t layer, double at,
                                 std::vector<bool> const& hidden) const {
  bool const is_lower = at == link_.along.lower, is_upper = at == link_.along.upper;
  if (!is_lower && !is_upper) return false;
  return top_at_end(is_lower ? link_.lower_point : link_.upper_point, at, hidden) == layer;
}

/// True if this part of the face shows one layer from end to end and beyond, while both points lie
/// in another: their surface runs along the link.
bool CoveredLink::runs_along(std::vector<double> const& ends, std::size_t layer,
                             std::vector<bool> const& hidden) const {
  for (std::size_t i = 1; i + 1 < ends.size(); ++i) {
    if (top_between(ends[i], ends[i + 1], hidden) != layer) return false;
  }
  return top_at(link_.lower_point) == top_at(link_.upper_point) &&
         goes_on_beyond(layer, link_.along.lower, hidden) &&
         goes_on_beyond(layer, link_.along.upper, hidden);
}

/// Returns the layer that shows at an end of the link in this part of its face. Boxes divide the
/// face, so they are sought in the middle of the part instead of at the point.
std::size_t CoveredLink::top_at_end(PerAxis<double> const& point, double at,
                                    std::vector<bool> const& hidden) const {
  PerAxis<double> middle = point;
  for (int axis = 0; axis < 3; ++axis) {
    if (axis != link_.axis && face_[axis].length() > 0.0) middle[axis] = face_[axis].middle();
  }
  auto const shows = [&](std::size_t layer) {
    Cover const& cover = covers_[layer];
    if (hidden[layer]) return false;
    if (cover.share < 1.0) {
      return std::ranges::any_of(cover.parts, [&](Interval part) { return part.contains(at); });
    }
    Region const& where = layers_[layer]->where;
    return contains(where, where.solid && where.solid->is_box() ? middle : point);
  };
  std::size_t layer = layers_.size() - 1;
  while (layer > 0 && !shows(layer)) --layer;
  return layer;
}

/// Returns the conductivity of a layer at a place of the link. If it is known at points only, it
/// is that of the end of the link that shows the layer, or of the nearer one.
double CoveredLink::value(std::size_t layer, double at) const {
  MediumLayer const& medium_layer = *layers_[layer];
  PerAxis<double> place = link_.place(at);
  if (medium_layer.at_points) {
    bool const lower = top_at(link_.lower_point) == layer;
    bool const upper = top_at(link_.upper_point) == layer;
    bool const is_nearer = at < link_.along.middle();
    place = (lower == upper ? is_nearer : lower) ? link_.lower_point : link_.upper_point;
  }
  return mean_between(medium_layer.values[link_.axis], place, link_.values);
}

/// Returns the contact between two layers; null without one.
Contact const* CoveredLink::contact_between(std::size_t below, std::size_t above) const {
  auto const found = std::ranges::find_if(contacts_, [&](Contact const& contact) {
    return contact.joins(layers_[below], layers_[above]);
  });
  return found == contacts_.end() ? nullptr : &*found;
}

CoveredLink::Sides CoveredLink::sides_of(std::size_t below, std::size_t above,
                                         PerAxis<double> place) const {
  constexpr double step = 4.0 * narrow_gap;  // surfaces of expressions are that accurate
  double const at = place[link_.axis];
  place[link_.axis] = at - step * link_.length();
  PerAxis<double> const before = place;
  place[link_.axis] = at + step * link_.length();
  if (std::minmax(top_at(before), top_at(place)) != std::minmax(below, above)) return Sides::others;
  bool const is_shut = std::ranges::any_of(shutting_, [&](Region const* region) {
    return contains(*region, before) || contains(*region, place);
  });
  return is_shut ? Sides::shut : Sides::open;
}

/// True if a region shuts one side of the surface between two layers on all lines through the face
/// that cross it, so that no heat crosses the surface. If no line crosses it, true if a region
/// contains the point that it separates from the face.
bool CoveredLink::is_shut(std::size_t below, std::size_t above, double at) const {
  if (shutting_.empty()) return false;
  Sides sides = sides_of(below, above, link_.place(at));
  bool is_any_shut = sides == Sides::shut, is_any_open = sides == Sides::open;
  auto const examine = [&](Region const& region, PerAxis<double> place) {
    if (!region.contains || region.at_points) return;
    for (Interval const& part : parts_of(region, link_.axis, place, link_.along)) {
      for (double const end : {part.lower, part.upper}) {
        place[link_.axis] = end;
        sides = sides_of(below, above, place);
        is_any_shut = is_any_shut || sides == Sides::shut;
        is_any_open = is_any_open || sides == Sides::open;
      }
    }
  };
  // The lines through the middle of the face's part, and near its edges and corners.
  constexpr int places = 3, all = places * places;
  constexpr double inset = 1e-3;
  for (int number = 0; number < all && !is_any_open; ++number) {
    PerAxis<double> place = link_.place(at);
    for (int other = 0, digits = number; other < 3; ++other) {
      if (other == link_.axis) continue;
      Interval const side = face_[other];
      double const share = std::clamp(0.5 * (digits % places), inset, 1.0 - inset);
      if (side.length() > 0.0) place[other] = side.lower + share * side.length();
      digits /= places;
    }
    examine(layers_[below]->where, place);
    examine(layers_[above]->where, place);
  }
  if (is_any_shut || is_any_open) return !is_any_open;
  // A surface along the link separates this part of the face from a point.
  auto const contains_end = [&](Region const* region) {
    return (at == link_.along.lower && contains(*region, link_.lower_point)) ||
           (at == link_.along.upper && contains(*region, link_.upper_point));
  };
  return std::ranges::any_of(shutting_, contains_end);
}

/// Returns the contact on the surface between two layers; null without one, or if a region shuts
/// one of its sides.
Contact const* CoveredLink::acting_contact(std::size_t below, std::size_t above, double at) const {
  Contact const* const contact = contact_between(below, above);
  return contact == nullptr || is_shut(below, above, at) ? nullptr : contact;
}

/// Returns |n| of the surface between two layers, which is that of the layer on top.
double CoveredLink::normal_between(std::size_t below, std::size_t above, double at) const {
  return normal_component(layers_[std::max(below, above)]->where, *link_.grid, link_.axis,
                          link_.place(at), link_.length());
}

/// Returns the resistance per area, divided by |n|, of the surface between two layers; 0 without a
/// contact.
double CoveredLink::contact_resistance(std::size_t below, std::size_t above, double at) const {
  Contact const* const contact = acting_contact(below, above, at);
  if (contact == nullptr) return 0.0;
  return contact->resistance * link_.resistance_factor(at) / normal_between(below, above, at);
}

/// Returns h / Σ (ℓ / κ), with the mean of 1 / κ at both ends of each piece, and with the
/// resistances of the surfaces that the link crosses.
double CoveredLink::in_series(std::vector<bool> const& hidden) const {
  std::vector<double> const ends = ends_of_pieces(hidden);
  double resistance = link_.film_resistance;
  for (std::size_t i = 0; i + 1 < ends.size(); ++i) {
    std::size_t const layer = top_between(ends[i], ends[i + 1], hidden);
    double const at_lower = 1.0 / value(layer, ends[i]);
    double const at_upper = 1.0 / value(layer, ends[i + 1]);
    // NaN and negative values must not cancel each other.
    if (!(at_lower > 0.0 && at_upper > 0.0)) return std::nan("");
    resistance += link_.resisting_length(ends[i], ends[i + 1]) * 0.5 * (at_lower + at_upper);
  }
  if (!contacts_.empty()) {
    for_each_surface(ends, hidden, [&](std::size_t below, std::size_t above, double at) {
      resistance += contact_resistance(below, above, at);
    });
  }
  return link_.length() / resistance;
}

}  // namespace isotherm
