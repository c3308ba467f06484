#include "solver/level/medium/layered_medium.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "decomposition/field/staging/host_staging.hpp"
#include "kernels/transforms/tridiagonal/tridiagonal_rows.hpp"
#include "solver/discretise/evaluate.hpp"
#include "solver/discretise/shapes/link_conductivity.hpp"
#include "solver/level/medium/separable_conductance_rows.hpp"
#include "solver/problem/conditions.hpp"
#include "solver/problem/variation.hpp"

namespace isotherm {

namespace {

/// Returns true if two coefficients differ by rounding only.
bool are_alike(double a, double b) {
  constexpr double roundings = 1e-12;
  return std::abs(a - b) <= roundings * std::abs(b);
}

bool is_positive(double value) { return value > 0.0 && std::isfinite(value); }

/// The coefficients of the discrete problem, at points and on the links between them.
class Coefficients {
 public:
  using Ranges = std::vector<LinkConductivity::Range>;

  explicit Coefficients(Problem const& problem)
      : problem_(&problem), units_(medium_units(problem)), links_(link_conductivity(problem)) {}

  [[nodiscard]] Grid const& grid() const { return problem_->grid; }
  [[nodiscard]] MediumUnits const& units() const { return units_; }
  /// Returns the number of axes with conductivities of their own.
  [[nodiscard]] int axes() const { return problem_->medium.isotropic ? 1 : grid().dimension; }
  /// Returns the conductivity along an axis at a point, and the capacity, in the problem's units.
  [[nodiscard]] AlongRow conductivity_from(int axis, Index3 first) const {
    return {problem_->medium.conductivity[axis], grid(), first};
  }
  [[nodiscard]] AlongRow capacity_from(Index3 first) const {
    return {problem_->medium.capacity, grid(), first};
  }
  /// Returns true if a point has a link along an axis.
  [[nodiscard]] bool has_link(int along, Index3 point) const {
    return along < grid().dimension && grid().points[along] > 1 &&
           point[along] < grid().intervals(along);
  }
  /// Returns the conductivity of a point's link along an axis, in units.
  [[nodiscard]] double of_link(int along, Index3 point) const {
    double conductance = 0.0;
    find_conductances(*problem_, units_, links_, along, point, {&conductance, 1});
    return conductance * (grid().conducting_gap(along, point[along]) / units_.length) /
           face_area(grid(), units_, along, point);
  }
  /// Returns the points of a row along x whose links surfaces may cut. All other links have the
  /// harmonic means of the conductivities at their points.
  [[nodiscard]] Ranges cut_links(int along, Index3 row) const {
    return links_ ? links_->candidates(along, row) : Ranges{};
  }

 private:
  Problem const* problem_;
  MediumUnits units_;
  std::optional<LinkConductivity> links_;
};

/// The coefficients along one axis, which may be those of the whole grid.
class Profile {
 public:
  /// Evaluates the coefficients along the grid's edge on `axis`.
  Profile(Coefficients const& coefficients, int axis) : of_(&coefficients), axis_(axis) {
    for (std::int64_t p = 0; p < grid().points[axis]; ++p) {
      Index3 point{};
      point[axis] = p;
      for (int along = 0; along < 3; ++along) {
        if (of_->has_link(along, point)) link_[along].push_back(of_->of_link(along, point));
      }
      for (int along = 0; along < of_->axes(); ++along) {
        point_[along].push_back(of_->conductivity_from(along, point)(0));
      }
      capacity_.push_back(of_->capacity_from(point)(0));
    }
  }

  /// Returns true if all coefficients are positive, and those across the axis are proportional.
  [[nodiscard]] bool is_valid() const {
    bool const positive = std::ranges::all_of(capacity_, is_positive) &&
                          std::ranges::all_of(link_.values, [](auto const& values) {
                            return std::ranges::all_of(values, is_positive);
                          });
    return positive && are_proportional();
  }
  /// Returns true if the points (·, j, k) and their links have the coefficients of the profile.
  [[nodiscard]] bool matches_row(std::int64_t j, std::int64_t k) const {
    Index3 const first{0, j, k};
    for (int along = 0; along < of_->axes(); ++along) {
      if (!match(point_[along], of_->conductivity_from(along, first), first)) return false;
    }
    if (!match(capacity_, of_->capacity_from(first), first)) return false;
    for (int along = 0; along < grid().dimension; ++along) {
      if (!cut_links_match(along, first)) return false;
    }
    return true;
  }

  /// Returns the layers. @pre is_valid()
  [[nodiscard]] LayeredMedium layers() const {
    LayeredMedium medium;
    medium.axis = axis_;
    double const length = of_->units().length;
    for (std::size_t p = 0; p < link_[axis_].size(); ++p) {
      double const gap = grid().conducting_gap(axis_, static_cast<std::int64_t>(p));
      medium.conductance.push_back(link_[axis_][p] * length / gap);
    }
    int const first = first_across();
    medium.across.assign(capacity_.size(), 1.0);
    if (first >= 0) medium.across = link_[first];
    for (int other = 0; other < 3; ++other) {
      if (other == axis_ || link_[other].empty()) continue;
      medium.factor[other] = link_[other].front() / medium.across.front();
    }
    for (double const capacity : capacity_) {
      medium.capacity.push_back(capacity / of_->units().capacity);
    }
    return medium;
  }

 private:
  [[nodiscard]] Grid const& grid() const { return of_->grid(); }
  /// Returns the place of a point on the axis.
  [[nodiscard]] std::size_t place(Index3 point) const {
    return static_cast<std::size_t>(point[axis_]);
  }
  /// Returns the first other axis that has links, or −1.
  [[nodiscard]] int first_across() const {
    for (int other = 0; other < 3; ++other) {
      if (other != axis_ && !link_[other].empty()) return other;
    }
    return -1;
  }
  [[nodiscard]] bool are_proportional() const {
    int const first = first_across();
    for (int other = 0; other < 3; ++other) {
      if (other == axis_ || link_[other].empty()) continue;
      double const ratio = link_[other].front() / link_[first].front();
      for (std::size_t p = 0; p < capacity_.size(); ++p) {
        if (!are_alike(link_[other][p], ratio * link_[first][p])) return false;
      }
    }
    return true;
  }
  /// Returns true if the values of a row of points are those of the profile.
  [[nodiscard]] bool match(std::vector<double> const& profile, AlongRow const& values,
                           Index3 point) const {
    for (; point.x < grid().points.x; ++point.x) {
      double const value = values(static_cast<std::size_t>(point.x));
      if (!are_alike(value, profile[place(point)])) return false;
    }
    return true;
  }
  [[nodiscard]] bool cut_links_match(int along, Index3 point) const {
    for (auto const& range : of_->cut_links(along, point)) {
      for (point.x = range.first; point.x < range.last; ++point.x) {
        if (!of_->has_link(along, point)) continue;
        if (!are_alike(of_->of_link(along, point), link_[along][place(point)])) return false;
      }
    }
    return true;
  }

  Coefficients const* of_;
  int axis_;
  PerAxis<std::vector<double>> link_{};   ///< conductivities of the links along each axis
  PerAxis<std::vector<double>> point_{};  ///< conductivities at the points
  std::vector<double> capacity_{};        ///< at the points
};

/// Returns true if a few rows of the grid have the coefficients of the profile.
bool matches_some_rows(Profile const& profile, Grid const& grid) {
  constexpr std::int64_t parts = 4;
  Extent3 const n = grid.points;
  for (std::int64_t c = 0; c <= parts; ++c) {
    for (std::int64_t b = 0; b <= parts; ++b) {
      if (!profile.matches_row((n.y - 1) * b / parts, (n.z - 1) * c / parts)) return false;
    }
  }
  return true;
}

bool matches_all_rows(Profile const& profile, Grid const& grid) {
  std::atomic<bool> matches = true;
  LocalBox const rows{{0, 0, 0}, {1, grid.points.y, grid.points.z}};
  for_each_row(rows, [&](std::int64_t j, std::int64_t k) {
    if (matches && !profile.matches_row(j, k)) matches = false;
  });
  return matches;
}

/// Returns true if the description of the medium proves that coefficients vary along one axis only.
bool are_known_layers(Problem const& problem, int axis) {
  Medium const& medium = problem.medium;
  PerAxis<bool> varies = variation_of(medium.capacity);
  if (medium.layers) {
    varies = either(varies, variation_of(*medium.layers, problem.grid));
  } else {
    for (ScalarFunction const& value : medium.conductivity) {
      varies = either(varies, variation_of(value));
    }
  }
  varies[axis] = false;
  return varies == PerAxis<bool>{};
}

/// Returns true if the faces fit layers across an axis: the conductance through a Robin face is the
/// same everywhere, relative to the conductivity along its normal.
bool faces_fit(Problem const& problem, LayeredMedium const& layers) {
  MediumUnits const units = medium_units(problem);
  bool const same_across = std::ranges::all_of(
      layers.across, [&](double value) { return are_alike(value, layers.across.front()); });
  return std::ranges::all_of(faces(problem.grid), [&](Face face) {
    bool const fits = face.axis == layers.axis || same_across;
    return has_same_conductance(problem, units, face) &&
           (fits || !is(problem, face, BoundaryKind::robin));
  });
}

/// Returns true if the medium may have layers: there is something but constants, and nothing that
/// fixes or excludes points.
bool may_have_layers(Problem const& problem) {
  Medium const& medium = problem.medium;
  Extent3 const n = problem.grid.points;
  return std::max({n.x, n.y, n.z}) <= max_tridiagonal_points && is_heterogeneous(problem) &&
         !medium.is_correction && medium.fixed.empty() && medium.insulated.empty() &&
         problem.patches.empty() && !is_separable(problem);
}

/// Returns the layers of a medium, whatever the faces are.
std::optional<LayeredMedium> layers_of_coefficients(Problem const& problem) {
  Grid const& grid = problem.grid;
  Coefficients const coefficients(problem);
  for (int axis = grid.dimension - 1; axis >= 0; --axis) {
    if (grid.periodic[axis] || grid.points[axis] == 1) continue;
    Profile const profile(coefficients, axis);
    if (!profile.is_valid() || !matches_some_rows(profile, grid)) continue;
    if (!are_known_layers(problem, axis) && !matches_all_rows(profile, grid)) continue;
    return profile.layers();
  }
  return std::nullopt;
}

}  // namespace

std::optional<LayeredMedium> LayerSearch::find(Problem const& problem) {
  std::lock_guard const lock(mutex_);
  bool const is_known = grid_ && *grid_ == problem.grid && diffusivity_ == problem.diffusivity;
  if (!is_known) {
    layers_ = layers_of_coefficients(problem);
    grid_ = problem.grid;
    diffusivity_ = problem.diffusivity;
  }
  return layers_;
}

std::optional<LayeredMedium> find_layers(Problem const& problem) {
  if (!may_have_layers(problem)) return std::nullopt;
  std::shared_ptr<LayerSearch> const search = problem.medium.layer_search;
  std::optional<LayeredMedium> layers =
      search ? search->find(problem) : layers_of_coefficients(problem);
  if (layers && !faces_fit(problem, *layers)) return std::nullopt;
  return layers;
}

}  // namespace isotherm
