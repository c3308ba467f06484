#include "solver/discretise/shapes/cell.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "solver/discretise/evaluate.hpp"
#include "solver/discretise/region_rows.hpp"
#include "solver/discretise/shapes/flat_share.hpp"
#include "solver/discretise/shapes/mixture.hpp"
#include "solver/problem/radial_share.hpp"

namespace isotherm {

namespace {

/// Surfaces this close to the end of a cell, relative to its length, do not cut it.
constexpr double slack = 1e-9;

/// The values of an expression at the corners of a cell and in its middle.
struct CornerValues {
  CornerValues(Region const& region, Cell const& cell) : middle(contains(region, middle_of(cell))) {
    for (unsigned corner = 0; corner < 8; ++corner) {
      PerAxis<double> place{};
      for (int axis = 0; axis < 3; ++axis) {
        double const margin = slack * cell[axis].length();  // a surface may coincide with the end
        place[axis] =
            ((corner >> axis) & 1U) != 0 ? cell[axis].upper - margin : cell[axis].lower + margin;
      }
      corners[corner] = contains(region, place);
    }
  }

  [[nodiscard]] bool all_same() const {
    return std::ranges::all_of(corners, [&](bool inside) { return inside == middle; });
  }
  /// Returns the axis along which the fewest edges of the cell have different ends; of several the
  /// one along which the cell is longest.
  [[nodiscard]] int axis_of_least_change(Cell const& cell) const {
    std::array<int, 3> changes{};
    for (unsigned axis = 0; axis < 3; ++axis) {
      for (unsigned corner = 0; corner < 8; ++corner) {
        if (corners[corner] != corners[corner ^ (1U << axis)]) ++changes[axis];
      }
    }
    int least = 0;
    for (int axis = 1; axis < 3; ++axis) {
      auto const here = static_cast<std::size_t>(axis), there = static_cast<std::size_t>(least);
      bool const is_longer = cell[axis].length() > cell[least].length();
      if (changes[here] < changes[there] || (changes[here] == changes[there] && is_longer)) {
        least = axis;
      }
    }
    return least;
  }

  std::array<bool, 8> corners{};
  bool middle;
};

/// Returns the fraction of a line that is inside.
double share_of_line(Region const& region, Cell const& cell, int axis) {
  double sum = 0.0;
  PerAxis<double> const place{cell[0].lower, cell[1].lower, cell[2].lower};
  for (Interval const part : parts_inside(region, axis, place, cell[axis])) sum += part.length();
  return sum / cell[axis].length();
}

/// Returns the fraction of a volume that is inside: the mean over sections across an axis, by
/// Gauss–Legendre quadrature.
double share_of_sections(Region const& region, Cell cell, int axis) {
  constexpr std::array places{0.069431844202973714, 0.33000947820757187, 0.66999052179242813,
                              0.93056815579702629};
  constexpr std::array weights{0.17392742256872692, 0.32607257743127307, 0.32607257743127307,
                               0.17392742256872692};
  Interval const along = cell[axis];
  std::array const axes{axis == 0 ? 1 : 0, axis == 2 ? 1 : 2};
  double sum = 0.0;
  for (std::size_t i = 0; i < places.size(); ++i) {
    double const at = along.lower + places[i] * along.length();
    cell[axis] = {at, at};
    sum += weights[i] * share_of_flat_cell(region, cell, axes);
  }
  return sum;
}

/// The parts of a line on which an expression is true, in ascending order.
class PartsOnLine {
 public:
  PartsOnLine(Region const& region, int axis, PerAxis<double> const& place)
      : region_(&region), axis_(axis), place_(place) {}

  /// Appends the parts of an interval, whose ends and middle are examined.
  void append(Interval along) {
    if (region_->blocks) {
      Certainty const known = region_->blocks->in(line(along));
      if (known == Certainty::inside) add(along);
      if (known != Certainty::unknown) return;
    }
    constexpr int effort = 12;
    least_ = slack * along.length();
    bool const at_lower = inside(along.lower), at_upper = inside(along.upper);
    append_halves(along, at_lower, at_upper, effort);
  }
  [[nodiscard]] std::vector<Interval> parts() && { return std::move(parts_); }

 private:
  [[nodiscard]] Cell line(Interval along) const {
    Cell line;
    for (int other = 0; other < 3; ++other) line[other] = {place_[other], place_[other]};
    line[axis_] = along;
    return line;
  }
  [[nodiscard]] bool inside(double at) const {
    PerAxis<double> place = place_;
    place[axis_] = at;
    return contains(*region_, place);
  }
  /// Adds a part, which belongs to the last one if it begins where that ends.
  void add(Interval part) {
    if (!(part.length() > 0.0)) return;
    if (!parts_.empty() && parts_.back().upper == part.lower) {
      parts_.back().upper = part.upper;
    } else {
      parts_.push_back(part);
    }
  }

  void append_halves(Interval along, bool at_lower, bool at_upper, int effort) {
    double const middle = along.middle();
    bool const at_middle = inside(middle);
    append_piece({along.lower, middle}, at_lower, at_middle, effort);
    append_piece({middle, along.upper}, at_middle, at_upper, effort);
  }
  /// Appends the parts of a piece whose ends have the given values.
  void append_piece(Interval piece, bool at_lower, bool at_upper, int effort) {
    if (at_lower == at_upper) return append_even(piece, at_lower, effort);
    double const inside = at_lower ? piece.lower : piece.upper;
    double const outside = at_lower ? piece.upper : piece.lower;
    double const surface = crossing_of(*region_, axis_, place_, inside, outside);
    // Bounds leave everything possible next to the surface.
    constexpr double margin = 1.0 / 32.0;
    double const before = surface - margin * (surface - piece.lower);
    double const behind = surface + margin * (piece.upper - surface);
    append_even({piece.lower, before}, at_lower, effort);
    add(at_lower ? Interval{before, surface} : Interval{surface, behind});
    append_even({behind, piece.upper}, at_upper, effort);
  }
  /// Appends the parts of a piece with equal values at its ends. Surfaces between them are found if
  /// bounds of the expression leave them possible.
  void append_even(Interval piece, bool value, int effort) {
    auto const part = part_to_examine(piece, value, effort);
    if (!part) return value ? add(piece) : void();
    constexpr int cost_of_halves = 3;
    int const cost = part->length() < 0.5 * piece.length() ? 1 : cost_of_halves;
    if (value) add({piece.lower, part->lower});
    append_halves(*part, value, value, effort - cost);
    if (value) add({part->upper, piece.upper});
  }
  [[nodiscard]] std::optional<Interval> part_to_examine(Interval piece, bool value,
                                                        int effort) const {
    bool const seeks = region_->blocks && region_->blocks->are_sparse();
    if (!seeks || effort <= 0 || !(piece.length() > least_)) return std::nullopt;
    Certainty const rest = value ? Certainty::inside : Certainty::outside;
    auto const part = region_->blocks->uncertain_part(line(piece), rest);
    if (!part || !((*part)[axis_].length() > least_)) return std::nullopt;
    bool const is_shorter = (*part)[axis_].length() < 0.5 * piece.length();
    if (!is_shorter && !region_->blocks->are_useful_in(*part)) return std::nullopt;
    return (*part)[axis_];
  }

  Region const* region_;
  int axis_;
  PerAxis<double> place_;
  double least_ = 0.0;  ///< shorter parts are neglected
  std::vector<Interval> parts_{};
};

/// Returns the fraction of a volume that is inside.
/// @param effort  how closely a volume is examined whose samples agree
double share_of_volume(Region const& region, Cell const& cell, int effort) {
  CornerValues const values(region, cell);
  bool const inside = values.middle;
  if (values.all_same()) {
    bool const seeks = region.blocks && region.blocks->are_sparse();
    if (!seeks || effort <= 0) return inside ? 1.0 : 0.0;
    Certainty const rest = inside ? Certainty::inside : Certainty::outside;
    auto const part = region.blocks->uncertain_part(cell, rest);
    if (!part) return inside ? 1.0 : 0.0;
    double const size = volume_of(*part) / volume_of(cell);
    if (size < 0.5) {
      constexpr int cost = 4;
      double const within = size * share_of_volume(region, *part, effort - cost);
      return inside ? 1.0 - size + within : within;
    }
    if (!region.blocks->are_useful_in(cell)) return inside ? 1.0 : 0.0;
  }
  // Small pieces may lie between the sections, but exist.
  constexpr double least = 1e-12;
  double const share = share_of_sections(region, cell, values.axis_of_least_change(cell));
  return values.all_same() ? share : std::clamp(share, least, 1.0 - least);
}

/// The shares of expressions that a thread has computed last. Neighbouring links, faces and volumes
/// ask for the same cells, and each share takes hundreds of evaluations.
class RecentShares {
 public:
  /// Returns the share of a cell, which compute() returns if it is not known. Regions are
  /// distinguished by their blocks; a region without blocks is always computed.
  template <class Compute>
  static double of(Region const& region, Cell const& cell, Compute const& compute) {
    if (!region.blocks) return compute();
    thread_local std::vector<RecentShares> memory(size);
    RecentShares& here = memory[place_of_cell(cell)];
    bool const is_known = here.cell_ == cell && here.blocks_ == region.blocks.get() &&
                          !here.owner_.expired();  // another region may have had the address
    if (!is_known) here = RecentShares(region, cell, compute());
    return here.share_;
  }
  RecentShares() = default;

 private:
  static constexpr std::size_t size = 4096;

  RecentShares(Region const& region, Cell const& cell, double share)
      : cell_(cell), blocks_(region.blocks.get()), owner_(region.blocks), share_(share) {}

  static std::size_t place_of_cell(Cell const& cell) {
    constexpr std::uint64_t factor = 0x9e3779b97f4a7c15;  // 2^64 over the golden ratio
    std::uint64_t hash = 0;
    for (Interval const& interval : cell) {
      for (double const end : {interval.lower, interval.upper}) {
        hash = (std::rotl(hash, 5) ^ std::bit_cast<std::uint64_t>(end)) * factor;
      }
    }
    return static_cast<std::size_t>(hash >> 52U) % size;
  }

  Cell cell_{};
  RegionBlocks const* blocks_ = nullptr;
  std::weak_ptr<RegionBlocks const> owner_{};
  double share_ = 0.0;
};

/// Cuts each cell that contains a coordinate in two at this coordinate.
void cut_at(std::vector<Cell>& cells, int axis, double at) {
  std::size_t const before = cells.size();
  for (std::size_t i = 0; i < before; ++i) {
    double const margin = slack * cells[i][axis].length();
    if (!(at > cells[i][axis].lower + margin && at < cells[i][axis].upper - margin)) continue;
    Cell above = cells[i];
    above[axis].lower = at;
    cells[i][axis].upper = at;
    cells.push_back(above);
  }
}

/// A layered property, with its regions as a list.
struct LayeredProperty {
  LayeredProperty(Grid const& grid, std::vector<MediumLayer> of)
      : layers(std::move(of)), near(grid, regions_above(layers)) {
    for (MediumLayer const& layer : layers) {
      regions.push_back(&layer.where);
      depends_on_u = depends_on_u || layer.values[0].depends_on_u;
    }
  }
  LayeredProperty(LayeredProperty const&) = delete;
  LayeredProperty& operator=(LayeredProperty const&) = delete;

  std::vector<MediumLayer> const layers;
  std::vector<Region const*> regions{};  ///< those of `layers`
  NearRegions const near;                ///< those of all layers but the first
  bool depends_on_u = false;             ///< a layer does
  std::uint64_t number = next_number();  ///< no other property has it

 private:
  static std::vector<Region> regions_above(std::vector<MediumLayer> const& layers) {
    std::vector<Region> above;
    for (std::size_t i = 1; i < layers.size(); ++i) above.push_back(layers[i].where);
    return above;
  }
  static std::uint64_t next_number() {
    static std::atomic<std::uint64_t> last{0};
    return ++last;
  }
};

/// A layer that shows in a part of a control volume, its share of the volume, and the place whose
/// value it has there.
struct VisibleLayer {
  std::size_t layer;
  double share;
  PerAxis<double> place;
};

/// Calls visit(cell, mixture of the layers) for the cells into which flat surfaces cut a part of a
/// control volume.
template <class Visit>
void for_each_mixture(Grid const& grid, LayeredProperty const& property, Cell const& whole,
                      PerAxis<double> const& point, Visit const& visit) {
  std::vector<MediumLayer> const& layers = property.layers;
  for (Cell const& cell : cut_by_boxes(whole, property.regions)) {
    Mixture mixture(layers.size());
    for (std::size_t i = 1; i < layers.size(); ++i) {
      mixture.set_share(i, covered_share(grid, layers[i].where, cell, point));
    }
    visit(cell, mixture);
  }
}

/// Returns the place in a cell of a control volume whose value a layer has there. A cell that is
/// not cut has the value of its point.
PerAxis<double> place_in(MediumLayer const& layer, Cell const& cell, Cell const& whole,
                         PerAxis<double> const& point) {
  return layer.at_points || cell == whole ? point : middle_of(cell);
}

/// Returns the mean of a layered property over one part of a control volume.
double mean_over(Grid const& grid, LayeredProperty const& property, Cell const& whole,
                 PerAxis<double> const& point) {
  auto const [px, py, pz] = point.values;
  if (!property.near.any_at(px, py, pz)) return property.layers[0].values[0](px, py, pz, 0.0);
  double sum = 0.0;
  double const volume = volume_of(grid, whole);
  for_each_mixture(grid, property, whole, point, [&](Cell const& cell, Mixture const& mixture) {
    sum += volume_of(grid, cell) / volume * mixture.mean([&](std::size_t number) {
      MediumLayer const& layer = property.layers[number];
      auto const& [x, y, z] = place_in(layer, cell, whole, point).values;
      return layer.values[0](x, y, z, 0.0);
    });
  });
  return sum;
}

/// Returns the layers that show in the control volume of a point. Those of the last point are kept
/// for each thread, since several values of u follow one another at a point.
std::vector<VisibleLayer> const& visible_in(LayeredProperty const& property, Grid const& grid,
                                            PerAxis<double> const& point) {
  struct Kept {
    std::uint64_t property = 0;
    PerAxis<double> point{};
    std::vector<VisibleLayer> layers{};
  };
  thread_local Kept kept;
  if (kept.property == property.number && kept.point == point) return kept.layers;
  kept = {0, point, {}};
  double volume = 0.0;
  for_each_part(grid, nearest_point(grid, point), [&](Cell const& part) {
    volume += volume_of(grid, part);
    for_each_mixture(grid, property, part, point, [&](Cell const& cell, Mixture const& mixture) {
      for (std::size_t n = 0; n < property.layers.size(); ++n) {
        double const share = volume_of(grid, cell) * mixture.fraction(n);
        if (share == 0.0) continue;
        kept.layers.push_back({n, share, place_in(property.layers[n], cell, part, point)});
      }
    });
  });
  for (VisibleLayer& visible : kept.layers) visible.share /= volume;
  kept.property = property.number;
  return kept.layers;
}

/// Returns the mean of a layered property over the control volume of a point, for a value of the
/// field.
double mean_at(LayeredProperty const& property, Grid const& grid, PerAxis<double> const& point,
               double u) {
  double sum = 0.0;
  for (auto const& [layer, share, place] : visible_in(property, grid, point)) {
    sum += share * property.layers[layer].values[0](place[0], place[1], place[2], u);
  }
  return sum;
}

}  // namespace

std::optional<PerAxis<double>> place_inside(Region const& region, Grid const& grid, Index3 global) {
  PerAxis<double> const own = place_of(grid, global);
  if (contains(region, own)) return own;
  unsigned closing = 0;  // a bit for each axis on which the point lies at both ends
  for (int axis = 0; axis < 3; ++axis) {
    if (grid.periodic[axis] && global[axis] == 0) closing |= 1U << axis;
  }
  if (closing == 0 || region.at_points) return std::nullopt;
  // All subsets of these axes but the empty one.
  for (unsigned chosen = closing; chosen != 0; chosen = (chosen - 1) & closing) {
    PerAxis<double> other = own;
    for (int axis = 0; axis < 3; ++axis) {
      if (((chosen >> axis) & 1U) != 0) other[axis] = grid.upper(axis);
    }
    if (contains(region, other)) return other;
  }
  return std::nullopt;
}

std::vector<PerAxis<double>> places_of(Grid const& grid, Index3 global) {
  std::vector<PerAxis<double>> places{place_of(grid, global)};
  for (int axis = 0; axis < grid.dimension; ++axis) {
    if (!grid.periodic[axis] || global[axis] != 0) continue;
    std::vector<PerAxis<double>> others = places;
    for (PerAxis<double>& place : others) place[axis] = grid.upper(axis);
    places.insert(places.end(), others.begin(), others.end());
  }
  return places;
}

Cell extent_of(Grid const& grid) {
  Cell extent;
  for (int axis = 0; axis < grid.dimension; ++axis) {
    extent[axis] = {grid.lower[axis], grid.upper(axis)};
  }
  return extent;
}

Index3 nearest_point(Grid const& grid, PerAxis<double> const& place) {
  Index3 global;
  for (int axis = 0; axis < grid.dimension; ++axis) {
    auto const nearest = static_cast<std::int64_t>(std::rint(grid.position(axis, place[axis])));
    global[axis] = std::clamp<std::int64_t>(nearest, 0, grid.points[axis] - 1);
  }
  return global;
}

Cell bounds_of(Solid const& solid) {
  Cell bounds = solid.between;
  for (int axis = 0; axis < 3; ++axis) {
    if (!solid.round[axis]) continue;
    Interval const ball{solid.center[axis] - solid.radius, solid.center[axis] + solid.radius};
    bounds[axis] = intersection(bounds[axis], ball);
  }
  return bounds;
}

Solid including_plane(Solid solid, Grid const& grid, Face face) {
  Interval& across = solid.between[face.axis];
  double const margin = slack * narrowest_gap(grid, face.axis);
  across = {across.lower - margin, across.upper + margin};
  return solid;
}

double area_on(Solid const& solid, Grid const& grid, Face face) {
  Cell section = extent_of(grid);
  double const plane = face.upper ? section[face.axis].upper : section[face.axis].lower;
  section[face.axis] = {plane, plane};
  return volume_of(section) * including_plane(solid, grid, face).share(section);
}

std::array<Interval, 2> volume_intervals(Grid const& grid, int axis, std::int64_t index) {
  constexpr Interval none{1.0, 0.0};
  double const at = grid.coordinate(axis, index);
  std::int64_t const n = grid.points[axis];
  if (axis >= grid.dimension || n == 1) return {Interval{at, at}, none};
  bool const begins = index == 0, ends = index == n - 1;
  bool const has_next = !ends || grid.periodic[axis];
  Interval const own{begins ? at : at - 0.5 * grid.gap(axis, index - 1),
                     has_next ? at + 0.5 * grid.gap(axis, index) : at};
  if (!begins || !grid.periodic[axis]) return {own, none};
  double const upper = grid.upper(axis);
  return {own, Interval{upper - 0.5 * grid.gap(axis, n - 1), upper}};
}

std::vector<Interval> parts_inside(Region const& region, int axis, PerAxis<double> const& place,
                                   Interval along) {
  PartsOnLine line(region, axis, place);
  line.append(along);
  return std::move(line).parts();
}

std::vector<Interval> parts_of(Region const& region, int axis, PerAxis<double> const& place,
                               Interval along) {
  if (!region.solid) return parts_inside(region, axis, place, along);
  Interval const part = intersection(region.solid->chord(axis, place), along);
  return part.empty() ? std::vector<Interval>{} : std::vector{part};
}

double volume_of(Cell const& cell) {
  double volume = 1.0;
  for (Interval const& interval : cell) {
    if (interval.length() > 0.0) volume *= interval.length();
  }
  return volume;
}

double covered_share(Region const& region, Cell const& cell, PerAxis<double> const& point) {
  if (region.solid) return region.solid->share(cell);
  if (region.at_points) return contains(region, point) ? 1.0 : 0.0;
  Certainty const known = region.certainty_in(cell);
  if (known != Certainty::unknown) return known == Certainty::inside ? 1.0 : 0.0;
  std::vector<int> axes;
  for (int axis = 0; axis < 3; ++axis) {
    if (cell[axis].length() > 0.0) axes.push_back(axis);
  }
  if (axes.empty()) return contains(region, middle_of(cell)) ? 1.0 : 0.0;
  if (axes.size() == 1) return share_of_line(region, cell, axes[0]);
  return RecentShares::of(region, cell, [&] {
    if (axes.size() == 2) return share_of_flat_cell(region, cell, {axes[0], axes[1]});
    constexpr int effort = 12;
    return share_of_volume(region, cell, effort);
  });
}

double volume_of(Grid const& grid, Cell const& cell) {
  Interval const radii = cell[0];
  if (!grid.is_radial(0) || !(radii.length() > 0.0)) return volume_of(cell);
  Cell across = cell;
  across[0] = {};
  return volume_of(across) * grid.measure(0, radii.lower, radii.upper);
}

double covered_share(Grid const& grid, Region const& region, Cell const& cell,
                     PerAxis<double> const& point) {
  if (!grid.is_radial(0) || !(cell[0].length() > 0.0)) return covered_share(region, cell, point);
  if (region.solid) return share_in_space(grid, *region.solid, cell);
  if (region.at_points) return contains(region, point) ? 1.0 : 0.0;
  Certainty const known = region.certainty_in(cell);
  if (known != Certainty::unknown) return known == Certainty::inside ? 1.0 : 0.0;
  if (cell[1].length() > 0.0) return share_of_flat_cell(grid, region, cell, {0, 1});
  double sum = 0.0;
  for (Interval const part :
       parts_inside(region, 0, {cell[0].lower, cell[1].lower, cell[2].lower}, cell[0])) {
    sum += grid.measure(0, part.lower, part.upper);
  }
  return sum / grid.measure(0, cell[0].lower, cell[0].upper);
}

std::vector<Cell> cut_by_boxes(Cell const& cell, std::span<Region const* const> regions,
                               int except) {
  std::vector<Cell> cells{cell};
  for (Region const* region : regions) {
    if (!region->solid) continue;
    for (int axis = 0; axis < 3; ++axis) {
      if (axis == except) continue;
      Interval const between = region->solid->between[axis];
      cut_at(cells, axis, between.lower);
      cut_at(cells, axis, between.upper);
    }
  }
  return cells;
}

ScalarFunction volume_mean(Grid const& grid, std::vector<MediumLayer> layers) {
  ScalarFunction function;
  auto const shared = std::make_shared<LayeredProperty const>(grid, std::move(layers));
  function.evaluate = [grid, shared](double x, double y, double z, double u) {
    PerAxis<double> const point{x, y, z};
    if (shared->depends_on_u) return mean_at(*shared, grid, point, u);
    Index3 const global = nearest_point(grid, point);
    double sum = 0.0, volume = 0.0;
    for_each_part(grid, global, [&](Cell const& part) {
      sum += volume_of(grid, part) * mean_over(grid, *shared, part, point);
      volume += volume_of(grid, part);
    });
    return sum / volume;
  };
  return function;
}

}  // namespace isotherm
