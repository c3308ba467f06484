#include "solver/discretise/stable_step.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "decomposition/grid/subdomain.hpp"
#include "kernels/conduction/face_conductances.hpp"
#include "solver/discretise/finite_volumes.hpp"
#include "solver/discretise/point_constraints.hpp"
#include "solver/discretise/shapes/link_conductivity.hpp"
#include "solver/problem/conditions.hpp"

namespace isotherm {

namespace {

/// Maps indices beyond the ends of a periodic axis to the other end.
Index3 on_grid(Grid const& grid, Index3 global) {
  for (int axis = 0; axis < 3; ++axis) {
    if (!grid.periodic[axis]) continue;
    std::int64_t const n = grid.points[axis];
    // The remainder is not negative, even for −1.
    global[axis] = (global[axis] % n + n) % n;
  }
  return global;
}

/// Returns the dense index of a point in a box, x fastest.
std::size_t place_in(LocalBox const& box, Index3 point) {
  Extent3 const n = box.extent();
  Index3 const at = point - box.lower;
  return static_cast<std::size_t>((at.z * n.y + at.y) * n.x + at.x);
}

/// Returns the largest value at the points of a box, on all threads.
/// @param row_of  (j, k) returns the function of i whose values are those of a row
template <class RowOf>
double largest_of(LocalBox box, RowOf const& row_of) {
  std::mutex others;
  double largest = 0.0;
  for_each_row(box, [&](std::int64_t j, std::int64_t k) {
    double of_row = 0.0;
    auto const value = row_of(j, k);
    for (std::int64_t i = box.lower.x; i < box.upper.x; ++i) of_row = std::max(of_row, value(i));
    std::scoped_lock const lock(others);
    largest = std::max(largest, of_row);
  });
  return largest;
}

/// The capacities and conductivities of a slab of the grid's points, and the conductivities of the
/// adjacent planes. The grid is cut along its slowest axis, so the planes of a slab are contiguous.
class Slab {
 public:
  Slab(Problem const& problem, MediumUnits const& units, Subdomain const& whole, int cut_axis)
      : problem_(&problem),
        whole_(whole),
        cut_axis_(cut_axis),
        inverse_capacity_of_(inverse_capacity(problem, units, whole)) {
    // An isotropic medium has one conductivity for all axes.
    int const axes = problem.medium.isotropic ? 1 : problem.grid.dimension;
    for (int axis = 0; axis < axes; ++axis) {
      conductivity_of_.push_back(signed_conductivity(problem, units, whole, axis));
    }
    conductivities_.resize(conductivity_of_.size());
  }

  /// Evaluates the medium at other points. Conductivities that the previous slab already has are
  /// copied from its end, if the new slab begins there.
  /// @throws ValueRefusal  if a conductivity or heat capacity is not positive
  void move_to(LocalBox points) {
    // Conductances to the adjacent planes need their conductivities.
    LocalBox around = points;
    --around.lower[cut_axis_];
    ++around.upper[cut_axis_];
    if (!problem_->grid.periodic[cut_axis_]) around = intersection(around, whole_.grid_box());
    LocalBox const known = intersection(around, around_);
    for (int axis = 0; axis < static_cast<int>(conductivities_.size()); ++axis) {
      auto const n = static_cast<std::size_t>(axis);
      auto& values = conductivities_[n];
      // The overlap is at the end of the old values and at the begin of the new ones.
      std::copy(values.end() - known.point_count(), values.end(), values.begin());
      fill(around, known, conductivity_of_[n], values,
           [&](Index3 fault) { return conductivity_refusal(*problem_, axis, fault); });
    }
    fill(points, {}, inverse_capacity_of_, inverse_capacity_,
         [&](Index3 fault) { return capacity_refusal(*problem_, fault); });
    points_ = points;
    around_ = around;
  }

  /// Returns a conductivity, signed as by signed_conductivity().
  [[nodiscard]] double conductivity(int axis, Index3 p) const {
    auto const n = conductivities_.size() == 1 ? 0 : static_cast<std::size_t>(axis);
    return conductivities_[n][place_in(around_, p)];
  }
  /// Returns 1 / c, in units.
  [[nodiscard]] double inverse_capacity_at(Index3 p) const {
    return inverse_capacity_[place_in(points_, p)];
  }

 private:
  /// Evaluates a function on a box, except for the leading part `known`, whose values are there
  /// already.
  template <class Refusal>
  void fill(LocalBox box, LocalBox known, PointFunction const& function,
            std::vector<double>& values, Refusal const& refusal) const {
    values.resize(static_cast<std::size_t>(box.point_count()));
    if (!known.empty()) box.lower[cut_axis_] = known.upper[cut_axis_];
    Grid const& grid = problem_->grid;
    // Slabs are never cut along x, so the first point decides for the whole row.
    auto const row = [&](Index3 first, std::span<double> to) {
      function(on_grid(grid, first), to);
    };
    auto const fault = evaluate_dense<double>(box, row, values.data() + known.point_count());
    if (fault) throw refusal(on_grid(grid, *fault));
  }

  Problem const* problem_;
  Subdomain whole_;  ///< the grid as a single part
  int cut_axis_;
  std::vector<PointFunction> conductivity_of_{};  ///< for each axis, or one if isotropic
  PointFunction inverse_capacity_of_;
  LocalBox points_{};                                  ///< the slab
  LocalBox around_{};                                  ///< with the adjacent planes
  std::vector<std::vector<double>> conductivities_{};  ///< at the points of around_
  std::vector<double> inverse_capacity_{};             ///< at the points of the slab
};

/// The links of a row of points that material surfaces may cut: those to both neighbours along each
/// axis.
class CutLinks {
 public:
  /// @param row  any point of the row
  CutLinks(LinkConductivity const& links, Grid const& grid, Index3 row) : links_(&links) {
    for (int axis = 0; axis < grid.dimension; ++axis) {
      after_[axis] = links.candidates(axis, row);
      if (axis == 0) continue;
      Index3 before = row;
      before[axis] = grid.on_axis(axis, row[axis] - 1);
      if (before[axis] >= 0) before_[axis] = links.candidates(axis, before);
    }
    before_[0] = after_[0];
  }

  /// Returns the conductivity of a link if it is cut.
  /// @param lower    its lower point
  /// @param upwards  true if that is the point of the row; false if it is the neighbour below
  [[nodiscard]] std::optional<double> operator()(int axis, Index3 lower, bool upwards) const {
    auto const& ranges = (upwards ? after_ : before_)[axis];
    return LinkConductivity::contain(ranges, lower.x) ? (*links_)(axis, lower) : std::nullopt;
  }

 private:
  using Ranges = std::vector<LinkConductivity::Range>;
  LinkConductivity const* links_;
  PerAxis<Ranges> before_{};
  PerAxis<Ranges> after_{};
};

/// Computes Σ g / (c V) at the points of a slab, in units.
class InverseStableStep {
 public:
  InverseStableStep(Problem const& problem, MediumUnits const& units, int cut_axis)
      : problem_(&problem),
        units_(&units),
        cut_axis_(cut_axis),
        widths_(volume_widths(problem.grid, units, problem.grid.box())),
        links_(link_conductivity(problem)),
        has_reaction_(has_reaction(problem)) {
    for (Face const face : faces(problem.grid)) {
      if (may_be_robin(problem, face)) conducting_.push_back(face);
    }
  }

  /// Returns the function of i for the points (i, j, k).
  [[nodiscard]] auto row(Slab const& slab, std::int64_t j, std::int64_t k) const {
    std::optional<CutLinks> cut;
    if (links_) cut.emplace(*links_, problem_->grid, Index3{0, j, k});
    return [this, &slab, cut = std::move(cut), j, k](std::int64_t i) {
      return at(slab, cut, {i, j, k});
    };
  }

 private:
  /// Returns Σ g / (c V) at a point; 0 at fixed and insulated points.
  [[nodiscard]] double at(Slab const& slab, std::optional<CutLinks> const& cut, Index3 p) const {
    // A negative sign marks a fixed point, −0 an insulated one.
    if (std::signbit(slab.conductivity(0, p))) return 0.0;
    double total = 0.0;
    for (int axis = 0; axis < problem_->grid.dimension; ++axis) total += along(slab, cut, axis, p);
    for (Face const face : conducting_) {
      if (lies_on(problem_->grid, face, p)) total += robin_conductance(*problem_, *units_, face, p);
    }
    if (has_reaction_) total += reaction_term(*problem_, *units_, p);
    double const volume = width(0, p) * width(1, p) * width(2, p);
    return total / volume * slab.inverse_capacity_at(p);
  }

  [[nodiscard]] double width(int axis, Index3 p) const {
    return widths_[axis][static_cast<std::size_t>(p[axis])];
  }

  /// Returns the conductance to both neighbours along an axis.
  [[nodiscard]] double along(Slab const& slab, std::optional<CutLinks> const& cut, int axis,
                             Index3 p) const {
    Grid const& grid = problem_->grid;
    std::int64_t const last = grid.points[axis] - 1;
    if (last == 0) return 0.0;
    double const area = width(axis == 0 ? 1 : 0, p) * width(axis == 2 ? 1 : 2, p) * units_->length;
    double const here = slab.conductivity(axis, p);
    double sum = 0.0;
    for (int const side : {-1, 1}) {
      Index3 beside = p;
      beside[axis] += side;
      bool const beyond = beside[axis] < 0 || beside[axis] > last;
      if (beyond && !grid.periodic[axis]) continue;
      Index3 lower = p;
      lower[axis] = side > 0 ? p[axis] : beyond ? last : beside[axis];
      // Beyond a periodic end, a slab contains the adjacent plane under the index beyond the end.
      // Along the other axes the slab is complete, so the index wraps around.
      if (beyond && axis != cut_axis_) beside[axis] = side < 0 ? last : 0;
      double const factor = area / grid.conducting_gap(axis, lower[axis]);
      double const there = slab.conductivity(axis, beside);
      auto const of_link = cut ? (*cut)(axis, lower, side > 0) : std::nullopt;
      // Nothing flows to an insulated point, whose conductivity is −0.
      sum += of_link && there != 0.0 ? *of_link / units_->conductivity * factor
                                     : conductance_between(here, there, factor);
    }
    return sum;
  }

  Problem const* problem_;
  MediumUnits const* units_;
  int cut_axis_;
  PerAxis<std::vector<double>> widths_;
  std::optional<LinkConductivity> links_;
  bool has_reaction_;
  std::vector<Face> conducting_{};
};

}  // namespace

double inverse_stable_step(Problem const& problem, int part, int parts) {
  // Four million points amortise the two adjacent planes of a slab.
  constexpr std::int64_t points_at_once = std::int64_t{1} << 22;
  Subdomain const whole(problem.grid, {1, 1, 1}, 0);
  MediumUnits const units = medium_units(problem);
  int const cut_axis = problem.grid.dimension - 1;
  InverseStableStep const rate_at(problem, units, cut_axis);
  Slab slab(problem, units, whole, cut_axis);
  double fastest = 0.0;
  std::int64_t const n = problem.grid.points[cut_axis];
  // Slabs consist of whole planes.
  std::int64_t const of_plane = std::max<std::int64_t>(1, problem.grid.point_count() / n);
  std::int64_t const planes = std::max<std::int64_t>(1, points_at_once / of_plane);
  std::int64_t const end = n * (part + 1) / parts;
  for (std::int64_t first = n * part / parts; first < end; first += planes) {
    LocalBox box = whole.grid_box();
    box.lower[cut_axis] = first;
    box.upper[cut_axis] = std::min(end, first + planes);
    slab.move_to(box);
    fastest = std::max(fastest, largest_of(box, [&](std::int64_t j, std::int64_t k) {
                         return rate_at.row(slab, j, k);
                       }));
  }
  // Convert from the medium's unit of time to the problem's.
  return fastest / units.time();
}

}  // namespace isotherm
