#include "solver/discretise/shapes/flat_share.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <utility>

#include "solver/discretise/compiled_condition.hpp"
#include "solver/discretise/shapes/bisection.hpp"
#include "solver/discretise/shapes/cell.hpp"

namespace isotherm {

namespace {

/// Values at the ends of a cell are those at this share of its length inside, because a surface may
/// coincide with them.
constexpr double inset = 1e-9;

/// A rectangle on which an expression is evaluated, between coordinates of two axes, and its values
/// at the corners. Bit 0 of a corner's number chooses the upper end of the first axis, bit 1 that
/// of the second.
class Rectangle {
 public:
  using Corners = std::array<bool, 4>;

  /// @param radii  the grid if the first axis is a radius, else null
  Rectangle(Region const& region, PerAxis<Interval> const& cell, std::array<int, 2> axes,
            Corners const& inside, Grid const* radii)
      : region_(&region), cell_(&cell), axes_(axes), inside_(inside), radii_(radii) {}

  /// Returns the area in which the expression is true.
  [[nodiscard]] double area() const {
    auto const corners = std::ranges::count(inside_, true);
    double const whole = size(0, side(0).lower, side(0).upper) * side(1).length();
    if (corners == 0 || corners == 4) return corners == 0 ? 0.0 : whole;
    if (corners == 2) return inside_[0] == inside_[3] ? 0.5 * whole : area_of_strip();
    // One corner differs from the others.
    bool const cut_off = corners == 3;
    auto const different = std::ranges::find(inside_, !cut_off);
    double const part = area_of_corner(static_cast<unsigned>(different - inside_.begin()));
    return cut_off ? whole - part : part;
  }

 private:
  [[nodiscard]] int axis(int n) const { return axes_[static_cast<std::size_t>(n)]; }
  [[nodiscard]] Interval const& side(int n) const { return (*cell_)[axis(n)]; }
  [[nodiscard]] double end(int n, bool upper) const {
    return upper ? side(n).upper : side(n).lower;
  }
  [[nodiscard]] PerAxis<double> place(int n, double along, double across) const {
    PerAxis<double> place{(*cell_)[0].lower, (*cell_)[1].lower, (*cell_)[2].lower};
    place[axis(n)] = along;
    place[axis(1 - n)] = across;
    return place;
  }

  /// Returns the length of a part of side n, or its measure on a radius.
  [[nodiscard]] double size(int n, double from, double to) const {
    double const length = std::abs(to - from);
    if (radii_ == nullptr || n != 0) return length;
    return radii_->measure(0, std::min(from, to), std::max(from, to));
  }

  /// Returns the size of the part of a line along side n that begins at one of its ends and has the
  /// given value.
  [[nodiscard]] double size_from(int n, bool upper, double across, bool value) const {
    double const from = end(n, upper), to = end(n, !upper);
    auto const at = [&](double start, double stop) {
      PerAxis<double> const here = place(n, start + inset * (stop - start), across);
      return region_->contains(here[0], here[1], here[2]);
    };
    if (at(from, to) != value) return 0.0;
    if (at(to, from) == value) return size(n, from, to);
    double const inside = value ? from : to, outside = value ? to : from;
    PerAxis<double> const start = place(n, from, across);
    return size(n, from, crossing_of(*region_, axis(n), start, inside, outside));
  }
  /// Integrates such sizes over an interval of the other side, by the midpoint rule.
  [[nodiscard]] double area_from(int n, bool upper, Interval across, bool value) const {
    if (radii_ != nullptr) return radial_area_from(n, upper, across, value);
    constexpr int lines = 4;
    double sum = 0.0;
    for (int i = 0; i < lines; ++i) {
      double const at = across.lower + (i + 0.5) / lines * across.length();
      sum += size_from(n, upper, at, value);
    }
    return sum / lines * across.length();
  }
  /// Integrates over areas that grow with the radius, by Gauss–Legendre quadrature: exact for the
  /// polynomials that planes give.
  [[nodiscard]] double radial_area_from(int n, bool upper, Interval across, bool value) const {
    // Abramowitz and Stegun, table 25.4.
    constexpr std::array nodes{-0.8611363115940526, -0.3399810435848563, 0.3399810435848563,
                               0.8611363115940526};
    constexpr std::array weights{0.3478548451374538, 0.6521451548625461, 0.6521451548625461,
                                 0.3478548451374538};
    double sum = 0.0;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      double const at = across.middle() + 0.5 * nodes[i] * across.length();
      double const factor = n == 0 ? 1.0 : radii_->metric(0, at);
      sum += weights[i] * factor * size_from(n, upper, at, value);
    }
    return 0.5 * sum * across.length();
  }

  /// Returns the area if both corners of one side are inside.
  [[nodiscard]] double area_of_strip() const {
    int const n = inside_[0] == inside_[1] ? 1 : 0;
    return area_from(n, !inside_[0], side(1 - n), true);
  }
  /// Returns the area around a corner whose value differs from those of the others.
  [[nodiscard]] double area_of_corner(unsigned corner) const {
    bool const upper = (corner & 1U) != 0, is_high = (corner & 2U) != 0, value = inside_[corner];
    double const leg = size_from(1, is_high, end(0, upper), value);
    double const at = end(1, is_high);
    Interval const across{is_high ? at - leg : at, is_high ? at : at + leg};
    return area_from(0, upper, across, value);
  }

  Region const* region_;
  PerAxis<Interval> const* cell_;
  std::array<int, 2> axes_;
  Corners inside_;
  Grid const* radii_;
};

/// The level of an expression on a line along an axis.
class LevelOnLine {
 public:
  LevelOnLine(Region const& region, CompiledCondition const& condition, int axis,
              PerAxis<double> const& place)
      : region_(&region), condition_(&condition), axis_(axis), place_(place) {}

  /// Returns the zero between two coordinates, one inside the region and one outside, by the method
  /// of Chandrupatla (Adv. Eng. Softw. 28, 145, 1997): inverse quadratic interpolation, and
  /// bisection if that is not safe. None if the level has not the expression's sign, or is not
  /// finite.
  [[nodiscard]] std::optional<double> zero(double inside, double outside) const {
    double const tolerance = tolerance_of(inside, outside);
    // The last two coordinates, of different sign, and the one before.
    Sample here = at(outside), there = at(inside), before = there;
    if (!(here.level <= 0.0 && there.level >= 0.0)) return std::nullopt;
    double step = here.level / (here.level - there.level);  // the zero of the chord
    constexpr int maximum = 60;
    for (int i = 0; i < maximum; ++i) {
      double const narrowest = tolerance / std::abs(there.at - here.at);
      Sample const& best = std::abs(there.level) < std::abs(here.level) ? there : here;
      if (best.level == 0.0 || narrowest > 0.5) {
        double const side = 2.0 * (inside < outside ? tolerance : -tolerance);
        return changes_between(best.at - side, best.at + side) ? std::optional(best.at)
                                                               : std::nullopt;
      }
      if (i > 0) step = next_step(here, there, before);
      step = std::clamp(step, narrowest, 1.0 - narrowest);
      Sample const found = at(here.at + step * (there.at - here.at));
      if (!std::isfinite(found.level)) return std::nullopt;
      if ((found.level > 0.0) == (here.level > 0.0)) {
        before = here;
      } else {
        before = there;
        there = here;
      }
      here = found;
    }
    return std::nullopt;
  }

 private:
  struct Sample {
    double at;
    double level;
  };

  /// Returns half of the length within which a zero is enclosed.
  [[nodiscard]] static double tolerance_of(double from, double to) {
    double const largest = std::max(std::abs(from), std::abs(to));
    return std::max(0x1p-41 * std::abs(to - from),
                    2.0 * std::numeric_limits<double>::epsilon() * largest);
  }
  /// Returns the fraction of the way from `here` to `there` at which to look next.
  [[nodiscard]] static double next_step(Sample here, Sample there, Sample before) {
    double const xi = (here.at - there.at) / (before.at - there.at);
    double const phi = (here.level - there.level) / (before.level - there.level);
    bool const is_safe = phi * phi < xi && (1.0 - phi) * (1.0 - phi) < 1.0 - xi;
    if (!is_safe) return 0.5;
    double const to_there = here.level / (there.level - here.level);
    double const to_before = here.level / (before.level - here.level);
    return to_there * before.level / (there.level - before.level) +
           (before.at - here.at) / (there.at - here.at) * to_before * there.level /
               (before.level - there.level);
  }
  [[nodiscard]] Sample at(double coordinate) const {
    PerAxis<double> here = place_;
    here[axis_] = coordinate;
    return {coordinate, condition_->level_at(here)};
  }
  /// True if the region contains the first coordinate and not the second one. Levels that are not
  /// numbers may be hidden in a minimum or maximum.
  [[nodiscard]] bool changes_between(double inside, double outside) const {
    PerAxis<double> first = place_, second = place_;
    first[axis_] = inside;
    second[axis_] = outside;
    return region_->contains(first[0], first[1], first[2]) &&
           !region_->contains(second[0], second[1], second[2]);
  }

  Region const* region_;
  CompiledCondition const* condition_;
  int axis_;
  PerAxis<double> place_;
};

/// Integrates a region over a flat cell.
class FlatCell {
 public:
  /// @param axes   those along which cells have a length
  /// @param radii  the grid if the first axis is a radius, else null
  FlatCell(Region const& region, std::array<int, 2> const& axes, Grid const* radii)
      : region_(&region),
        axes_(axes),
        radii_(radii),
        seeks_(region.blocks && region.blocks->are_sparse()) {}

  /// Returns the share of a cell.
  [[nodiscard]] double share(Cell const& cell) {
    constexpr int effort = 12;
    constexpr double negligible = 1e-8;
    double const whole = size(cell);
    least_ = negligible * whole;
    return std::clamp(area(cell, effort) / whole, 0.0, 1.0);
  }

 private:
  [[nodiscard]] double size(Cell const& cell) const {
    Interval const first = cell[axes_[0]];
    double const length =
        radii_ == nullptr ? first.length() : radii_->measure(0, first.lower, first.upper);
    return length * cell[axes_[1]].length();
  }

  /// Returns the area of the region in a cell.
  /// @param effort  how closely parts are examined whose samples agree
  [[nodiscard]] double area(Cell const& cell, int effort) const {
    std::array<std::array<bool, 3>, 3> const inside = samples(cell);
    auto const same = [&](std::array<bool, 3> const& row) {
      return std::ranges::all_of(row, [&](bool value) { return value == inside[0][0]; });
    };
    if (std::ranges::all_of(inside, same)) return area_of_even(cell, inside[0][0], effort);
    double sum = 0.0;
    for (std::size_t i = 0; i < 2; ++i) {
      for (std::size_t j = 0; j < 2; ++j) {
        Rectangle::Corners const corners{inside[i][j], inside[i + 1][j], inside[i][j + 1],
                                         inside[i + 1][j + 1]};
        Cell const part = quarter(cell, i == 1, j == 1);
        bool const is_even =
            std::ranges::all_of(corners, [&](bool value) { return value == corners[0]; });
        sum += is_even ? area_of_even_corners(part, corners[0], effort - cost_of_quarters)
                       : area_of_cut(part, corners, effort - cost_of_quarters);
      }
    }
    return sum;
  }

  static constexpr int cost_of_quarters = 3;

  /// Returns the area in a cell whose samples agree. Thin pieces between them are found if bounds
  /// of the expression leave them possible.
  [[nodiscard]] double area_of_even(Cell const& cell, bool inside, int effort) const {
    double const whole = size(cell);
    double const even = inside ? whole : 0.0;
    if (!seeks_ || budget_ <= 0) return even;
    Certainty const rest = inside ? Certainty::inside : Certainty::outside;
    auto const part = region_->blocks->uncertain_part(cell, rest);
    if (!part || !(size(*part) > least_)) return even;
    bool const is_smaller = size(*part) < 0.5 * whole;
    if (!is_smaller && !region_->blocks->are_useful_in(cell)) return even;
    if (effort <= 0 || is_smaller) {
      double const within = effort > 0 ? area(*part, effort - 1) : area_by_chords(*part);
      return inside ? whole - (size(*part) - within) : within;
    }
    double sum = 0.0;
    for (bool const first : {false, true}) {
      for (bool const second : {false, true}) {
        sum += area(quarter(cell, first, second), effort - cost_of_quarters);
      }
    }
    return sum;
  }

  /// Returns the area in a quarter whose corners agree.
  [[nodiscard]] double area_of_even_corners(Cell const& cell, bool inside, int effort) const {
    Certainty const even = inside ? Certainty::inside : Certainty::outside;
    bool const is_certain = !seeks_ || region_->blocks->within(cell) == even;
    if (is_certain) return inside ? size(cell) : 0.0;
    return effort > 0 ? area(cell, effort) : area_of_even(cell, inside, effort);
  }

  /// Returns the area in a quarter whose corners differ.
  [[nodiscard]] double area_of_cut(Cell const& cell, Rectangle::Corners const& corners,
                                   int effort) const {
    if (!seeks_ || budget_ <= 0 || has_one_surface(cell, corners)) {
      return Rectangle(*region_, cell, axes_, corners, radii_).area();
    }
    return effort > 0 ? area(cell, effort) : area_by_chords(cell);
  }

  /// True if a line is inside, or outside, all along.
  [[nodiscard]] bool is_even_line(PerAxis<double> const& place, int axis, Interval along,
                                  bool inside) const {
    Cell line;
    for (int other = 0; other < 3; ++other) line[other] = {place[other], place[other]};
    line[axis] = along;
    Certainty const even = inside ? Certainty::inside : Certainty::outside;
    if (region_->blocks->within(line) == even) return true;
    auto const parts = parts_inside(*region_, axis, place, along);
    return inside ? parts.size() == 1 && parts.front() == along : parts.empty();
  }

  /// True if the corners and edges of a cell show a single surface.
  [[nodiscard]] bool has_one_surface(Cell const& cell, Rectangle::Corners const& corners) const {
    if (corners[0] == corners[3] && corners[1] == corners[2]) return false;
    for (std::size_t n = 0; n < 2; ++n) {
      for (std::size_t upper = 0; upper < 2; ++upper) {
        std::size_t const from = n == 0 ? 2 * upper : upper, to = from + (n == 0 ? 1 : 2);
        if (corners[from] != corners[to]) continue;
        PerAxis<double> place{cell[0].lower, cell[1].lower, cell[2].lower};
        Interval const across = cell[axes_[1 - n]];
        double const margin = inset * across.length();
        place[axes_[1 - n]] = upper == 1 ? across.upper - margin : across.lower + margin;
        if (!is_even_line(place, axes_[n], cell[axes_[n]], corners[from])) return false;
      }
    }
    return true;
  }

  /// An area by chords along an axis.
  struct ByChords {
    double area = 0.0;
    int cut = 0;  ///< lines that are neither inside nor outside as a whole
  };
  [[nodiscard]] ByChords by_chords(Cell const& cell, std::size_t n) const {
    constexpr int lines = 8;
    budget_ -= lines;
    int const along = axes_[n], other = axes_[1 - n];
    Interval const across = cell[other];
    ByChords result;
    for (int i = 0; i < lines; ++i) {
      Cell strip = cell;
      strip[other] = {across.lower + across.length() * i / lines,
                      across.lower + across.length() * (i + 1) / lines};
      PerAxis<double> place{cell[0].lower, cell[1].lower, cell[2].lower};
      place[other] = strip[other].middle();
      auto const parts = parts_inside(*region_, along, place, cell[along]);
      if (!parts.empty() && parts.front() != cell[along]) ++result.cut;
      for (Interval const part : parts) {
        strip[along] = part;
        result.area += size(strip);
      }
    }
    return result;
  }
  /// Returns the area by chords along the axis on which more of them cross a surface.
  [[nodiscard]] double area_by_chords(Cell const& cell) const {
    ByChords const first = by_chords(cell, 0), second = by_chords(cell, 1);
    return first.cut > second.cut ? first.area : second.area;
  }

  /// Returns the values at 3 × 3 places.
  [[nodiscard]] std::array<std::array<bool, 3>, 3> samples(Cell const& cell) const {
    --budget_;
    std::array<std::array<double, 3>, 2> places{};
    for (std::size_t n = 0; n < 2; ++n) {
      Interval const& side = cell[axes_[n]];
      double const margin = inset * side.length();
      places[n] = {side.lower + margin, side.middle(), side.upper - margin};
    }
    std::array<std::array<bool, 3>, 3> inside{};
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) {
        PerAxis<double> place{cell[0].lower, cell[1].lower, cell[2].lower};
        place[axes_[0]] = places[0][i];
        place[axes_[1]] = places[1][j];
        inside[i][j] = region_->contains(place[0], place[1], place[2]);
      }
    }
    return inside;
  }

  [[nodiscard]] Cell quarter(Cell cell, bool first_upper, bool second_upper) const {
    for (auto const& [axis, is_upper] :
         {std::pair{axes_[0], first_upper}, std::pair{axes_[1], second_upper}}) {
      double const middle = cell[axis].middle();
      (is_upper ? cell[axis].lower : cell[axis].upper) = middle;
    }
    return cell;
  }

  Region const* region_;
  std::array<int, 2> axes_;
  Grid const* radii_;
  bool seeks_;                 ///< thin parts
  mutable int budget_ = 1000;  ///< cells and chords that may still be examined
  double least_ = 0.0;         ///< smaller areas are neglected
};

}  // namespace

double crossing_of(Region const& region, int axis, PerAxis<double> place, double inside,
                   double outside) {
  if (auto const* const condition = condition_with_level(region)) {
    if (auto const zero = LevelOnLine(region, *condition, axis, place).zero(inside, outside)) {
      return *zero;
    }
  }
  return change_between(inside, outside, [&](double at) {
    place[axis] = at;
    return region.contains(place[0], place[1], place[2]);
  });
}

double share_of_flat_cell(Grid const& grid, Region const& region, PerAxis<Interval> const& cell,
                          std::array<int, 2> const& axes) {
  return FlatCell(region, axes, grid.is_radial(axes[0]) ? &grid : nullptr).share(cell);
}

double share_of_flat_cell(Region const& region, PerAxis<Interval> const& cell,
                          std::array<int, 2> const& axes) {
  return FlatCell(region, axes, nullptr).share(cell);
}

}  // namespace isotherm
