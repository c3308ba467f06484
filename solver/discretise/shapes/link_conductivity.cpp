#include "solver/discretise/shapes/link_conductivity.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>

#include "kernels/conduction/face_conductances.hpp"
#include "solver/discretise/evaluate.hpp"
#include "solver/discretise/shapes/cell.hpp"

namespace isotherm {

namespace {

/// Pieces shorter than this share of a link do not exist.
constexpr double slack = 1e-9;

/// A link between two neighbouring points.
struct Link {
  int axis;
  Interval along;  ///< the coordinates of both points
  PerAxis<double>
      lower_point;  ///< the coordinates of the points, as functions see them: a link that
  PerAxis<double> upper_point;  ///< closes a periodic axis ends at the axis's first point

  [[nodiscard]] double length() const { return along.length(); }
  /// Returns a place on the line through both points.
  [[nodiscard]] PerAxis<double> place(double at) const {
    PerAxis<double> place = lower_point;
    place[axis] = at;
    return place;
  }
  /// Returns a part without ends that are shorter than the slack; empty if nothing remains.
  [[nodiscard]] Interval trimmed(Interval part) const {
    part = intersection(part, along);
    double const margin = slack * length();
    if (part.lower < along.lower + margin) part.lower = along.lower;
    if (part.upper > along.upper - margin) part.upper = along.upper;
    if (part.length() <= margin) return {1.0, 0.0};
    return part;
  }
  [[nodiscard]] bool is_whole(Interval part) const { return part == along; }
};

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

/// How much of a link a layer covers: parts of its length, in a share of its face.
struct Cover {
  std::vector<Interval> parts{};
  double share = 1.0;
};

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
  std::array<double, 3> shares{};
  std::array const places{link.along.lower, link.along.middle(), link.along.upper};
  for (std::size_t i = 0; i < places.size(); ++i) {
    face[link.axis] = {places[i], places[i]};
    shares[i] = covered_share(region, face, link.place(places[i]));
  }
  auto const [minimum, maximum] = std::minmax_element(shares.begin(), shares.end());
  if (*maximum - *minimum > tolerance) return std::nullopt;
  return shares[1];
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

/// What is known of a layer without examining a link closely.
enum class Coverage { none, all, some };

/// Returns `all` or `none` only if that is certain for the link and its whole face.
Coverage coverage_of(Solid const& solid, Link const& link, std::vector<Cell> const& sections) {
  double const margin = slack * link.length();
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

Coverage coverage_of(Region const& region, Link const& link, std::vector<Cell> const& sections) {
  if (!region.contains) return Coverage::all;
  if (region.solid) return coverage_of(*region.solid, link, sections);
  if (region.at_points) {
    bool const lower = contains(region, link.lower_point);
    if (lower != contains(region, link.upper_point)) return Coverage::some;
    return lower ? Coverage::all : Coverage::none;
  }
  bool const inside = contains(region, link.place(link.along.middle()));
  for (double const at : {link.along.lower, link.along.upper}) {
    if (contains(region, link.place(at)) != inside) return Coverage::some;
  }
  // The edges of the face tell whether a surface runs along the link.
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

/// Layers in their order, without those that do not matter. The first one covers everything.
using LayerList = std::vector<MediumLayer const*>;

/// The layers of a link with their covers in one part of its face.
class CoveredLink {
 public:
  CoveredLink(LayerList const& layers, Link const& link, Cell const& face)
      : layers_(layers), link_(link), covers_(layers.size()) {
    covers_[0].parts.push_back(link.along);
    for (std::size_t i = 1; i < layers.size(); ++i) {
      covers_[i] = cover_of(layers[i]->where, link, face);
      if (covers_[i].share < 1.0) partial_.push_back(i);
    }
  }

  /// Returns Σ over the parts of the face of (its fraction) · h / Σ (ℓ / κ).
  ///
  /// Layers that cover a part of the face are inside in one part and outside in the other. Several
  /// such layers are treated as independent; from the fourth on they count as what covers more than
  /// half.
  [[nodiscard]] double conductivity() const {
    std::size_t const open = std::min<std::size_t>(partial_.size(), 3);
    double sum = 0.0;
    for (unsigned chosen = 0; chosen < (1U << open); ++chosen) {
      std::vector<bool> hidden(layers_.size(), false);
      double fraction = 1.0;
      for (std::size_t i = 0; i < partial_.size(); ++i) {
        double const share = covers_[partial_[i]].share;
        bool const inside = i < open ? ((chosen >> i) & 1U) != 0 : share > 0.5;
        hidden[partial_[i]] = !inside;
        if (i < open) fraction *= inside ? share : 1.0 - share;
      }
      sum += fraction * in_series(hidden);
    }
    return sum;
  }

  /// True if the harmonic mean of the values at both points is the conductivity: nothing cuts the
  /// face, and the link is whole or cut in the middle, each half belonging to its point.
  [[nodiscard]] bool is_ordinary() const {
    if (!partial_.empty()) return false;
    std::vector<bool> const none(layers_.size(), false);
    std::vector<double> const ends = ends_of_pieces(none);
    if (ends.size() > 3) return false;
    double const middle = link_.along.middle();
    if (ends.size() == 3 && std::abs(ends[1] - middle) > slack * link_.length()) return false;
    return top_between(ends[0], ends[1], none) == top_at(link_.lower_point) &&
           top_between(ends[ends.size() - 2], ends.back(), none) == top_at(link_.upper_point);
  }

 private:
  /// Returns the ends of all pieces, those of the link included, in ascending order.
  [[nodiscard]] std::vector<double> ends_of_pieces(std::vector<bool> const& hidden) const {
    std::vector<double> ends{link_.along.lower, link_.along.upper};
    for (std::size_t i = 1; i < covers_.size(); ++i) {
      if (hidden[i]) continue;
      for (Interval const& part : covers_[i].parts) {
        ends.push_back(part.lower);
        ends.push_back(part.upper);
      }
    }
    std::ranges::sort(ends);
    auto const same = [&](double a, double b) { return b - a <= slack * link_.length(); };
    ends.erase(std::unique(ends.begin(), ends.end(), same), ends.end());
    ends.back() = link_.along.upper;
    return ends;
  }
  /// Returns the layer that shows in a piece.
  [[nodiscard]] std::size_t top_between(double from, double to,
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
  [[nodiscard]] std::size_t top_at(PerAxis<double> const& point) const {
    std::size_t layer = layers_.size() - 1;
    while (layer > 0 && !contains(layers_[layer]->where, point)) --layer;
    return layer;
  }
  /// Returns the conductivity of a layer at a place of the link. If it is known at points only, it
  /// is that of the end of the link that shows the layer, or of the nearer one.
  [[nodiscard]] double value(std::size_t layer, double at) const {
    MediumLayer const& medium_layer = *layers_[layer];
    PerAxis<double> place = link_.place(at);
    if (medium_layer.at_points) {
      bool const lower = top_at(link_.lower_point) == layer;
      bool const upper = top_at(link_.upper_point) == layer;
      bool const is_nearer = at < link_.along.middle();
      place = (lower == upper ? is_nearer : lower) ? link_.lower_point : link_.upper_point;
    }
    return medium_layer.values[link_.axis](place[0], place[1], place[2], 0.0);
  }
  /// Returns h / Σ (ℓ / κ), with the mean of 1 / κ at both ends of each piece.
  [[nodiscard]] double in_series(std::vector<bool> const& hidden) const {
    std::vector<double> const ends = ends_of_pieces(hidden);
    double resistance = 0.0;
    for (std::size_t i = 0; i + 1 < ends.size(); ++i) {
      std::size_t const layer = top_between(ends[i], ends[i + 1], hidden);
      double const at_lower = 1.0 / value(layer, ends[i]);
      double const at_upper = 1.0 / value(layer, ends[i + 1]);
      // NaN and negative values must not cancel each other.
      if (!(at_lower > 0.0 && at_upper > 0.0)) return std::nan("");
      resistance += (ends[i + 1] - ends[i]) * 0.5 * (at_lower + at_upper);
    }
    return link_.length() / resistance;
  }

  LayerList const& layers_;
  Link const& link_;
  std::vector<Cover> covers_;
  std::vector<std::size_t> partial_{};  ///< layers that cover a part of the face
};

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
  for (Cell& tube : tubes) {
    tube[axis] = {grid.coordinate(axis, row[axis]), grid.coordinate(axis, row[axis] + 1)};
  }
  return tubes;
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

/// Returns the conductance of a link. @param links  null if no surface can cut it
double conductance_with(LinkConductivity const* links, Problem const& problem,
                        MediumUnits const& units, int axis, Index3 lower) {
  Grid const& grid = problem.grid;
  double const factor = face_area(grid, units, axis, lower) * units.length /
                        (units.conductivity * grid.gap(axis, lower[axis]));
  if (links != nullptr) {
    if (auto const conductivity = (*links)(axis, lower)) return *conductivity * factor;
  }
  Index3 upper = lower;
  upper[axis] = grid.on_axis(axis, lower[axis] + 1);
  return conductance_between(conductivity_at(problem, axis, lower),
                             conductivity_at(problem, axis, upper), factor);
}

}  // namespace

LinkConductivity::LinkConductivity(Problem const& problem)
    : grid_(&problem.grid),
      layers_(problem.medium.layers.get()),
      diffusivity_(problem.diffusivity) {}

std::optional<double> LinkConductivity::operator()(int axis, Index3 lower) const {
  Index3 upper = lower;
  upper[axis] = grid_->on_axis(axis, lower[axis] + 1);
  auto const from = coordinates(*grid_, lower), to = coordinates(*grid_, upper);
  Link const link{axis,
                  {from[static_cast<std::size_t>(axis)], grid_->coordinate(axis, lower[axis] + 1)},
                  {from},
                  {to}};
  std::vector<Cell> const sections = sections_of(*grid_, axis, lower);
  LayerList layers;
  std::vector<Region const*> regions;
  bool cut = false;
  for (MediumLayer const& layer : *layers_) {
    Coverage const coverage = coverage_of(layer.where, link, sections);
    if (coverage == Coverage::none) continue;
    if (coverage == Coverage::all) {  // hides those below
      layers.clear();
      regions.clear();
      cut = false;
    }
    layers.push_back(&layer);
    regions.push_back(&layer.where);
    cut = cut || coverage == Coverage::some;
  }
  if (!cut) return std::nullopt;
  double sum = 0.0, area = 0.0;
  bool ordinary = true;
  for (Cell const& section : sections) {
    for (Cell const& face : cut_by_boxes(section, regions, axis)) {
      CoveredLink const covered(layers, link, face);
      ordinary = ordinary && covered.is_ordinary();
      sum += volume_of(face) * covered.conductivity();
      area += volume_of(face);
    }
  }
  double const conductivity = diffusivity_ * sum / area;
  if (ordinary || !std::isfinite(conductivity)) return std::nullopt;
  return conductivity;
}

std::vector<LinkConductivity::Range> LinkConductivity::candidates(int axis, Index3 row) const {
  // The last points of an axis have no link.
  if (axis != 0 && row[axis] >= grid_->intervals(axis)) return {};
  std::vector<Range> ranges;
  std::vector<Cell> const tubes = tubes_of(*grid_, axis, row);
  for (MediumLayer const& layer : *layers_) {
    if (!layer.where.contains) continue;
    // Expressions and files may change anywhere.
    if (!layer.where.solid) return {{0, grid_->points.x}};
    for (Cell const& tube : tubes) {
      Interval const some = layer.where.solid->some_chord(0, tube);
      if (some.empty()) continue;
      Interval const every = layer.where.solid->every_chord(0, tube);
      if (every.empty()) {
        ranges.push_back(points_near(*grid_, some));
        continue;
      }
      // Between its ends the solid covers the links entirely.
      ranges.push_back(points_near(*grid_, {some.lower, every.lower}));
      ranges.push_back(points_near(*grid_, {every.upper, some.upper}));
    }
    // The first point of a periodic axis has a part of its volume at the other end.
    if (grid_->periodic[0] && !ranges.empty()) ranges.push_back({0, 1});
  }
  return joined(std::move(ranges));
}

std::optional<LinkConductivity> link_conductivity(Problem const& problem) {
  bool const layered = problem.medium.layers && problem.medium.layers->size() > 1;
  if (!layered) return std::nullopt;
  return LinkConductivity(problem);
}

double conductance_of_link(Problem const& problem, MediumUnits const& units, int axis,
                           Index3 lower) {
  auto const links = link_conductivity(problem);
  return conductance_with(links ? &*links : nullptr, problem, units, axis, lower);
}

void find_conductances(Problem const& problem, MediumUnits const& units,
                       std::optional<LinkConductivity> const& links, int axis, Index3 first,
                       std::span<double> conductances) {
  std::vector<LinkConductivity::Range> ranges;
  if (links) ranges = links->candidates(axis, first);
  for (double& conductance : conductances) {
    auto const holds = [&](auto const& range) {
      return range.first <= first.x && first.x < range.last;
    };
    bool const may_be_cut = std::ranges::any_of(ranges, holds);
    conductance = conductance_with(may_be_cut ? &*links : nullptr, problem, units, axis, first);
    ++first.x;
  }
}

}  // namespace isotherm
