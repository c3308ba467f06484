#include "solver/discretise/shapes/lines/open_layers.hpp"

#include <algorithm>
#include <utility>

#include "solver/discretise/evaluate.hpp"
#include "solver/discretise/shapes/lines/line_quadrature.hpp"

namespace isotherm {

namespace {

/// Regions of layers, with what shuts places.
class RegionsInCell {
 public:
  RegionsInCell(Problem const& problem, std::vector<Region const*> regions)
      : grid_(&problem.grid), all_(std::move(regions)), first_shutting_(all_.size()) {
    std::vector<Region const*> const shutting = shutting_regions_of(problem);
    all_.insert(all_.end(), shutting.begin(), shutting.end());
    first_fixed_ = all_.size();
    for (FixedRegion const& fixed : problem.medium.fixed) {
      if (!fixed.is_excluded) all_.push_back(&fixed.where);
    }
  }
  [[nodiscard]] std::vector<Region const*> const& all() const { return all_; }

  /// Calls visit(inside which regions, volume) for the open parts of a cell that the flat surfaces
  /// of boxes do not cut.
  template <class Visit>
  void for_each_open_part(Cell const& cell, PerAxis<double> const& point,
                          Visit const& visit) const {
    std::vector<bool> inside(all_.size());
    std::vector<std::size_t> partial;
    double share = 0.0;
    for (std::size_t i = 0; i < all_.size(); ++i) {
      double const covered = covered_share(*grid_, *all_[i], cell, point);
      inside[i] = covered == 1.0;
      if (!(covered > 0.0 && covered < 1.0)) continue;
      partial.push_back(i);
      share = covered;
    }
    auto const visit_open = [&](double volume) {
      if (is_open(inside)) visit(inside, volume);
    };
    if (partial.size() > 1) return visit_on_lines(cell, partial, inside, visit_open);
    double const volume = volume_of(*grid_, cell);
    if (partial.empty()) return visit_open(volume);
    for (bool const within : {false, true}) {
      inside[partial.front()] = within;
      visit_open(volume * (within ? share : 1.0 - share));
    }
  }

 private:
  /// True if nothing shuts a place, or a fixed region lies on top of it.
  [[nodiscard]] bool is_open(std::vector<bool> const& inside) const {
    bool shut = false, fixed = false;
    for (std::size_t i = first_shutting_; i < all_.size(); ++i) {
      (i < first_fixed_ ? shut : fixed) |= inside[i];
    }
    return fixed || !shut;
  }

  /// Visits the parts of a cell that several regions cut.
  template <class Visit>
  void visit_on_lines(Cell const& cell, std::vector<std::size_t> const& partial,
                      std::vector<bool>& inside, Visit const& visit) const {
    int axis = 0;
    while (!(cell[axis].length() > 0.0)) ++axis;
    Interval const line = cell[axis];
    double const scale = volume_of(*grid_, cell) / volume_of(cell) * line.length() /
                         grid_->measure(axis, line.lower, line.upper);
    for_each_line(axis, quadrature_over(cell), [&](PerAxis<double> place, double weight) {
      std::vector<double> ends{line.lower, line.upper};
      for (std::size_t const number : partial) {
        for (Interval const& part : parts_of(*all_[number], axis, place, line)) {
          ends.insert(ends.end(), {part.lower, part.upper});
        }
      }
      std::ranges::sort(ends);
      for (std::size_t i = 0; i + 1 < ends.size(); ++i) {
        if (ends[i] == ends[i + 1]) continue;
        place[axis] = 0.5 * ends[i] + 0.5 * ends[i + 1];
        for (std::size_t const number : partial) inside[number] = contains(*all_[number], place);
        visit(scale * weight * grid_->measure(axis, ends[i], ends[i + 1]));
      }
    });
  }

  Grid const* grid_;
  std::vector<Region const*> all_;  ///< layers, then insulation and fluids, then fixed regions
  std::size_t first_shutting_;
  std::size_t first_fixed_ = 0;
};

}  // namespace

std::vector<Region const*> shutting_regions_of(Problem const& problem) {
  std::vector<Region const*> regions;
  for_each_shutting(problem, [&](Region const& region) { regions.push_back(&region); });
  return regions;
}

std::vector<OpenLayer> open_layers(Problem const& problem, std::vector<MediumLayer> const& layers,
                                   Index3 global) {
  Grid const& grid = problem.grid;
  PerAxis<double> const point = place_of(grid, global);
  std::vector<Region const*> above;
  for (std::size_t i = 1; i < layers.size(); ++i) above.push_back(&layers[i].where);
  RegionsInCell const regions(problem, above);
  std::vector<OpenLayer> found;
  double whole = 0.0;
  for_each_part(grid, global, [&](Cell const& part) {
    whole += volume_of(grid, part);
    for (Cell const& cell : cut_by_boxes(part, regions.all())) {
      std::vector<double> shares(layers.size());
      regions.for_each_open_part(cell, point, [&](std::vector<bool> const& inside, double volume) {
        std::size_t layer = layers.size() - 1;
        while (layer > 0 && !inside[layer - 1]) --layer;
        shares[layer] += volume;
      });
      for (std::size_t n = 0; n < layers.size(); ++n) {
        if (shares[n] == 0.0) continue;
        bool const has_own_value = layers[n].at_points || cell == part;
        found.push_back({n, shares[n], has_own_value ? point : middle_of(cell)});
      }
    }
  });
  for (OpenLayer& one : found) one.share /= whole;
  return found;
}

std::vector<double> open_fractions(Problem const& problem,
                                   std::vector<Region const*> const& regions, Cell const& face,
                                   PerAxis<double> const& point) {
  std::vector<double> fractions(std::size_t{1} << regions.size());
  double const whole = volume_of(problem.grid, face);
  RegionsInCell(problem, regions)
      .for_each_open_part(face, point, [&](std::vector<bool> const& inside, double area) {
        std::size_t number = 0;
        for (std::size_t i = 0; i < regions.size(); ++i) {
          if (inside[i]) number |= std::size_t{1} << i;
        }
        fractions[number] += area / whole;
      });
  return fractions;
}

}  // namespace isotherm
